package agent

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

const (
	certificateAge  = time.Hour // how far back it is valid
	certificateLife = 30 * 24 * time.Hour
)

// newCertificate makes the certificate that the agent serves with and sends
// along, for the address under which conductors reach it.
func newCertificate(host, name string, now time.Time) (tls.Certificate, string, error) {
	ip := net.ParseIP(host)
	if ip == nil {
		return tls.Certificate{}, "", fmt.Errorf("making a certificate: %q is no IP address", host)
	}
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("making a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 158))
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("making a serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:       serial,
		Subject:            pkix.Name{CommonName: name},
		NotBefore:          now.Add(-certificateAge),
		NotAfter:           now.Add(certificateLife),
		IPAddresses:        []net.IP{ip},
		SignatureAlgorithm: x509.ECDSAWithSHA512,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("making a certificate: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(text), nil
}
