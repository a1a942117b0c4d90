// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// listing is what one list of a kind brought, kept for the life of the process and
// brought up to date by our own writes. Objects stay in their typed form, which is a
// fraction of the size of maps.
type listing struct {
	objects map[types.NamespacedName]runtime.Object
	byOwner map[objects.Owner]map[types.NamespacedName]bool
	// forbidden: we may not list the kind, so objects are read one by one.
	forbidden bool
	// keepManagers: managedFields are kept, because they alone tell who wrote the contents.
	keepManagers bool
}

// snapshot shares lists between the resources of one run: the first read of a kind lists
// it once, the others look it up.
type snapshot struct {
	mu     sync.Mutex
	kinds  map[Kind]*listing
	locks  map[Kind]*sync.Mutex
	failed map[Kind]failure
}

// failure remembers that a list just failed for good, so that a thousand resources do not
// each spend their time limit on the same broken API server.
type failure struct {
	err error
	at  time.Time
}

const failureHolds = 30 * time.Second

func (f failure) recent() bool { return f.err != nil && time.Since(f.at) < failureHolds }

func newSnapshot() *snapshot {
	return &snapshot{kinds: map[Kind]*listing{}, locks: map[Kind]*sync.Mutex{}, failed: map[Kind]failure{}}
}

// listed returns the shared listing of a kind, making it on first use.
func (c *Cluster) listed(ctx context.Context, kind Kind) (*listing, error) {
	lock := c.snapshot.lockOf(kind)
	lock.Lock() // one list a kind at a time; the others wait for its result
	defer lock.Unlock()
	if found, err := c.snapshot.known(kind); found != nil || err != nil {
		return found, err
	}
	query := Query{Labels: objects.LabelManagedBy + "=" + objects.ManagedBy}
	if kind.Whole || kind.Selector != "" {
		query.Labels = kind.Selector
	}
	if kind.Named != "" {
		query.Fields = "metadata.name=" + kind.Named
	}
	made := &listing{keepManagers: kind.MetadataOnly, objects: map[types.NamespacedName]runtime.Object{}, byOwner: map[objects.Owner]map[types.NamespacedName]bool{}}
	err := c.each(ctx, kind, query, made.put)
	if IsForbidden(err) {
		made.forbidden, err = true, nil
	}
	c.snapshot.mu.Lock()
	defer c.snapshot.mu.Unlock()
	if err != nil {
		c.snapshot.failed[kind] = failure{err: err, at: time.Now()}
		return nil, err
	}
	c.snapshot.kinds[kind] = made
	return made, nil
}

func (s *snapshot) lockOf(kind Kind) *sync.Mutex {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locks[kind] == nil {
		s.locks[kind] = &sync.Mutex{}
	}
	return s.locks[kind]
}

func (s *snapshot) known(kind Kind) (*listing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.failed[kind]; last.recent() {
		return nil, last.err
	}
	return s.kinds[kind], nil
}

// put files a typed object. The caller holds no lock yet or the snapshot's.
func (l *listing) put(item runtime.Object) {
	accessor, err := meta.Accessor(item)
	if err != nil {
		return
	}
	if !l.keepManagers {
		// A third of every object. Read again for the few of which an author must be named.
		accessor.SetManagedFields(nil)
	}
	key := types.NamespacedName{Namespace: accessor.GetNamespace(), Name: accessor.GetName()}
	l.drop(key)
	l.objects[key] = item
	if owner, ours := objects.OwnerOf(accessor.GetLabels()); ours {
		if l.byOwner[owner] == nil {
			l.byOwner[owner] = map[types.NamespacedName]bool{}
		}
		l.byOwner[owner][key] = true
	}
}

func (l *listing) drop(key types.NamespacedName) {
	item, ok := l.objects[key]
	if !ok {
		return
	}
	delete(l.objects, key)
	if accessor, err := meta.Accessor(item); err == nil {
		if owner, ours := objects.OwnerOf(accessor.GetLabels()); ours {
			delete(l.byOwner[owner], key)
		}
	}
}

// remember brings the snapshot up to date after a write of ours; nil live: it is gone.
func (c *Cluster) remember(kind Kind, key types.NamespacedName, live *objects.Object) {
	c.snapshot.mu.Lock()
	defer c.snapshot.mu.Unlock()
	known := c.snapshot.kinds[kind]
	if known == nil {
		return
	}
	if live == nil {
		known.drop(key)
		return
	}
	known.put(live.DeepCopy())
}

// forgetNamespace drops everything in a namespace that is gone.
func (c *Cluster) forgetNamespace(name string) {
	c.snapshot.mu.Lock()
	defer c.snapshot.mu.Unlock()
	for _, known := range c.snapshot.kinds {
		for key := range known.objects {
			if key.Namespace == name {
				known.drop(key)
			}
		}
	}
}

// forget drops the shared list of a kind, so that the next read lists it anew.
func (c *Cluster) forget(kind Kind) {
	c.snapshot.mu.Lock()
	defer c.snapshot.mu.Unlock()
	delete(c.snapshot.kinds, kind)
}

// Listed returns every object of the shared list of a kind; forbidden: we may not list it.
func (c *Cluster) Listed(ctx context.Context, kind Kind) (all []*objects.Object, forbidden bool, err error) {
	known, err := c.listed(ctx, kind)
	if err != nil {
		return nil, false, err
	}
	c.snapshot.mu.Lock()
	defer c.snapshot.mu.Unlock()
	for _, item := range known.objects {
		all = append(all, asObject(kind, item))
	}
	return all, known.forbidden, nil
}

// Owned returns every object of a kind that carries the owner's labels.
func (c *Cluster) Owned(ctx context.Context, kind Kind, owner objects.Owner) ([]*objects.Object, error) {
	known, err := c.listed(ctx, kind)
	if err != nil {
		return nil, err
	}
	c.snapshot.mu.Lock()
	defer c.snapshot.mu.Unlock()
	var found []*objects.Object
	for key := range known.byOwner[owner] {
		found = append(found, asObject(kind, known.objects[key]))
	}
	return found, nil
}

// Lookup returns one object, or nil where the API server is sure that there is none. The
// shared list answers; an object that a labelled list lacks is asked for by name, because it
// may stand there without our labels.
func (c *Cluster) Lookup(ctx context.Context, kind Kind, namespace, name string) (*objects.Object, error) {
	known, err := c.listed(ctx, kind)
	if err != nil {
		return nil, err
	}
	key := types.NamespacedName{Namespace: namespace, Name: name}
	c.snapshot.mu.Lock()
	item, ok := known.objects[key]
	var found *objects.Object
	if ok {
		found = asObject(kind, item)
	}
	c.snapshot.mu.Unlock()
	switch {
	case ok:
		return found, nil
	case kind.Whole && !known.forbidden:
		return nil, nil
	case kind.Namespaced && c.namespaceAbsent(ctx, namespace):
		return nil, nil
	}
	return c.Get(ctx, kind, namespace, name)
}

// namespaceAbsent says whether the shared list of namespaces is sure that there is none of
// that name, which saves asking for each thing in it.
func (c *Cluster) namespaceAbsent(ctx context.Context, name string) bool {
	known, err := c.listed(ctx, Namespace)
	if err != nil || known.forbidden {
		return false
	}
	c.snapshot.mu.Lock()
	defer c.snapshot.mu.Unlock()
	_, there := known.objects[types.NamespacedName{Name: name}]
	return !there
}

// Get reads one object afresh, with its managedFields; nil where there is none.
func (c *Cluster) Get(ctx context.Context, kind Kind, namespace, name string) (*objects.Object, error) {
	live, err := c.get(ctx, kind, namespace, name)
	if IsNotFound(err) {
		c.remember(kind, types.NamespacedName{Namespace: namespace, Name: name}, nil)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.remember(kind, types.NamespacedName{Namespace: namespace, Name: name}, live)
	return live, nil
}

// asObject gives the caller a copy of its own.
func asObject(kind Kind, item runtime.Object) *objects.Object {
	if object, ok := item.(*objects.Object); ok {
		return object.DeepCopy()
	}
	return toObject(kind, item)
}

// KindOf finds the compiled-in kind of an object.
func KindOf(object *objects.Object) (Kind, error) {
	kind, ok := kinds[object.GroupVersionKind()]
	if !ok {
		return Kind{}, fmt.Errorf("%s is not a kind that Trainyard knows", object.GroupVersionKind())
	}
	return kind, nil
}
