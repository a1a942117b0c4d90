// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/pki"
)

const (
	clusterName = "trainyard-testbed"
	serviceCIDR = "10.96.0.0/22"
	serviceIP   = "10.96.0.1" // the first of serviceCIDR: the API server's own
	masters     = "system:masters"
)

// The clients of the API server. Kubernetes' own components get the users that
// RBAC's bootstrap policy expects; the rest are administrators.
var users = map[string]pki.Request{
	"admin":                   {CommonName: "testbed-admin", Organization: []string{masters}},
	"kube-controller-manager": {CommonName: "system:kube-controller-manager"},
	"kube-scheduler":          {CommonName: "system:kube-scheduler"},
	"kwok":                    {CommonName: "kwok-controller", Organization: []string{masters}},
	"volcano":                 {CommonName: "volcano", Organization: []string{masters}},
}

// servers are what is served on loopback, and the clients of etcd.
var servers = map[string]pki.Request{
	"kube-apiserver": {CommonName: "kube-apiserver", Hosts: []string{
		"127.0.0.1", "localhost", serviceIP, "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}},
	"etcd":                  {CommonName: "etcd", Hosts: []string{"127.0.0.1", "localhost"}},
	"apiserver-etcd-client": {CommonName: "kube-apiserver-etcd-client"},
	"front-proxy-client":    {CommonName: "front-proxy-client"},
	"volcano-webhook":       {CommonName: "volcano-webhook", Hosts: []string{"127.0.0.1", "localhost"}},
}

// credentials makes the authority, all certificates and all kubeconfigs, once.
func (f folder) credentials(apiPort int) error {
	authority, err := f.authority()
	if err != nil {
		return err
	}
	for name, request := range servers {
		if err := f.issue(authority, name, request); err != nil {
			return err
		}
	}
	for name, request := range users {
		if err := f.issue(authority, name, request); err != nil {
			return err
		}
		if err := f.writeKubeconfig(authority, name, apiPort); err != nil {
			return err
		}
	}
	return f.issue(authority, "service-account", pki.Request{CommonName: "service-account"})
}

func (f folder) authority() (*pki.Authority, error) {
	base := f.path(pkiDir, "ca")
	pair, err := pki.Read(base)
	if err == nil {
		return pki.LoadAuthority(pair)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	authority, err := pki.NewAuthority(clusterName)
	if err != nil {
		return nil, err
	}
	return authority, authority.Write(base)
}

func (f folder) issue(authority *pki.Authority, name string, request pki.Request) error {
	base := f.path(pkiDir, name)
	if _, err := pki.Read(base); err == nil {
		return nil
	}
	pair, err := authority.Issue(request)
	if err != nil {
		return err
	}
	return pair.Write(base)
}

// kubeconfig is the path of a user's kubeconfig: the administrator's lies where
// people look for it.
func (f folder) kubeconfig(user string) string {
	if user == "admin" {
		return f.path(kubeconfigFile)
	}
	return f.path(configDir, user+".kubeconfig")
}

func (f folder) writeKubeconfig(authority *pki.Authority, user string, apiPort int) error {
	pair, err := pki.Read(f.path(pkiDir, user))
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[clusterName] = &clientcmdapi.Cluster{
		Server:                   "https://" + loopback(apiPort),
		CertificateAuthorityData: authority.Cert,
	}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: pair.Cert, ClientKeyData: pair.Key}
	config.Contexts[clusterName] = &clientcmdapi.Context{Cluster: clusterName, AuthInfo: user}
	config.CurrentContext = clusterName
	data, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("cannot encode the kubeconfig of %s: %w", user, err)
	}
	if err := os.WriteFile(f.kubeconfig(user), data, 0o600); err != nil {
		return fmt.Errorf("cannot write the kubeconfig of %s: %w", user, err)
	}
	return nil
}

func loopback(port int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
