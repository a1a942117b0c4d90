// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

// API is what an API server serves. Templates of charts ask for it; reads never need it.
type API struct {
	Version version.Info
	// Versions are the group versions and their kinds: apps/v1 and apps/v1/Deployment.
	Versions []string

	kinds map[schema.GroupVersionKind]Kind
	asked time.Time
}

// Kind finds a kind that is served.
func (a *API) Kind(gvk schema.GroupVersionKind) (Kind, bool) {
	kind, ok := a.kinds[gvk]
	return kind, ok
}

// Assumed is what an API server is taken to serve where it cannot be asked.
func Assumed(at version.Info, versions []string) *API {
	return &API{Version: at, Versions: versions, kinds: map[schema.GroupVersionKind]Kind{}, asked: time.Now()}
}

// discovery keeps what the API server serves for the life of the process.
type discovery struct {
	mu    sync.Mutex
	known *API
}

// API asks the API server what it serves, in three requests however many kinds that are
// (aggregated discovery, Kubernetes 1.27 and later). It is asked once.
func (c *Cluster) API(ctx context.Context) (*API, error) {
	c.discovery.mu.Lock()
	defer c.discovery.mu.Unlock()
	if c.discovery.known != nil {
		return c.discovery.known, nil
	}
	api := &API{kinds: map[schema.GroupVersionKind]Kind{}}
	raw, _, err := send(ctx, "read the version", func() *rest.Request { return c.rest.Get().AbsPath("/version").MaxRetries(0) })
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &api.Version); err != nil {
		return nil, fmt.Errorf("decode the version of the API server: %w", err)
	}
	for _, root := range []string{"/api", "/apis"} {
		if err := c.discover(ctx, root, api); err != nil {
			return nil, err
		}
	}
	api.asked = time.Now()
	c.discovery.known = api
	return api, nil
}

// KindFor finds a kind that the API server serves, asking again where it was not among them a
// moment ago: its definition may have come since.
func (c *Cluster) KindFor(ctx context.Context, gvk schema.GroupVersionKind) (Kind, bool, error) {
	api, err := c.API(ctx)
	if err != nil {
		return Kind{}, false, err
	}
	if kind, ok := api.Kind(gvk); ok || time.Since(api.asked) < askAgainAfter {
		return kind, ok, nil
	}
	c.discovery.mu.Lock()
	c.discovery.known = nil
	c.discovery.mu.Unlock()
	if api, err = c.API(ctx); err != nil {
		return Kind{}, false, err
	}
	kind, ok := api.Kind(gvk)
	return kind, ok, nil
}

// askAgainAfter bounds how often a kind that is not served makes us ask.
const askAgainAfter = 2 * time.Second

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

func (c *Cluster) discover(ctx context.Context, root string, api *API) error {
	raw, _, err := send(ctx, "discover "+root, func() *rest.Request {
		return c.rest.Get().AbsPath(root).SetHeader("Accept", aggregated).MaxRetries(0)
	})
	if err != nil {
		return err
	}
	var list discoveryv2.APIGroupDiscoveryList
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("decode what the API server serves below %s: %w", root, err)
	}
	if list.Kind != "APIGroupDiscoveryList" {
		return fmt.Errorf("discover %s: the API server answered with %q; Trainyard needs Kubernetes 1.27 or later to install charts", root, list.Kind)
	}
	for _, group := range list.Items {
		for _, served := range group.Versions {
			api.add(schema.GroupVersion{Group: group.Name, Version: served.Version}, served.Resources)
		}
	}
	return nil
}

func (a *API) add(at schema.GroupVersion, resources []discoveryv2.APIResourceDiscovery) {
	a.Versions = append(a.Versions, at.String())
	for _, resource := range resources {
		if resource.ResponseKind == nil || strings.Contains(resource.Resource, "/") {
			continue
		}
		gvk := at.WithKind(resource.ResponseKind.Kind)
		a.Versions = append(a.Versions, at.String()+"/"+gvk.Kind)
		a.kinds[gvk] = Kind{GroupVersionKind: gvk, Resource: resource.Resource, Namespaced: resource.Scope == discoveryv2.ScopeNamespace}
	}
}
