// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package kube is the only place that talks to a Kubernetes API server: server-side apply,
// shared lists, deletion bound to a UID, and waiting. It knows objects, not teams or queues.
package kube

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Connection locates a cluster: a kubeconfig (with a context in it), or a host with its CA
// (PEM) and either a token or a program that prints credentials. Only Token is secret.
type Connection struct {
	KubeconfigPath, Context string
	Host, CA                string
	Exec                    *Exec
	Token                   string
}

// Exec is a client-go credential plugin, such as "aws eks get-token".
type Exec struct {
	APIVersion, Command string
	Args                []string
	Env                 map[string]string
}

// ErrNoConnection says that nothing tells which cluster is meant.
var ErrNoConnection = errors.New(`no cluster is configured

Set "cluster" in the provider block or in this resource, for example cluster = { kubeconfig_path = "~/.kube/config" }. ` +
	`Trainyard never falls back on KUBECONFIG, the in-cluster account or localhost`)

// Cluster is one connected cluster with its snapshot. It is safe for concurrent use.
type Cluster struct {
	rest     *rest.RESTClient
	snapshot *snapshot

	identity  sync.Mutex
	uid       string
	unknown   failure
	capacity  capacity
	discovery discovery
	expected  sync.Map // kind and name of what this run plans to make
}

// Connect makes a client. It sends nothing.
func Connect(connection Connection, userAgent string) (*Cluster, error) {
	config, err := connection.config()
	if err != nil {
		return nil, err
	}
	config.UserAgent = userAgent
	config.QPS = -1 // the server's own flow control and Retry-After decide
	config.NegotiatedSerializer = codecs.WithoutConversion()
	config.WarningHandlerWithContext = warnings{}
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("set up the connection to %s: %w", config.Host, err)
	}
	return &Cluster{rest: client, snapshot: newSnapshot()}, nil
}

func (c Connection) config() (*rest.Config, error) {
	switch {
	case c.KubeconfigPath != "":
		return c.fromKubeconfig()
	case c.Host != "":
		return c.fromHost()
	}
	return nil, ErrNoConnection
}

func (c Connection) fromKubeconfig() (*rest.Config, error) {
	path := expandHome(c.KubeconfigPath)
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: c.Context})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig %s (context %q): %w", path, c.Context, err)
	}
	if config.Host == "" {
		return nil, fmt.Errorf("the kubeconfig %s names no server in context %q", path, c.Context)
	}
	if c.Token != "" {
		config.BearerToken, config.BearerTokenFile = c.Token, ""
	}
	return config, nil
}

func (c Connection) fromHost() (*rest.Config, error) {
	if err := CheckHost(c.Host); err != nil {
		return nil, err
	}
	config := &rest.Config{Host: c.Host, BearerToken: c.Token}
	config.CAData = []byte(c.CA)
	if c.Exec == nil {
		return config, nil
	}
	config.ExecProvider = &clientcmdapi.ExecConfig{
		APIVersion: c.Exec.APIVersion, Command: c.Exec.Command, Args: c.Exec.Args,
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
	for name, value := range c.Exec.Env {
		config.ExecProvider.Env = append(config.ExecProvider.Env, clientcmdapi.ExecEnvVar{Name: name, Value: value})
	}
	return config, nil
}

// firstContact bounds how long the first request is repeated: a wrong address should not
// take the whole time limit to be told.
const firstContact = 15 * time.Second

// UID identifies the cluster: the UID of its namespace kube-system, read once. A failure is
// remembered for a while, so that a thousand resources do not each wait for it.
func (c *Cluster) UID(ctx context.Context) (string, error) {
	c.identity.Lock()
	defer c.identity.Unlock()
	if c.uid != "" {
		return c.uid, nil
	}
	if c.unknown.recent() {
		return "", c.unknown.err
	}
	ctx, cancel := context.WithTimeout(ctx, firstContact)
	defer cancel()
	system, err := c.get(ctx, Namespace, "", "kube-system")
	if err != nil {
		c.unknown = failure{err: fmt.Errorf("identify the cluster by its namespace kube-system: %w", err), at: time.Now()}
		return "", c.unknown.err
	}
	c.uid = string(system.GetUID())
	return c.uid, nil
}

// Expect notes that this run plans to make an object, so that what depends on it can be
// planned before it exists.
func (c *Cluster) Expect(object *objects.Object) {
	c.expected.Store(object.GetKind()+" "+full(object.GetNamespace(), object.GetName()), true)
}

// Expected says whether this run plans to make a cluster-wide object.
func (c *Cluster) Expected(kind Kind, name string) bool {
	_, ok := c.expected.Load(kind.Kind + " " + name)
	return ok
}

// warnings are what the API server thinks of what it was sent, such as a field that is no more.
type warnings struct{}

// warningCode is the only one that HTTP still has.
const warningCode = 299

// HandleWarningHeaderWithContext logs one.
func (warnings) HandleWarningHeaderWithContext(ctx context.Context, code int, _ string, text string) {
	if code == warningCode && text != "" {
		tflog.Warn(ctx, "The API server warns", map[string]any{"of": text})
	}
}
