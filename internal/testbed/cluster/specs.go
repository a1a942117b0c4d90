// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"strconv"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/node"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
)

// The names of the listeners, each on a port of its own.
const (
	portAPI       = "kube-apiserver"
	portEtcd      = "etcd"
	portEtcdPeer  = "etcd-peer"
	portManager   = "kube-controller-manager"
	portScheduler = "kube-scheduler"
	portKwok      = "kwok"
	portWebhook   = "vc-webhook-manager"
)

var listeners = []string{portAPI, portEtcd, portEtcdPeer, portManager, portScheduler, portKwok, portWebhook}

// leaseLimit is the number of nodes above which the renewals of node leases
// would keep a small machine busy: kwok then renews none, and the controller
// that would miss them is off.
const leaseLimit = 1000

// plan turns a state into the programs that make it up.
type plan struct {
	folder
	state    *State
	binaries map[string]string
}

func (p plan) withoutLeases() bool { return node.Total(p.state.Pools) > leaseLimit }

func (p plan) spec(name string, args ...string) process.Spec {
	return process.Spec{Name: name, Path: p.binaries[name], Args: args, Log: p.path(logDir, name+".log")}
}

func (p plan) port(name string) string { return strconv.Itoa(p.state.Ports[name]) }

func (p plan) pki(file string) string { return p.path(pkiDir, file) }

func (p plan) etcd() process.Spec {
	client := "https://" + loopback(p.state.Ports[portEtcd])
	peer := "https://" + loopback(p.state.Ports[portEtcdPeer])
	return p.spec("etcd",
		"--name=testbed",
		"--data-dir="+p.path(etcdDir),
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer,
		"--initial-cluster=testbed="+peer,
		"--cert-file="+p.pki("etcd.crt"), "--key-file="+p.pki("etcd.key"),
		"--trusted-ca-file="+p.pki("ca.crt"), "--client-cert-auth",
		"--peer-cert-file="+p.pki("etcd.crt"), "--peer-key-file="+p.pki("etcd.key"),
		"--peer-trusted-ca-file="+p.pki("ca.crt"), "--peer-client-cert-auth",
		"--unsafe-no-fsync",
		"--quota-backend-bytes="+strconv.Itoa(8<<30),
		"--auto-compaction-mode=revision", "--auto-compaction-retention=10000",
	)
}

func (p plan) apiServer() process.Spec {
	args := []string{
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		"--secure-port=" + p.port(portAPI),
		"--cert-dir=" + p.path(pkiDir),
		"--tls-cert-file=" + p.pki("kube-apiserver.crt"), "--tls-private-key-file=" + p.pki("kube-apiserver.key"),
		"--client-ca-file=" + p.pki("ca.crt"),
		"--etcd-servers=https://" + loopback(p.state.Ports[portEtcd]),
		"--etcd-cafile=" + p.pki("ca.crt"),
		"--etcd-certfile=" + p.pki("apiserver-etcd-client.crt"), "--etcd-keyfile=" + p.pki("apiserver-etcd-client.key"),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + p.pki("service-account.crt"),
		"--service-account-signing-key-file=" + p.pki("service-account.key"),
		"--service-cluster-ip-range=" + serviceCIDR,
		"--endpoint-reconciler-type=none",
		"--requestheader-client-ca-file=" + p.pki("ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + p.pki("front-proxy-client.crt"),
		"--proxy-client-key-file=" + p.pki("front-proxy-client.key"),
		"--allow-privileged",
		"--max-requests-inflight=1600", "--max-mutating-requests-inflight=800",
	}
	if p.state.Audit {
		args = append(args,
			"--audit-policy-file="+p.path(configDir, auditPolicyFile),
			"--audit-log-path="+p.path(logDir, "audit.log"),
			"--audit-log-mode=batch",
		)
	}
	return p.spec("kube-apiserver", args...)
}

func (p plan) controllerManager() process.Spec {
	args := append(p.kubernetesClient("kube-controller-manager", portManager),
		"--use-service-account-credentials",
		"--root-ca-file="+p.pki("ca.crt"),
		"--service-account-private-key-file="+p.pki("service-account.key"),
		"--cluster-signing-cert-file="+p.pki("ca.crt"), "--cluster-signing-key-file="+p.pki("ca.key"),
		// A benchmark deletes a thousand namespaces at once.
		"--kube-api-qps=2000", "--kube-api-burst=4000",
		"--concurrent-namespace-syncs=50", "--concurrent-resource-quota-syncs=20",
		"--concurrent-serviceaccount-token-syncs=20", "--concurrent-gc-syncs=50",
	)
	if p.withoutLeases() {
		args = append(args, "--controllers=*,-node-lifecycle-controller")
	}
	return p.spec("kube-controller-manager", args...)
}

func (p plan) scheduler() process.Spec {
	return p.spec("kube-scheduler", append(p.kubernetesClient("kube-scheduler", portScheduler),
		"--kube-api-qps=1000", "--kube-api-burst=2000")...)
}

// kubernetesClient are the flags that the controller manager and the scheduler
// share.
func (p plan) kubernetesClient(user, port string) []string {
	kubeconfig := p.kubeconfig(user)
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--leader-elect=false",
		"--bind-address=127.0.0.1", "--secure-port=" + p.port(port),
		"--cert-dir=" + p.path(pkiDir, user),
	}
}

func (p plan) kwok() process.Spec {
	lease := 40
	if p.withoutLeases() {
		lease = 0
	}
	return p.spec("kwok",
		"--kubeconfig="+p.kubeconfig("kwok"),
		"--config="+p.path(configDir, kwokConfigFile),
		"--server-address="+loopback(p.state.Ports[portKwok]),
		"--manage-all-nodes=false",
		fmt.Sprintf("--manage-nodes-with-annotation-selector=%s=%s", node.KwokAnnotation, node.KwokValue),
		"--node-lease-duration-seconds="+strconv.Itoa(lease),
		"--node-ip=127.0.0.1",
	)
}
