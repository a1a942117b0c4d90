// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package pki makes the certificates of a testbed: one authority of its own and
// what it signs. Everything is ECDSA P-256 and outlives any testbed.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

const lifetime = 10 * 365 * 24 * time.Hour

// Pair is a certificate and its private key, PEM encoded.
type Pair struct {
	Cert, Key []byte
}

// Authority is a certificate authority.
type Authority struct {
	Pair
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Request says what a certificate is for.
type Request struct {
	// CommonName is the user name the API server sees.
	CommonName string
	// Organization holds the groups the API server sees.
	Organization []string
	// Hosts are the DNS names and IP addresses of a server; none for a client.
	Hosts []string
}

// NewAuthority makes a self-signed authority.
func NewAuthority(commonName string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make the key of authority %q: %w", commonName, err)
	}
	template, err := newTemplate(Request{CommonName: commonName})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = nil
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("cannot sign authority %q: %w", commonName, err)
	}
	return newAuthority(der, key)
}

// LoadAuthority reads an authority that NewAuthority made.
func LoadAuthority(pair Pair) (*Authority, error) {
	certBlock, _ := pem.Decode(pair.Cert)
	keyBlock, _ := pem.Decode(pair.Key)
	if certBlock == nil || keyBlock == nil {
		return nil, errors.New("cannot read the authority: no PEM block")
	}
	key, err := x509.ParseECPrivateKey(keyBlock.Bytes)
	if err != nil {
		return nil, fmt.Errorf("cannot read the authority's key: %w", err)
	}
	return newAuthority(certBlock.Bytes, key)
}

func newAuthority(der []byte, key *ecdsa.PrivateKey) (*Authority, error) {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("cannot read the authority's certificate: %w", err)
	}
	pair, err := encode(der, key)
	if err != nil {
		return nil, err
	}
	return &Authority{Pair: pair, cert: cert, key: key}, nil
}

// Issue signs a certificate with a new key. With hosts it serves as a server's
// and a client's certificate, as etcd wants of its peers.
func (a *Authority) Issue(request Request) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("cannot make the key of %q: %w", request.CommonName, err)
	}
	template, err := newTemplate(request)
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("cannot sign the certificate of %q: %w", request.CommonName, err)
	}
	return encode(der, key)
}

func newTemplate(request Request) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("cannot draw a serial number: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: request.CommonName, Organization: request.Organization},
		NotBefore:    now.Add(-time.Minute),
		NotAfter:     now.Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if len(request.Hosts) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	for _, host := range request.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
			continue
		}
		template.DNSNames = append(template.DNSNames, host)
	}
	return template, nil
}

func encode(der []byte, key *ecdsa.PrivateKey) (Pair, error) {
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("cannot encode a private key: %w", err)
	}
	return Pair{
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

// Write writes the pair to base.crt and base.key; the key is for its owner only.
func (p Pair) Write(base string) error {
	if err := os.WriteFile(base+".crt", p.Cert, 0o644); err != nil {
		return fmt.Errorf("cannot write a certificate: %w", err)
	}
	if err := os.WriteFile(base+".key", p.Key, 0o600); err != nil {
		return fmt.Errorf("cannot write a private key: %w", err)
	}
	return nil
}

// Read reads the pair that Write wrote.
func Read(base string) (Pair, error) {
	cert, err := os.ReadFile(base + ".crt")
	if err != nil {
		return Pair{}, fmt.Errorf("cannot read a certificate: %w", err)
	}
	key, err := os.ReadFile(base + ".key")
	if err != nil {
		return Pair{}, fmt.Errorf("cannot read a private key: %w", err)
	}
	return Pair{Cert: cert, Key: key}, nil
}
