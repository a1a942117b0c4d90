// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vision returns a team with every part set and nothing wrong in it.
func vision() Team {
	claims, password := int64(20), "hunter2"
	return Team{
		Name:        "team-vision",
		Labels:      map[string]string{"stage": "research"},
		Annotations: map[string]string{"example.com/contact": "vision@example.com"},
		CostCenter:  "cc-4711",
		Queue:       "research",
		PodSecurity: PodSecurity{Enforce: LevelBaseline, Audit: LevelRestricted, Warn: LevelRestricted, Version: VersionLatest},
		Quota: Quota{
			Requests: Resources{"cpu": "512", "memory": "4Ti", "nvidia.com/gpu": "64", "nvidia.com/mig-1g.10gb": "14", "hugepages-2Mi": "1Gi"},
			Limits:   Resources{"cpu": "1k", "memory": "4Ti"},
			Objects:  map[string]int64{"pods": 500, "services.loadbalancers": 0, "count/jobs.batch": 100},
			Storage: StorageQuota{
				StorageAmount: StorageAmount{Total: "100Ti", Claims: &claims},
				Classes:       map[string]StorageAmount{"fast-nvme": {Total: "10Ti"}, "ceph.rbd": {Claims: &claims}},
			},
		},
		Limits: Limits{
			Container: ContainerLimits{
				Default:        Resources{"cpu": "2", "memory": "8Gi"},
				DefaultRequest: Resources{"cpu": "1", "memory": "4Gi"},
				Min:            Resources{"cpu": "10m"},
				Max:            Resources{"cpu": "96", "memory": "1Ti", "nvidia.com/gpu": "8"},
				MaxRatio:       Resources{"cpu": "4"},
			},
			Pod:   PodLimits{Max: Resources{"nvidia.com/gpu": "8"}},
			Claim: ClaimLimits{Min: "1Gi", Max: "10Ti"},
		},
		Members: Members{
			Admins:        {Users: []string{"ada@example.com"}},
			Engineers:     {Groups: []string{"vision"}, ServiceAccounts: []string{"runner", "ci/deployer"}},
			DataEngineers: {Groups: []string{"data"}},
			Viewers:       {Groups: []string{"system:authenticated"}},
		},
		Network: Network{
			DefaultDeny: true, DNS: true, SameNamespace: true,
			IngressNamespaces: []string{"monitoring"},
			EgressNamespaces:  []string{"storage"},
			IngressCIDRs:      map[string]Block{"10.0.0.0/8": {}},
			EgressCIDRs: map[string]Block{
				"0.0.0.0/0": {Except: []string{"169.254.169.254/32"}, Ports: []string{"443", "30000-32767/UDP"}},
				"fd00::/8":  {},
			},
		},
		Registry: &Registry{Server: "registry.example.com:5000", Username: "robot$vision", Password: &password, PasswordVersion: "1"},
	}
}

func TestGoodTeamIsAccepted(t *testing.T) {
	for name, team := range map[string]Team{
		"with every part": vision(),
		"with a name alone": {
			Name:        "t",
			PodSecurity: PodSecurity{Enforce: LevelPrivileged, Audit: LevelPrivileged, Warn: LevelPrivileged, Version: "v1.36"},
			Network:     Network{DNS: true, SameNamespace: true},
		},
	} {
		if v := team.Validate(); len(v) > 0 {
			t.Errorf("a team %s: %v", name, v)
		}
	}
}

func TestWrongTeamIsRefusedWithPathCauseAndRemedy(t *testing.T) {
	minusOne, empty := int64(-1), ""
	for _, c := range []struct {
		name string
		edit func(*Team)
		want []string
	}{
		{"a name of 64 characters", func(t *Team) { t.Name = strings.Repeat("x", 64) }, []string{
			"name: the name has 64 characters, the most is 63. " + LabelNameRemedy,
		}},
		{"a namespace of Kubernetes", func(t *Team) { t.Name = "kube-system" }, []string{
			`name: the namespace "kube-system" belongs to Kubernetes itself. Give the team a namespace of its own, such as "team-vision"`,
		}},
		{"labels that are not the user's", func(t *Team) {
			t.Labels = map[string]string{
				"app.kubernetes.io/managed-by": "me", "trainyard.io/owner": "me", "trainyard.io/cost-center": "x",
				"pod-security.kubernetes.io/enforce": "privileged", "app.kubernetes.io/part-of": "vision",
			}
		}, []string{
			`labels["app.kubernetes.io/managed-by"]: "app.kubernetes.io/managed-by" is set by Trainyard or by Kubernetes itself. Remove it`,
			`labels["pod-security.kubernetes.io/enforce"]: "pod-security.kubernetes.io/enforce" is set by Trainyard or by Kubernetes itself. Use pod_security.enforce`,
			`labels["trainyard.io/cost-center"]: "trainyard.io/cost-center" is set by Trainyard or by Kubernetes itself. Use cost_center`,
			`labels["trainyard.io/owner"]: "trainyard.io/owner" is set by Trainyard or by Kubernetes itself. Remove it`,
		}},
		{"a malformed label and annotation", func(t *Team) {
			t.Labels = map[string]string{"a b": "c", "stage": "a b"}
			t.Annotations = map[string]string{"a b": "any text at all", "scheduling.volcano.sh/queue-name": "q"}
		}, []string{
			`labels["a b"]: "a b" is not a key. Use a name such as "stage" or "example.com/stage"`,
			`labels["stage"]: "a b" is not the value of a label. Use at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends`,
			`annotations["a b"]: "a b" is not a key. Use a name such as "stage" or "example.com/stage"`,
			`annotations["scheduling.volcano.sh/queue-name"]: "scheduling.volcano.sh/queue-name" is set by Trainyard or by Kubernetes itself. Use queue`,
		}},
		{"a cost center and a queue that are no names", func(t *Team) { t.CostCenter, t.Queue = "R&D", "P 0" }, []string{
			`cost_center: "R&D" is not the value of a label. Use at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends`,
			`queue: "P 0" cannot be the name of a queue. Give the name of a Volcano queue, such as "research"`,
		}},
		{"unknown Pod Security", func(t *Team) { t.PodSecurity = PodSecurity{"strict", LevelBaseline, "", "1.36"} }, []string{
			`pod_security.enforce: "strict" is not a Pod Security level. Use one of privileged, baseline, restricted`,
			`pod_security.warn: "" is not a Pod Security level. Use one of privileged, baseline, restricted`,
			`pod_security.version: "1.36" is not a version of Kubernetes. Use "latest" or a minor version such as "v1.36"`,
		}},
		{"devices in the limits of the quota", func(t *Team) { t.Quota.Limits = Resources{"nvidia.com/gpu": "8"} }, []string{
			`quota.limits["nvidia.com/gpu"]: a device is bounded by its requests only: Kubernetes has no limits.nvidia.com/gpu. Use quota.requests["nvidia.com/gpu"]`,
		}},
		{"prefixes in the quota", func(t *Team) {
			t.Quota.Requests = Resources{"requests.nvidia.com/gpu": "8", "limits.nvidia.com/gpu": "8", "limits.cpu": "1"}
			t.Quota.Limits = Resources{"requests.cpu": "1"}
		}, []string{
			`quota.requests["limits.cpu"]: "limits.cpu" carries a prefix that quota.requests and quota.limits stand for. Use quota.limits["cpu"]`,
			`quota.requests["limits.nvidia.com/gpu"]: "limits.nvidia.com/gpu" carries a prefix that quota.requests and quota.limits stand for. Use quota.requests["nvidia.com/gpu"]`,
			`quota.requests["requests.nvidia.com/gpu"]: "requests.nvidia.com/gpu" carries a prefix that quota.requests and quota.limits stand for. Use quota.requests["nvidia.com/gpu"]`,
			`quota.limits["requests.cpu"]: "requests.cpu" carries a prefix that quota.requests and quota.limits stand for. Use quota.requests["cpu"]`,
		}},
		{"a quota in the wrong attribute", func(t *Team) {
			t.Quota = Quota{
				Requests: Resources{"storage": "1Ti", "pods": "1", "gold.storageclass.storage.k8s.io/requests.storage": "1Ti"},
				Objects: map[string]int64{
					"persistentvolumeclaims": 1, "nvidia.com/gpu": 8, "requests.cpu": 1,
					"gold.storageclass.storage.k8s.io/persistentvolumeclaims": 1,
				},
			}
		}, []string{
			`quota.requests["gold.storageclass.storage.k8s.io/requests.storage"]: requests.gold.storageclass.storage.k8s.io/requests.storage is not a resource that a ResourceQuota knows. Use quota.storage.classes["gold"].total`,
			`quota.requests["pods"]: requests.pods is not a resource that a ResourceQuota knows. Use quota.objects["pods"]`,
			`quota.requests["storage"]: requests.storage is not a resource that a ResourceQuota knows. Use quota.storage.total`,
			`quota.objects["gold.storageclass.storage.k8s.io/persistentvolumeclaims"]: "gold.storageclass.storage.k8s.io/persistentvolumeclaims" is not a kind of object that a quota counts. Use quota.storage.classes["gold"].claims`,
			`quota.objects["nvidia.com/gpu"]: "nvidia.com/gpu" is not a kind of object that a quota counts. Use quota.requests["nvidia.com/gpu"]`,
			`quota.objects["persistentvolumeclaims"]: "persistentvolumeclaims" is not a kind of object that a quota counts. Use quota.storage.claims`,
			`quota.objects["requests.cpu"]: "requests.cpu" is not a kind of object that a quota counts. Use quota.requests["cpu"]`,
		}},
		{"a resource that nobody knows", func(t *Team) { t.Quota = Quota{Requests: Resources{"gpu": "8"}} }, []string{
			`quota.requests["gpu"]: requests.gpu is not a resource that a ResourceQuota knows. Use cpu, memory, ephemeral-storage, hugepages-<size> or a device such as nvidia.com/gpu in quota.requests; configmaps, pods, replicationcontrollers, resourcequotas, secrets, services, services.loadbalancers, services.nodeports or count/<resource>.<group> in quota.objects`,
		}},
		{"wrong amounts in the quota", func(t *Team) {
			t.Quota = Quota{
				Requests: Resources{"cpu": "many", "memory": "2Ti", "nvidia.com/gpu": "500m"},
				Limits:   Resources{"memory": "1Ti"},
				Objects:  map[string]int64{"pods": -1},
				Storage: StorageQuota{
					StorageAmount: StorageAmount{Total: "-1Gi", Claims: &minusOne},
					Classes:       map[string]StorageAmount{"Gold": {Total: "1Ti"}, "none": {}},
				},
			}
		}, []string{
			`quota.requests["cpu"]: "many" is not a quantity. ` + quantityRemedy,
			`quota.requests["nvidia.com/gpu"]: "500m" is not a whole number, and nvidia.com/gpu is counted in whole units. Give a whole number of devices`,
			`quota.requests["memory"]: 2Ti is more than quota.limits, which is 1Ti. Give at most 1Ti, or raise quota.limits`,
			`quota.objects["pods"]: -1 is negative. Give 0 or more`,
			`quota.storage.total: "-1Gi" is negative. ` + quantityRemedy,
			`quota.storage.claims: -1 is negative. Give 0 or more`,
			`quota.storage.classes["Gold"]: "Gold" cannot be the name of a storage class. Give the name of a StorageClass, such as "fast-nvme"`,
			`quota.storage.classes["none"]: the storage class "none" has no bound. Give total, claims or both, or remove the class`,
		}},
		{"limits out of order", func(t *Team) {
			t.Limits = Limits{
				Container: ContainerLimits{
					Min: Resources{"cpu": "4"}, DefaultRequest: Resources{"cpu": "2"}, Default: Resources{"cpu": "8"}, Max: Resources{"cpu": "3"},
				},
				Pod:   PodLimits{Min: Resources{"memory": "2Gi"}, Max: Resources{"memory": "1Gi"}},
				Claim: ClaimLimits{Min: "2Ti", Max: "1Ti"},
			}
		}, []string{
			`limits.container.min["cpu"]: 4 is more than limits.container.default_request, which is 2. Give at most 2, or raise limits.container.default_request`,
			`limits.container.min["cpu"]: 4 is more than limits.container.max, which is 3. Give at most 3, or raise limits.container.max`,
			`limits.container.default["cpu"]: 8 is more than limits.container.max, which is 3. Give at most 3, or raise limits.container.max`,
			`limits.pod.min["memory"]: 2Gi is more than limits.pod.max, which is 1Gi. Give at most 1Gi, or raise limits.pod.max`,
			`limits.claim.min: 2Ti is more than the largest claim, which is 1Ti. Give at most 1Ti, or raise limits.claim.max`,
		}},
		{"limits that cannot be met", func(t *Team) {
			t.Limits = Limits{
				Container: ContainerLimits{
					Default: Resources{"nvidia.com/gpu": "2"}, DefaultRequest: Resources{"nvidia.com/gpu": "1"},
					Min: Resources{"cpu": "1"}, Max: Resources{"cpu": "2", "pods": "3"},
					MaxRatio: Resources{"cpu": "3", "memory": "0.5", "storage": "2", "ephemeral-storage": "x"},
				},
				Claim: ClaimLimits{Min: "x", Max: "1Ti"},
			}
		}, []string{
			`limits.container.max["pods"]: "pods" is not a resource that a container can ask for. Use cpu, memory, ephemeral-storage, hugepages-<size> or a device such as nvidia.com/gpu`,
			`limits.container.default_request["nvidia.com/gpu"]: nvidia.com/gpu is never overcommitted, so its request must equal its limit, which is 2. Give 2, or leave it out`,
			`limits.container.max_limit_request_ratio["cpu"]: 3 is more than max divided by min. Give at most 2`,
			`limits.container.max_limit_request_ratio["ephemeral-storage"]: "x" is not a quantity. Write a number such as "2" or "1.5"`,
			`limits.container.max_limit_request_ratio["memory"]: a limit is never below its request, so the ratio 0.5 cannot be met. Give 1 or more`,
			`limits.container.max_limit_request_ratio["storage"]: "storage" is not a resource that a container can ask for. Use cpu, memory or ephemeral-storage`,
			`limits.claim.min: "x" is not a quantity. ` + quantityRemedy,
		}},
		{"wrong members", func(t *Team) {
			t.Members = Members{
				Admins:    {Users: []string{"ada", "", "ada", "system:serviceaccount:ci:deployer", "system:anonymous"}},
				Engineers: {Groups: []string{"vision ", "system:unauthenticated"}, ServiceAccounts: []string{"runner", "team-vision/runner", "a/b/c", "CI/x"}},
			}
		}, []string{
			`members.admins.users[1]: "" is empty or has spaces around it. Give the name exactly as the cluster's authentication gives it`,
			`members.admins.users[2]: "ada" is already given at members.admins.users[0]. Remove one of the two`,
			`members.admins.users[3]: "system:serviceaccount:ci:deployer" is a service account. Write "ci/deployer" in members.admins.service_accounts`,
			`members.admins.users[4]: "system:anonymous" is everyone who has not logged in. Name a person who logs in`,
			`members.engineers.groups[0]: "vision " is empty or has spaces around it. Give the name exactly as the cluster's authentication gives it`,
			`members.engineers.groups[1]: "system:unauthenticated" is everyone who has not logged in. Name a group of people who log in`,
			`members.engineers.service_accounts[1]: "team-vision/runner" is already given at members.engineers.service_accounts[0]. Remove one of the two`,
			`members.engineers.service_accounts[2]: "a/b/c" is not a service account. Write "namespace/name", or "name" for one in the team's own namespace`,
			`members.engineers.service_accounts[3]: "CI/x" is not a service account. Write "namespace/name", or "name" for one in the team's own namespace`,
		}},
		{"wrong openings", func(t *Team) {
			t.Network = Network{
				DefaultDeny: true, IngressNamespaces: []string{"Monitoring", "a", "a"},
				IngressCIDRs: map[string]Block{"10.0.0.1/8": {}, "10.1.0.0": {}},
				EgressCIDRs: map[string]Block{
					"192.168.0.0/16": {Except: []string{"10.0.0.0/8", "192.168.0.0/16", "192.168.1.1/24", "192.168.1.0/24"}},
					"::/0":           {Ports: []string{"443", "443/TCP", "0", "80-70", "53/udp", "http"}},
				},
			}
		}, []string{
			`network.ingress_namespaces[0]: "Monitoring" is not a DNS label. ` + LabelNameRemedy,
			`network.ingress_namespaces[2]: "a" is already given at network.ingress_namespaces[1]. Remove one of the two`,
			`network.ingress_cidrs["10.0.0.1/8"]: "10.0.0.1/8" is not the way to write the block 10.0.0.0/8. Write 10.0.0.0/8`,
			`network.ingress_cidrs["10.1.0.0"]: "10.1.0.0" is not a CIDR. Write an address and a length, such as "10.0.0.0/8" or "fd00::/8"`,
			`network.egress_cidrs["192.168.0.0/16"].except[0]: 10.0.0.0/8 is not a part of 192.168.0.0/16. Give a smaller block within 192.168.0.0/16`,
			`network.egress_cidrs["192.168.0.0/16"].except[1]: 192.168.0.0/16 is not a part of 192.168.0.0/16. Give a smaller block within 192.168.0.0/16`,
			`network.egress_cidrs["192.168.0.0/16"].except[2]: "192.168.1.1/24" is not the way to write the block 192.168.1.0/24. Write 192.168.1.0/24`,
			`network.egress_cidrs["::/0"].ports[1]: "443/TCP" is already given at network.egress_cidrs["::/0"].ports[0]. Remove one of the two`,
			`network.egress_cidrs["::/0"].ports[2]: "0" is not a port or a range of ports. Write "443", "53/UDP" or "30000-32767/TCP"`,
			`network.egress_cidrs["::/0"].ports[3]: the range "80-70" ends before it begins. Write "443", "53/UDP" or "30000-32767/TCP"`,
			`network.egress_cidrs["::/0"].ports[4]: "udp" is not a protocol: it is TCP, UDP or SCTP. Write "443", "53/UDP" or "30000-32767/TCP"`,
			`network.egress_cidrs["::/0"].ports[5]: "http" is not a port or a range of ports. Write "443", "53/UDP" or "30000-32767/TCP"`,
		}},
		{"openings where nothing is closed", func(t *Team) {
			t.Network = Network{SameNamespace: true, EgressNamespaces: []string{"a"}}
		}, []string{
			`network.dns: without default_deny everything is open, so this has no effect. Remove it, or set network.default_deny to true`,
			`network.egress_namespaces: without default_deny everything is open, so this has no effect. Remove it, or set network.default_deny to true`,
		}},
		{"a registry without credentials", func(t *Team) {
			t.Registry = &Registry{Server: "http://registry", Username: "a:b", Password: &empty}
		}, []string{
			`registry.server: "http://registry" is not a registry. Give the host that image names begin with, such as "registry.example.com:5000"`,
			`registry.username: a user name is not empty and has no colon in it. Give the name of a user or robot account`,
			`registry.password: the password is empty. Give the password or token`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			team := vision()
			c.edit(&team)
			var got []string
			for _, violation := range team.Validate() {
				got = append(got, violation.Error())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPasswordIsInNoViolation(t *testing.T) {
	team := vision()
	secret := "s3cr3t:\n\x00"
	team.Registry = &Registry{Password: &secret}
	for _, violation := range team.Validate() {
		if strings.Contains(violation.Error(), "s3cr3t") {
			t.Errorf("the password is in %q", violation.Error())
		}
	}
}
