package ironicclient

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
)

// fault turns whatever gophercloud, net/http or the operating system returned into
// the one error of this package.
func (c *Client) fault(err error, cl call, target string) *models.Fault {
	f := &models.Fault{Op: cl.op, Method: cl.method, URL: redacted(target), Err: err}
	var reauth *gophercloud.ErrUnableToReauthenticate
	var after *gophercloud.ErrErrorAfterReauthentication
	var already *models.Fault
	switch {
	case errors.As(err, &already):
		return already
	case errors.As(err, &reauth):
		inner := c.fault(reauth.ErrReauth, cl, c.conn.Keystone.AuthURL)
		inner.Hint = joinHints("the token expired and Keystone gave no new one", inner.Hint)
		if inner.Kind == models.FaultUnauthorized {
			inner.Hint = "the token expired and Keystone gave no new one: check the credentials"
		}
		return inner
	case errors.As(err, &after):
		return c.fault(after.ErrOriginal, cl, target)
	}
	var unexpected gophercloud.ErrUnexpectedResponseCode
	if errors.As(err, &unexpected) {
		c.decodeFault(f, unexpected)
		return f
	}
	describeConnection(f, err, target)
	return f
}

func joinHints(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// markSent marks the fault of a change that may have reached Ironic although its answer
// did not reach us: it went out, and nobody turned it down. Wrote says that it went out.
func markSent(f *models.Fault, cl call, wrote bool) {
	if cl.method == http.MethodGet || !wrote || !mayHaveArrived(f) {
		return
	}
	f.Sent = true
	f.Hint = joinHints(f.Hint, "it is not known whether Ironic got the request: look at the node before sending it again")
}

func mayHaveArrived(f *models.Fault) bool {
	switch f.Kind {
	case models.FaultTimeout, models.FaultReset, models.FaultCanceled, models.FaultBadAnswer:
		return true
	case models.FaultServer:
		// A proxy passed it on and heard nothing more.
		return f.Status == http.StatusBadGateway || f.Status == http.StatusGatewayTimeout
	default:
		return false
	}
}

// describeConnection names the exact fault of a connection.
func describeConnection(f *models.Fault, err error, target string) {
	host := hostOf(target)
	var dns *net.DNSError
	var netErr net.Error
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "proxyconnect" {
		host = "the proxy (HTTP_PROXY, HTTPS_PROXY) in front of " + host
	}
	set := func(k models.FaultKind, hint, format string, args ...any) {
		f.Kind, f.Hint, f.Message = k, hint, models.Printable(fmt.Sprintf(format, args...))
	}
	switch {
	case describeTLS(f, err, host):
	case errors.Is(err, context.Canceled):
		set(models.FaultCanceled, "", "interrupted")
	case errors.Is(err, errTooLarge):
		set(models.FaultBadAnswer, "", "%v", errTooLarge)
	case errors.As(err, &dns):
		set(models.FaultDNS, "check the host name and the resolver", "the host name %q does not resolve", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		set(models.FaultRefused, "is the API running, and is the port right?", "connection refused by %s: nothing listens there", host)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		set(models.FaultUnreachable, "check the route, the VPN or the firewall", "%s cannot be reached: no route", host)
	case errors.Is(err, errStalled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		set(models.FaultTimeout, "a firewall may drop the packets, or the API hangs", "no answer from %s in time", host)
	case errors.Is(err, io.ErrUnexpectedEOF):
		set(models.FaultBadAnswer, "the connection broke in the middle of the answer", "the answer of %s is incomplete", host)
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

// innermost drops the wrapping that only repeats method and URL.
func innermost(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}

func hostOf(target string) string {
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return u.Host
	}
	return "the server"
}

// describeTLS names a refused certificate with its fingerprint, or a handshake with
// something that does not speak TLS.
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
		f.Message = models.Printable(host + " refused the TLS handshake: " + innermost(err))
		f.Hint = "it may want a client certificate (cert, key)"
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
	f.Hint = "cacert: FILE trusts its CA; verify: false trusts anyone"
	switch {
	case errors.As(verify.Err, &name):
		why = fmt.Sprintf("it is not for %q", name.Host)
		f.Hint = "use a name that is in the certificate"
	case errors.As(verify.Err, &invalid) && invalid.Reason == x509.Expired:
		why = "it has expired or is not valid yet"
		f.Hint = "check the clocks here and there, then renew it"
	case errors.As(verify.Err, &unknown):
		why = "its issuer is not trusted here"
	}
	subject := ""
	if len(verify.UnverifiedCertificates) > 0 {
		cert := verify.UnverifiedCertificates[0]
		f.Fingerprint = fingerprint(cert)
		subject = fmt.Sprintf("; subject %s, issuer %s, valid %s to %s, SHA-256 %s", cert.Subject, cert.Issuer,
			cert.NotBefore.Format(time.DateOnly), cert.NotAfter.Format(time.DateOnly), f.Fingerprint)
	}
	f.Message = models.Printable(fmt.Sprintf("the certificate of %s is refused: %s%s", host, why, subject))
}

func fingerprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	hex := fmt.Sprintf("%X", sum)
	parts := make([]string, 0, len(sum))
	for i := 0; i < len(hex); i += 2 {
		parts = append(parts, hex[i:i+2])
	}
	return strings.Join(parts, ":")
}
