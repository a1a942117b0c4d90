// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// Account is a service account that may do what published ClusterRoles say.
type Account struct {
	Kubeconfig, Host, CA, Token string
}

// Account makes a service account with the ClusterRoles that examples/rbac publishes under
// these names (training_queue, team_quota). It lasts as long as the test.
func (b *Bed) Account(roles ...string) Account {
	b.t.Helper()
	name := Name("acc")
	b.Make(kube.ServiceAccount, "default", fmt.Sprintf("{metadata: {name: %q}}", name))
	b.t.Cleanup(func() { b.Begin(kube.ServiceAccount, "default", name) })
	for _, role := range roles {
		b.grant(name, role)
	}
	account := Account{Host: b.Config.Host, CA: string(b.Config.CAData), Token: b.token(name)}
	account.Kubeconfig = b.writeKubeconfig(account)
	return account
}

func (b *Bed) token(account string) string {
	b.t.Helper()
	ctx, cancel := b.context()
	defer cancel()
	request := &objects.Object{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"metadata": map[string]any{"name": account}, "spec": map[string]any{},
	}}
	answer, err := b.on(kube.ServiceAccount, "default").Create(ctx, request, metav1.CreateOptions{}, "token")
	b.check(err, "ask for a token")
	token, _, err := unstructured.NestedString(answer.Object, "status", "token")
	b.check(err, "read the token")
	return token
}

// grant makes the published ClusterRole under a name of the account's own and binds it.
func (b *Bed) grant(account, role string) {
	b.t.Helper()
	_, file, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "examples", "rbac", role+".yaml"))
	b.check(err, "read the published ClusterRole")
	name := account + "-" + strings.ReplaceAll(role, "_", "-")
	object := &objects.Object{}
	b.check(yaml.Unmarshal(text, &object.Object), "read the published ClusterRole")
	object.SetName(name)
	renamed, err := yaml.Marshal(object.Object)
	b.check(err, "write YAML")
	b.Make(ClusterRole, "", string(renamed))
	b.Make(ClusterBinding, "", fmt.Sprintf(`{metadata: {name: %[1]q}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]q},
  subjects: [{kind: ServiceAccount, namespace: default, name: %[2]q}]}`, name, account))
	b.t.Cleanup(func() {
		b.Begin(ClusterBinding, "", name)
		b.Begin(ClusterRole, "", name)
	})
}

func (b *Bed) writeKubeconfig(account Account) string {
	b.t.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "account",
		"clusters": []any{map[string]any{"name": "bed", "cluster": map[string]any{"server": account.Host, "certificate-authority-data": []byte(account.CA)}}},
		"contexts": []any{map[string]any{"name": "account", "context": map[string]any{"cluster": "bed", "user": "account"}}},
		"users":    []any{map[string]any{"name": "account", "user": map[string]any{"token": account.Token}}},
	})
	b.check(err, "write YAML")
	path := filepath.Join(b.t.TempDir(), "kubeconfig")
	b.check(os.WriteFile(path, text, 0o600), "write the kubeconfig")
	return path
}
