package serve

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"
)

// TLS configures the server's certificate.
type TLS struct {
	// CertFile and KeyFile are the paths of PEM files. If both are empty, a self-signed certificate is generated for
	// Hosts and the listen address. The key of a generated certificate is never stored.
	CertFile, KeyFile string
	// Hosts lists the names and addresses by which clients reach the server.
	Hosts []string
}

const (
	// certificateLife is the validity period of a generated certificate, and thus the longest time for which a server
	// can run. Validity starts certificateAge before the creation, because the clocks of BMCs are often wrong.
	certificateLife = 30 * 24 * time.Hour
	certificateAge  = 24 * time.Hour
)

func (t TLS) load(at net.Addr) (*tls.Certificate, error) {
	if t.CertFile != "" {
		c, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("read the certificate: %w", err)
		}
		return &c, nil
	}
	hosts := slices.Clone(t.Hosts)
	if tcp, ok := at.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		hosts = append(hosts, tcp.IP.String())
	}
	if len(hosts) == 0 {
		return nil, errors.New("a certificate needs the names or addresses that clients use")
	}
	return makeCertificate(hosts)
}

// makeCertificate generates a self-signed certificate for hosts, with RSA, as older BMCs support nothing else.
func makeCertificate(hosts []string) (*tls.Certificate, error) {
	fail := func(err error) (*tls.Certificate, error) { return nil, fmt.Errorf("create a certificate: %w", err) }
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fail(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "ironworks " + hosts[0]},
		NotBefore: now.Add(-certificateAge), NotAfter: now.Add(certificateLife),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		// Mark the certificate as a CA, so that clients can import it as one.
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return fail(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// Certificate returns the server's certificate in PEM format. It returns nil if the server uses HTTP.
func (s *Server) Certificate() []byte {
	if s.certificate == nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.certificate.Certificate[0]})
}

// Fingerprint returns the certificate's SHA-256 fingerprint in hexadecimal, as BMCs show it, or "" for HTTP.
func (s *Server) Fingerprint() string {
	if s.certificate == nil {
		return ""
	}
	sum := sha256.Sum256(s.certificate.Certificate[0])
	return hex.EncodeToString(sum[:])
}
