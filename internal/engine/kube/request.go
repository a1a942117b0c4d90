// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
	"github.com/trainyard/terraform-provider-trainyard/internal/plan"
	"github.com/trainyard/terraform-provider-trainyard/internal/retry"
)

const (
	// pageSize is how many objects one page of a list holds, as client-go's reflectors ask for.
	pageSize = 500
	// attemptLimit ends one request that hangs, so that another can be tried within the
	// operation's own time limit.
	attemptLimit = 20 * time.Second
	protobuf     = "application/vnd.kubernetes.protobuf,application/json"
)

// accept is the content type to ask for; suffix is "" or "List".
func (k Kind) accept(suffix string) string {
	switch {
	case k.MetadataOnly:
		return "application/json;as=PartialObjectMetadata" + suffix + ";g=meta.k8s.io;v=v1"
	case k.JSON, k.Untyped:
		return "application/json"
	}
	return protobuf
}

func (k Kind) path() string {
	if k.Group == "" {
		return "/api/" + k.Version
	}
	return "/apis/" + k.Group + "/" + k.Version
}

// on addresses a request to one object, or to all of a kind where name is empty.
func (c *Cluster) on(request *rest.Request, kind Kind, namespace, name string) *rest.Request {
	request = request.AbsPath(kind.path())
	if kind.Namespaced && namespace != "" {
		request = request.AbsPath(kind.path(), "namespaces", namespace, kind.Resource)
	} else {
		request = request.AbsPath(kind.path(), kind.Resource)
	}
	if name != "" {
		request = request.Suffix(name)
	}
	return request.MaxRetries(0)
}

// send carries out a request, repeating it while the failure may pass.
func send(ctx context.Context, name string, build func() *rest.Request) (raw []byte, created bool, err error) {
	return sendJudged(ctx, name, judge, build)
}

func sendJudged(ctx context.Context, name string, judge func(error) retry.Verdict, build func() *rest.Request) (raw []byte, created bool, err error) {
	err = retry.Do(ctx, name, judge, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, attempt(ctx))
		defer cancel()
		result := build().Do(ctx)
		var status int
		result.StatusCode(&status)
		created = status == http.StatusCreated
		body, err := result.Raw()
		if err != nil {
			return fromBody(result, err)
		}
		raw = body
		return nil
	})
	return raw, created, err
}

// attempt is how long one request may take: so much of the time left that another one can
// follow where it hangs.
func attempt(ctx context.Context) time.Duration {
	deadline, limited := ctx.Deadline()
	if !limited {
		return attemptLimit
	}
	return min(attemptLimit, max(time.Until(deadline)*2/3, time.Second))
}

// fromBody prefers the Status that the API server sent over the bare transport error.
func fromBody(result rest.Result, err error) error {
	if status := result.Error(); status != nil {
		return status
	}
	return err
}

// get reads one object afresh.
func (c *Cluster) get(ctx context.Context, kind Kind, namespace, name string) (*objects.Object, error) {
	raw, _, err := send(ctx, fmt.Sprintf("read %s %s", kind, full(namespace, name)), func() *rest.Request {
		return c.on(c.rest.Get(), kind, namespace, name).SetHeader("Accept", kind.accept(""))
	})
	if err != nil {
		return nil, err
	}
	return decode(kind, raw)
}

// page reads one page of a list.
func (c *Cluster) page(ctx context.Context, kind Kind, query Query, token string) (items []runtime.Object, next string, err error) {
	raw, _, err := send(ctx, "list "+kind.Resource, func() *rest.Request {
		request := c.on(c.rest.Get(), kind, query.Namespace, "").SetHeader("Accept", kind.accept("List")).
			Param("limit", strconv.Itoa(pageSize))
		for key, value := range map[string]string{"labelSelector": query.Labels, "fieldSelector": query.Fields, "continue": token} {
			if value != "" {
				request.Param(key, value)
			}
		}
		return request
	})
	if err != nil {
		return nil, "", err
	}
	return decodeList(kind, raw)
}

// patching says how an object is applied. With force it takes fields back from whoever else
// has set them: the plan has shown them. A rehearsal changes nothing.
type patching struct{ force, rehearsal bool }

// patch applies an object server-side under our field manager.
func (c *Cluster) patch(ctx context.Context, object *objects.Object, kind Kind, how patching) (*objects.Object, bool, error) {
	body, err := object.MarshalJSON()
	if err != nil {
		return nil, false, err
	}
	tries := 0
	raw, created, err := sendJudged(ctx, "apply "+objects.Ref(object), judgeApply(kind), func() *rest.Request {
		tries++
		request := c.on(c.rest.Patch(types.ApplyPatchType), kind, object.GetNamespace(), object.GetName()).
			SetHeader("Accept", kind.accept("")).
			Param("fieldManager", plan.FieldManager).Param("force", strconv.FormatBool(how.force)).Body(body)
		if how.rehearsal {
			request.Param("dryRun", "All")
		}
		return request
	})
	if err != nil {
		return nil, false, err
	}
	live, err := decode(kind, raw)
	if err != nil {
		return nil, created, err
	}
	// A creation whose answer was lost is answered as a change when it is repeated.
	return live, created || (tries > 1 && plan.BornOurs(live)), nil
}

func decode(kind Kind, raw []byte) (*objects.Object, error) {
	if kind.MetadataOnly {
		partial := &metav1.PartialObjectMetadata{}
		if err := json.Unmarshal(raw, partial); err != nil {
			return nil, fmt.Errorf("decode %s: %w", kind, err)
		}
		return toObject(kind, partial), nil
	}
	if kind.Untyped {
		object := &objects.Object{}
		if err := object.UnmarshalJSON(raw); err != nil {
			return nil, fmt.Errorf("decode %s: %w", kind, err)
		}
		return object, nil
	}
	typed, err := runtime.Decode(codecs.UniversalDeserializer(), raw)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	return toObject(kind, typed), nil
}

func decodeList(kind Kind, raw []byte) (items []runtime.Object, next string, err error) {
	var list runtime.Object
	switch {
	case kind.MetadataOnly:
		list = &metav1.PartialObjectMetadataList{}
		err = json.Unmarshal(raw, list)
	case kind.Untyped:
		untyped := &unstructured.UnstructuredList{}
		err = untyped.UnmarshalJSON(raw)
		list = untyped
	default:
		list, err = runtime.Decode(codecs.UniversalDeserializer(), raw)
	}
	if err != nil {
		return nil, "", fmt.Errorf("decode the list of %s: %w", kind.Resource, err)
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, "", fmt.Errorf("decode the list of %s: %w", kind.Resource, err)
	}
	items, err = meta.ExtractList(list)
	return items, accessor.GetContinue(), err
}

// toObject converts a typed object; list items carry no kind of their own.
func toObject(kind Kind, typed runtime.Object) *objects.Object {
	object := objects.From(typed)
	object.SetGroupVersionKind(kind.GroupVersionKind)
	return object
}

func full(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
