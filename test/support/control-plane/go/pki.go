package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// A run of the tests is shorter than this.
const validFor = 30 * 24 * time.Hour

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// runPki writes NAME.crt and NAME.key for every part, signed by ca.crt, into the directory named by its only argument.
func runPki() int {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: control-plane pki DIR")
		return 2
	}
	if err := writePki(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pki:", err)
		return 1
	}
	return 0
}

func writePki(dir string) error {
	ca, err := newAuthority(dir, "ca")
	if err != nil {
		return err
	}
	if _, err := newAuthority(dir, "front-proxy-ca"); err != nil {
		return err
	}
	// Nobody trusts this one: a client that accepts it does not verify.
	stranger, err := newAuthority(dir, "stranger-ca")
	if err != nil {
		return err
	}
	loopback := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)}
	names := []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	for _, one := range []struct {
		name, commonName, organization string
		signer                         authority
	}{
		{"apiserver", "kube-apiserver", "", ca},
		{"webhook", "webhook", "", ca},
		{"stranger", "stranger", "", stranger},
		{"admin", "admin", "system:masters", ca},
		{"kube-scheduler", "system:kube-scheduler", "", ca},
		{"kube-controller-manager", "system:kube-controller-manager", "", ca},
	} {
		subject := pkix.Name{CommonName: one.commonName}
		if one.organization != "" {
			subject.Organization = []string{one.organization}
		}
		template := &x509.Certificate{
			Subject:     subject,
			KeyUsage:    x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
			IPAddresses: loopback,
			DNSNames:    names,
		}
		if _, err := issue(dir, one.name, template, &one.signer); err != nil {
			return err
		}
	}
	return writeServiceAccountKey(dir)
}

func newAuthority(dir, name string) (authority, error) {
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
	}
	return issue(dir, name, template, nil)
}

// issue makes a key and a certificate signed by the authority, or by itself when there is none, and writes both.
func issue(dir, name string, template *x509.Certificate, by *authority) (authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return authority{}, err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-time.Minute)
	template.NotAfter = time.Now().Add(validFor)
	signer := authority{template, key}
	if by != nil {
		signer = *by
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.certificate, &key.PublicKey, signer.key)
	if err != nil {
		return authority{}, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return authority{}, err
	}
	if err := writePem(dir, name+".crt", "CERTIFICATE", der); err != nil {
		return authority{}, err
	}
	return authority{certificate, key}, writeKey(dir, name+".key", key)
}

func writeServiceAccountKey(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := writePem(dir, "service-account.pub", "PUBLIC KEY", public); err != nil {
		return err
	}
	return writeKey(dir, "service-account.key", key)
}

func writeKey(dir, name string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePem(dir, name, "EC PRIVATE KEY", der)
}

func writePem(dir, name, kind string, der []byte) error {
	return os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
