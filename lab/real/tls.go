package real

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

// Certificates holds the paths of a server's TLS files: the certificate of the authority, and the server's
// certificate and private key.
type Certificates struct {
	CA, Cert, Key string
}

// MakeCertificates creates a certificate authority and a server certificate for localhost, 127.0.0.1 and the given
// addresses. The authority's private key is not kept, because it signs only this certificate.
func MakeCertificates(dir string, addresses ...net.IP) (Certificates, error) {
	paths := Certificates{
		CA:   filepath.Join(dir, "ca.pem"),
		Cert: filepath.Join(dir, "server.pem"),
		Key:  filepath.Join(dir, "server.key"),
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ironworks test CA"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(0, 0, 7),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: append([]net.IP{net.IPv4(127, 0, 0, 1)}, addresses...),
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return paths, fmt.Errorf("making the key of the certificate authority: %w", err)
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return paths, fmt.Errorf("making the server's key: %w", err)
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return paths, fmt.Errorf("making the certificate authority: %w", err)
	}
	serverDER, err := x509.CreateCertificate(rand.Reader, server, ca, &serverKey.PublicKey, caKey)
	if err != nil {
		return paths, fmt.Errorf("making the server's certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		return paths, fmt.Errorf("encoding the server's key: %w", err)
	}
	for _, file := range []struct {
		path, kind string
		der        []byte
	}{
		{paths.CA, "CERTIFICATE", caDER},
		{paths.Cert, "CERTIFICATE", serverDER},
		{paths.Key, "PRIVATE KEY", keyDER},
	} {
		block := pem.EncodeToMemory(&pem.Block{Type: file.kind, Bytes: file.der})
		if err := os.WriteFile(file.path, block, 0o600); err != nil {
			return paths, fmt.Errorf("writing a certificate: %w", err)
		}
	}
	return paths, nil
}
