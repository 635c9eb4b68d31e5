package wire

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// Describe classifies err, which a connection to target has returned, and describes it in f. The argument what names
// the server in messages, for example "the API".
func Describe(f *models.Fault, err error, target, what string) {
	host := Host(target)
	var dns *net.DNSError
	var netErr net.Error
	var op *net.OpError
	var proxy proxyStatusError
	if errors.As(err, &op) && op.Op == proxyConnect {
		host = "the proxy (HTTP_PROXY, HTTPS_PROXY) in front of " + host
	}
	set := func(k models.FaultKind, hint, format string, args ...any) {
		f.Kind, f.Hint, f.Message = k, hint, printable.Line(fmt.Sprintf(format, args...))
	}
	switch {
	case describeTLS(f, err, host):
	case errors.Is(err, context.Canceled):
		set(models.FaultCanceled, "", "interrupted")
	case errors.As(err, &proxy):
		set(models.FaultBadAnswer, "check the proxy's credentials and rules, or add the host to NO_PROXY", "%s refused the connection: %s", host, proxy.Error())
	case errors.Is(err, errTooLarge):
		set(models.FaultBadAnswer, "", "%v", errTooLarge)
	case errors.As(err, &dns):
		set(models.FaultDNS, "check the host name and the resolver", "the host name %q does not resolve", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		set(models.FaultRefused, "check the port, and that "+what+" is running", "connection refused by %s", host)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		set(models.FaultUnreachable, "check the route, the VPN or the firewall", "%s cannot be reached: no route", host)
	case errors.Is(err, errStalled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		set(models.FaultTimeout, "a firewall may drop the packets, or "+what+" hangs", "no answer from %s in time", host)
	case errors.Is(err, io.ErrUnexpectedEOF):
		set(models.FaultBadAnswer, "connection lost in the middle of the answer", "the answer from %s is incomplete", host)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF):
		set(models.FaultReset, plainToTLSHint(target), "%s closed the connection without an answer", host)
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`):
		set(models.FaultTLS, "use https://", "%s speaks TLS only on this port", host)
	case strings.Contains(err.Error(), "malformed HTTP"):
		set(models.FaultNotIronic, plainToTLSHint(target), "%s does not speak HTTP", host)
	default:
		set(models.FaultBadAnswer, "", "%s", innermost(err))
	}
}

func plainToTLSHint(target string) string {
	if strings.HasPrefix(target, "http://") {
		return "if the port speaks TLS, use https://"
	}
	return ""
}

// innermost returns the text of err without wrapping that only repeats the method and the URL.
func innermost(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}

// Host returns the host of a target URL for use in messages, or "the server" if the URL has none.
func Host(target string) string {
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return u.Host
	}
	return "the server"
}

// Location returns the target of a redirect for use in messages. It masks secrets, because login pages have them in
// their queries.
func Location(target, header string) string {
	if base, err := url.Parse(target); err == nil {
		if to, err := base.Parse(header); err == nil {
			return printable.Line(models.MaskURL(to.String()))
		}
	}
	return models.Mask
}

// describeTLS reports whether err is a rejected certificate or a failed handshake, and describes such an error in f.
// A failed handshake may mean that the server does not use TLS. The description of a certificate contains its
// fingerprint.
func describeTLS(f *models.Fault, err error, host string) bool {
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	f.Kind = models.FaultTLS
	switch {
	case errors.As(err, &verify):
		describeCertificate(f, verify, host)
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		f.Message = host + " does not speak TLS"
		f.Hint = "use http:// for this port"
	case errors.As(err, &alert), strings.Contains(err.Error(), "remote error: tls:"):
		f.Message = printable.Line(host + " refused the TLS handshake: " + innermost(err))
		f.Hint = "the server may require a client certificate (cert, key)"
	default:
		f.Kind = ""
		return false
	}
	return true
}

func describeCertificate(f *models.Fault, verify *tls.CertificateVerificationError, host string) {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	why := verify.Err.Error()
	f.Hint = "set cacert: FILE to trust the CA, or verify: false to skip verification"
	switch {
	case errors.As(verify.Err, &name):
		why = fmt.Sprintf("not valid for %q", name.Host)
		f.Hint = "use a name from the certificate"
	case errors.As(verify.Err, &invalid) && invalid.Reason == x509.Expired:
		why = "it has expired or is not valid yet"
		f.Hint = "check the clocks of both computers, then renew the certificate"
	case errors.As(verify.Err, &unknown):
		why = "its issuer is not trusted here"
	}
	subject := ""
	if len(verify.UnverifiedCertificates) > 0 {
		cert := verify.UnverifiedCertificates[0]
		f.Fingerprint = Fingerprint(cert)
		subject = fmt.Sprintf("; subject %s, issuer %s, valid %s to %s, SHA-256 %s", cert.Subject, cert.Issuer,
			cert.NotBefore.Format(time.DateOnly), cert.NotAfter.Format(time.DateOnly), f.Fingerprint)
	}
	f.Message = printable.Line(fmt.Sprintf("the certificate of %s is refused: %s%s", host, why, subject))
}

// Fingerprint returns the SHA-256 of a certificate, as openssl x509 -fingerprint prints it.
func Fingerprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	hex := fmt.Sprintf("%X", sum)
	parts := make([]string, 0, len(sum))
	for i := 0; i < len(hex); i += 2 {
		parts = append(parts, hex[i:i+2])
	}
	return strings.Join(parts, ":")
}
