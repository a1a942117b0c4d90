// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package pki_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/pki"
)

func parse(t *testing.T, pair pki.Pair) *x509.Certificate {
	t.Helper()
	if _, err := tls.X509KeyPair(pair.Cert, pair.Key); err != nil {
		t.Fatalf("certificate and key do not belong together: %v", err)
	}
	block, _ := pem.Decode(pair.Cert)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestIssuedCertificatesServeWhatTheyWereAskedFor(t *testing.T) {
	authority, err := pki.NewAuthority("authority")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.Cert)
	tests := map[string]struct {
		request pki.Request
		server  bool
	}{
		"client": {pki.Request{CommonName: "admin", Organization: []string{"system:masters"}}, false},
		"server": {pki.Request{CommonName: "etcd", Hosts: []string{"127.0.0.1", "localhost"}}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pair, err := authority.Issue(test.request)
			if err != nil {
				t.Fatal(err)
			}
			cert := parse(t, pair)
			if cert.Subject.CommonName != test.request.CommonName {
				t.Errorf("common name is %q", cert.Subject.CommonName)
			}
			if diff := cmp.Diff(test.request.Organization, cert.Subject.Organization); diff != "" {
				t.Errorf("organization (-want +got):\n%s", diff)
			}
			verify := func(usage x509.ExtKeyUsage) error {
				_, err := cert.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{usage}})
				return err
			}
			if err := verify(x509.ExtKeyUsageClientAuth); err != nil {
				t.Errorf("not good for a client: %v", err)
			}
			if err := verify(x509.ExtKeyUsageServerAuth); (err == nil) != test.server {
				t.Errorf("good for a server: %t, want %t", err == nil, test.server)
			}
			for _, host := range test.request.Hosts {
				if err := cert.VerifyHostname(host); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestAuthoritySignsAfterItWasReadBack(t *testing.T) {
	made, err := pki.NewAuthority("authority")
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(t.TempDir(), "ca")
	if err := made.Write(base); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(base + ".key")
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key has mode %v, want it for its owner only", info.Mode().Perm())
	}
	pair, err := pki.Read(base)
	if err != nil {
		t.Fatal(err)
	}
	read, err := pki.LoadAuthority(pair)
	if err != nil {
		t.Fatal(err)
	}
	issued, err := read.Issue(pki.Request{CommonName: "client"})
	if err != nil {
		t.Fatal(err)
	}
	if err := parse(t, issued).CheckSignatureFrom(parse(t, made.Pair)); err != nil {
		t.Error(err)
	}
}

func TestLoadAuthorityRefusesWhatIsNone(t *testing.T) {
	if _, err := pki.LoadAuthority(pki.Pair{Cert: []byte("x"), Key: []byte("y")}); err == nil {
		t.Error("an authority was read from text that holds none")
	}
}
