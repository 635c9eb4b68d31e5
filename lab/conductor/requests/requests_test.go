package requests

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCertificateFaults(t *testing.T) {
	t.Parallel()
	now := time.Now()
	at := func(from, until time.Duration) *x509.Certificate {
		return &x509.Certificate{NotBefore: now.Add(from), NotAfter: now.Add(until)}
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{x509.CertificateInvalidError{Cert: at(time.Hour, 2*time.Hour), Reason: x509.Expired}, "certificate is not yet valid"},
		{x509.CertificateInvalidError{Cert: at(-2*time.Hour, -time.Hour), Reason: x509.Expired}, "certificate has expired"},
		{x509.UnknownAuthorityError{}, "self-signed certificate"},
		{x509.HostnameError{Certificate: at(0, 0), Host: "127.0.0.1"}, "not valid for '127.0.0.1'"},
		{errors.New("something else"), ""},
	} {
		got := certificateFault(fmt.Errorf("calling: %w", test.err))
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
}
