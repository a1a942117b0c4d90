// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/s3"
)

// secretKind reads one Secret whole: the keys of a server lie in the cluster, not in the state.
var secretKind = kube.Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Secret"), Resource: "secrets", Namespaced: true, Untyped: true}

// endpoint is where the server answers.
func (o objectModel) endpoint() string {
	service := ""
	switch o.Backend.ValueString() {
	case backendMinIO:
		service = fmt.Sprintf("http://minio.%s.svc:9000", o.Namespace.ValueString())
	case backendSeaweedFS:
		service = fmt.Sprintf("http://seaweedfs-s3.%s.svc:8333", o.Namespace.ValueString())
	case backendCeph:
		if o.Rook != nil {
			service = fmt.Sprintf("http://rook-ceph-rgw-%s.%s.svc", o.Rook.Store.ValueString(), o.Rook.Namespace.ValueString())
		}
	}
	return cmp.Or(o.Endpoint.ValueString(), service)
}

// connect opens the server of an object tier with the keys that are at hand: those of the
// configuration while it is there, else those in the cluster.
func (b builder) connect(ctx context.Context, o objectModel) (*s3.Server, error) {
	connection := s3.Connection{Endpoint: o.endpoint(), Region: o.Region.ValueString()}
	if !o.PathStyle.IsNull() {
		connection.PathStyle = new(o.PathStyle.ValueBool())
	}
	if o.Backend.ValueString() == backendMinIO {
		connection.Backend = backendMinIO
	}
	var err error
	switch {
	case o.Backend.ValueString() == backendCeph:
		user := fmt.Sprintf("rook-ceph-object-user-%s-%s", o.Rook.Store.ValueString(), b.objectUser())
		err = b.keys(ctx, o.Rook.Namespace.ValueString(), user, "AccessKey", "SecretKey", &connection)
	case o.AccessKey.IsNull():
		connection.AccessKey, connection.SecretKey = os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
		connection.SessionToken = os.Getenv("AWS_SESSION_TOKEN")
		if connection.AccessKey == "" || connection.SecretKey == "" {
			err = fmt.Errorf("there are no keys for %s: object.access_key is left out, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set. Give one or the other", connection.Endpoint)
		}
	case b.model.secret.ValueString() != "":
		connection.AccessKey, connection.SecretKey = o.AccessKey.ValueString(), b.model.secret.ValueString()
	default:
		err = b.keys(ctx, o.Namespace.ValueString(), b.secretName(), "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", &connection)
	}
	if err != nil {
		return nil, err
	}
	return s3.Open(connection)
}

// keys reads the keys of a server from a Secret.
func (b builder) keys(ctx context.Context, namespace, name, access, secret string, to *s3.Connection) error {
	if b.engine.Cluster == nil {
		return errNoKeys
	}
	live, err := b.engine.Cluster.Whole(ctx, secretKind, namespace, name)
	if err != nil {
		return err
	}
	if live == nil {
		return fmt.Errorf("%w: %s/%s", errNoKeys, namespace, name)
	}
	for key, field := range map[string]*string{access: &to.AccessKey, secret: &to.SecretKey} {
		text, _, _ := unstructured.NestedString(live.Object, "data", key)
		value, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(value) == 0 {
			return fmt.Errorf("the Secret %s/%s has no key %s", namespace, name, key)
		}
		*field = string(value)
	}
	return nil
}
