package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"ironworks/models"
)

func tlsConfig(t models.TLS, pinned string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: t.Insecure} //nolint:gosec // requested by verify: false
	bad := func(what, path string, err error) error {
		return &models.Fault{
			Kind: models.FaultConfig, Op: "read the " + what, Err: err,
			Message: fmt.Sprintf("%s %s: %v", what, path, err), Hint: "use a readable PEM file",
		}
	}
	if t.CACert != "" {
		pem, err := os.ReadFile(t.CACert)
		if err != nil {
			return nil, bad("CA certificate", t.CACert, err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, bad("CA certificate", t.CACert, errors.New("no certificate in the file"))
		}
	}
	if t.Cert != "" {
		key := t.Key
		if key == "" {
			key = t.Cert
		}
		pair, err := tls.LoadX509KeyPair(t.Cert, key)
		if err != nil {
			return nil, bad("client certificate", t.Cert, err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	if pinned != "" {
		pin(cfg, pinned)
	}
	return cfg, nil
}

// pin makes cfg accept only the certificate with the given fingerprint, whatever its issuer and content.
func pin(cfg *tls.Config, fingerprint string) {
	want := strings.ToUpper(strings.ReplaceAll(fingerprint, ":", ""))
	cfg.InsecureSkipVerify = true
	cfg.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return errors.New("no certificate sent")
		}
		cert := s.PeerCertificates[0]
		if got := Fingerprint(cert); strings.ReplaceAll(got, ":", "") != want {
			return &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{cert}, Err: errOther}
		}
		return nil
	}
}

// errOther reports a certificate other than the pinned one.
var errOther = errors.New("fingerprint mismatch")
