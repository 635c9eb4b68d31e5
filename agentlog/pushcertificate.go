package agentlog

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// pushName is the name in the receiver's certificate. Senders expect it regardless of the receiver's address, so an
// image stays valid when the address changes. The name is never resolved.
const pushName = "journal.ironworks.invalid"

// pushCertificate consists of the receiver's certificate and its key.
type pushCertificate struct {
	tls tls.Certificate
	pem []byte
}

// certificate reads the receiver's certificate, or creates it. The certificate is self-signed, and the images pin it.
// It is valid at any time, so that a machine's wrong clock does not matter.
func (s *Images) certificate() (pushCertificate, error) {
	path := filepath.Join(s.dir, "receiver.pem")
	content, err := os.ReadFile(path) //nolint:gosec // our own folder
	if errors.Is(err, fs.ErrNotExist) {
		if content, err = newPushCertificate(); err == nil {
			err = writeWhole(path, content)
		}
		if errors.Is(err, fs.ErrExist) {
			err = nil // another console has just created it: use that certificate
		}
		if err == nil {
			content, err = os.ReadFile(path) //nolint:gosec // our own folder
		}
	}
	if err != nil {
		return pushCertificate{}, fmt.Errorf("the receiver's certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(content, content)
	if err != nil {
		return pushCertificate{}, fmt.Errorf("the receiver's certificate: reading %s: %w", path, err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	return pushCertificate{tls: pair, pem: public}, nil
}

// newPushCertificate returns a certificate and its key, in PEM.
func newPushCertificate() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: pushName}, DNSNames: []string{pushName},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return append(content, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...), nil
}
