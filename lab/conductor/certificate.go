package conductor

import (
	"crypto/x509"
	"errors"
	"fmt"
	"time"
)

// certificateFault is what Python's ssl says of a certificate that was not
// believed; empty if that is not what went wrong.
func certificateFault(err error) string {
	var invalid x509.CertificateInvalidError
	var stranger x509.UnknownAuthorityError
	var name x509.HostnameError
	why := ""
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert.NotBefore.After(time.Now()):
		why = "certificate is not yet valid"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		why = "certificate has expired"
	case errors.As(err, &invalid):
		why = "invalid certificate"
	case errors.As(err, &stranger):
		why = "self-signed certificate"
	case errors.As(err, &name):
		why = fmt.Sprintf("IP address mismatch, certificate is not valid for '%s'", name.Host)
	default:
		return ""
	}
	return fmt.Sprintf("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: %s (_ssl.c:1016)'))", why)
}
