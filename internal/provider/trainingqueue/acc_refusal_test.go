// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package trainingqueue_test

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

func TestWrongValuesAreRefusedAtTheirAttribute(t *testing.T) {
	const gpu = "nvidia.com/gpu"
	for _, c := range []struct{ name, config, path, want string }{
		{"a name that is no label", `"name":"P_0"`, "name", `"P_0" is not a DNS label`},
		{"a name that is too long", `"name":"` + strings.Repeat("q", 64) + `"`, "name", "64 characters, the most is 63"},
		{"a quantity that is none", `"capability":{"cpu":"many"}`, `capability["cpu"]`, `"many" is not a quantity`},
		{"a negative quantity", `"deserved":{"cpu":"-1"}`, `deserved["cpu"]`, `"-1" is negative`},
		{"a quantity that is too large", `"capability":{"cpu":"1e19"}`, `capability["cpu"]`, "more than a quantity can hold"},
		{"half a device", `"capability":{"` + gpu + `":"1500m"}`, `capability["` + gpu + `"]`, "is not a whole number"},
		{"a resource that is no name", `"capability":{"a b":"1"}`, `capability["a b"]`, "is not a resource name"},
		{"no quantities at all", `"capability":{}`, "capability", "at least 1"},
		{"guarantee over deserved", `"deserved":{"cpu":"1"},"guarantee":{"cpu":"2"}`, `guarantee["cpu"]`, "2 is more than deserved, which is 1"},
		{"guarantee over capability", `"capability":{"cpu":"1500m"},"deserved":{"cpu":"1"},"guarantee":{"cpu":"2"}`, `guarantee["cpu"]`, "2 is more than capability, which is 1500m"},
		{"guarantee without deserved", `"guarantee":{"cpu":"1"}`, `guarantee["cpu"]`, "the queue deserves no cpu"},
		{"deserved over capability", `"capability":{"memory":"1Ti"},"deserved":{"memory":"1025Gi"}`, `deserved["memory"]`, "1025Gi is more than capability"},
		{"a share over capability", `"capability":{"cpu":"4"},"share":{"percent":50,"of":{"cpu":"10"}}`, `share.of["cpu"]`, "more than capability"},
		{"more than 100 percent", `"share":{"percent":101,"of":{"cpu":"10"}}`, "share.percent", "between 1 and 100"},
		{"no percent", `"share":{"percent":0,"of":{"cpu":"10"}}`, "share.percent", "between 1 and 100"},
		{"a share of nothing that can be counted", `"share":{"percent":10,"of":{"cpu":"x"}}`, `share.of["cpu"]`, "is not a quantity"},
		{"a share beside deserved", `"deserved":{"cpu":"1"},"share":{"percent":10,"of":{"cpu":"10"}}`, "deserved", "the share already says"},
		{"a negative weight", `"weight":-1`, "weight", "between 1 and 65535"},
		{"a weight that is too large", `"weight":65536`, "weight", "between 1 and 65535"},
		{"a parent that is no label", `"parent":"A"`, "parent", "is not a DNS label"},
		{"itself as parent", `"parent":"p0"`, "parent", "is the queue itself"},
		{"a priority that is too large", `"priority":2147483648`, "priority", "between"},
		{"another state", `"state":"ajar"`, "state", "must be one of"},
		{"a priority value of the system", `"priority_class":{"name":"p0","value":1000000001}`, "priority_class.value", "at most 1000000000|and 1000000000"},
		{"a class that is no name", `"priority_class":{"name":"P0","value":1}`, "priority_class.name", "is not a DNS name"},
		{"another preemption policy", `"priority_class":{"name":"p0","value":1,"preemption_policy":"Always"}`, "priority_class.preemption_policy", "must be one of"},
		{"a label of ours", `"labels":{"trainyard.io/owner":"me"}`, `labels["trainyard.io/owner"]`, "is set by Trainyard"},
		{"a connection of two forms", `"cluster":{"host":"https://h","kubeconfig_path":"k"}`, "cluster.host", "kubeconfig_path is given as well"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := c.config
			if !strings.HasPrefix(config, `"name"`) {
				config = `"name":"p0",` + config
			}
			problems := acctest.NewProtocol(t).Validate("trainyard_training_queue", "{"+config+"}")
			for _, problem := range problems {
				if problem.Path == c.path && regexp.MustCompile(c.want).MatchString(problem.Text) {
					return
				}
			}
			t.Errorf("the problems are %q, want one at %s like %q", problems, c.path, c.want)
		})
	}
}

func TestAccUnknownParentIsRefusedAtPlan(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: queue(account, name, fmt.Sprintf("parent = %q", name+"-above")), PlanOnly: true,
				ExpectError: regexp.MustCompile(`(?s)Invalid parent of a queue.*there is no queue "` + name + `-above"`),
			},
			{ // a parent that the same configuration makes
				Config: queue(account, name, "parent = trainyard_training_queue.above.name") + fmt.Sprintf(`
resource "trainyard_training_queue" "above" {
  name = %q
}
`, name+"-above"),
			},
		},
	})
}

func TestAccWrongValuesFailThePlanTogether(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config:   queue(account, name, `capability = { cpu = "1", memory = "some" }`+"\n  guarantee = { cpu = \"2\" }"),
			PlanOnly: true,
			ExpectError: regexp.MustCompile(`(?s)Invalid capability\["memory"\] of a queue.*"some" is not a quantity.*` +
				`Invalid guarantee\["cpu"\] of a queue.*2 is more than capability, which is 1`),
		}},
	})
}

func TestAccQueueIsImportedByIdentity(t *testing.T) {
	bed := acctest.New(t)
	account, name := bed.Account(role), acctest.Name("acc-queue")
	bed.Make(kube.Queue, "", fmt.Sprintf("{metadata: {name: %q}, spec: {weight: 3}}", name))
	t.Cleanup(func() { remove(bed, name) })
	p := acctest.NewProtocol(t)
	p.Configure(fmt.Sprintf(`{"cluster":{"host":%q,"ca":%q},"token":%q}`, account.Host, account.CA, account.Token))
	attributes, identity := p.ImportByIdentity("trainyard_training_queue", name)
	if identity != name {
		t.Errorf("the identity is %q, want %q", identity, name)
	}
	weight := new(big.Float)
	if err := attributes["weight"].As(&weight); err != nil || weight.Cmp(big.NewFloat(3)) != 0 {
		t.Errorf("the weight is %v, %v, want 3", weight, err)
	}
}
