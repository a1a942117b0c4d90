// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// Annotations of the registry Secret: what it was made of, but the password. They show
// a change without a look at the Secret's data.
//
//nolint:gosec // names of annotations, not credentials
const (
	annotationServer          = "trainyard.io/registry-server"
	annotationUsername        = "trainyard.io/registry-username"
	annotationEmail           = "trainyard.io/registry-email"
	annotationPasswordVersion = "trainyard.io/registry-password-version"
)

//nolint:gosec // names of the API, not credentials
const (
	secretType = "kubernetes.io/dockerconfigjson"
	secretKey  = ".dockerconfigjson"

	// defaultServiceAccount is the one that pods run as unless they name another. Every
	// namespace has it from Kubernetes.
	defaultServiceAccount = "default"
)

// teamRegistry renders the Secret with the registry's credentials, without data where
// the password is not known, and the service account that pulls images with it.
func teamRegistry(t spec.Team, o Owner) []*Object {
	r := t.Registry
	if r == nil {
		return nil
	}
	secret := teamObject("v1", "Secret", RegistryName, t, o)
	secret.Object["type"] = secretType
	annotations := map[string]string{annotationServer: r.Server, annotationUsername: r.Username}
	if r.Email != "" {
		annotations[annotationEmail] = r.Email
	}
	if r.PasswordVersion != "" {
		annotations[annotationPasswordVersion] = r.PasswordVersion
	}
	setMap(nested[map[string]any](secret.Object, "metadata"), "annotations", annotations)
	if r.Password != nil {
		secret.Object["data"] = map[string]any{secretKey: dockerConfig(r)}
	}
	account := teamObject("v1", "ServiceAccount", defaultServiceAccount, t, o)
	account.Object["imagePullSecrets"] = []any{map[string]any{"name": RegistryName}}
	return []*Object{secret, account}
}

// dockerConfig is the file that container runtimes read credentials from, as a Secret
// holds it.
func dockerConfig(r *spec.Registry) string {
	type credentials struct {
		Username string `json:"username"`
		Password string `json:"password"`
		Email    string `json:"email,omitempty"`
		Auth     string `json:"auth"`
	}
	auth := base64.StdEncoding.EncodeToString([]byte(r.Username + ":" + *r.Password))
	//nolint:gosec // the contents of a Secret
	file, err := json.Marshal(map[string]map[string]credentials{
		"auths": {r.Server: {Username: r.Username, Password: *r.Password, Email: r.Email, Auth: auth}},
	})
	if err != nil {
		panic(fmt.Sprintf("objects: strings cannot be written as JSON: %v", err)) // they always can
	}
	return base64.StdEncoding.EncodeToString(file)
}

func registryInto(t *spec.Team, secret *Object) {
	if secret == nil {
		return
	}
	annotations := secret.GetAnnotations()
	t.Registry = &spec.Registry{
		Server:          annotations[annotationServer],
		Username:        annotations[annotationUsername],
		Email:           annotations[annotationEmail],
		PasswordVersion: annotations[annotationPasswordVersion],
	}
}
