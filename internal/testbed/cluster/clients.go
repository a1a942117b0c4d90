// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	volcanoclient "volcano.sh/apis/pkg/client/clientset/versioned"
)

// clients speak with the testbed's API server.
type clients struct {
	kube       kubernetes.Interface
	extensions apiextensions.Interface
	volcano    volcanoclient.Interface
}

func newClients(kubeconfig string) (*clients, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("cannot read the testbed's kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 500, 1000
	config.Timeout = 30 * time.Second
	config.UserAgent = "trainyard-testbed"
	builtin := rest.CopyConfig(config)
	builtin.ContentType = "application/vnd.kubernetes.protobuf"
	kube, kubeErr := kubernetes.NewForConfig(builtin)
	extensions, extensionsErr := apiextensions.NewForConfig(config)
	volcano, volcanoErr := volcanoclient.NewForConfig(config)
	if err := errors.Join(kubeErr, extensionsErr, volcanoErr); err != nil {
		return nil, fmt.Errorf("cannot make the clients of the testbed: %w", err)
	}
	return &clients{kube: kube, extensions: extensions, volcano: volcano}, nil
}

// ready asks the API server whether it is ready.
func (c *clients) ready(ctx context.Context) error {
	_, err := c.kube.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	return err
}

// waitReady waits until the API server is ready and has its first namespace.
func (c *clients) waitReady(ctx context.Context, dead func() error) error {
	return poll(ctx, dead, func(ctx context.Context) error {
		if err := c.ready(ctx); err != nil {
			return err
		}
		_, err := c.kube.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return err
	})
}

// waitServiceAccount waits for the controller manager's first visible work,
// without which no pod can be created.
func (c *clients) waitServiceAccount(ctx context.Context, dead func() error) error {
	return poll(ctx, dead, func(ctx context.Context) error {
		_, err := c.kube.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// waitListening waits until something accepts connections on the port.
func waitListening(ctx context.Context, port int, dead func() error) error {
	return poll(ctx, dead, func(ctx context.Context) error {
		var dialer net.Dialer
		connection, err := dialer.DialContext(ctx, "tcp", loopback(port))
		if err != nil {
			return err
		}
		return connection.Close()
	})
}

// poll probes until the probe succeeds, a process dies or the context ends.
func poll(ctx context.Context, dead func() error, probe func(context.Context) error) error {
	for {
		err := probe(ctx)
		if err == nil {
			return nil
		}
		if ended := dead(); ended != nil {
			return ended
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
