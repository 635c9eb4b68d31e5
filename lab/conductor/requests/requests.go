// Package requests sends HTTP requests to agents, BMCs and image servers. Its errors have the messages of Python's
// requests library.
package requests

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// Timeout is the timeout for a response of a BMC or an agent.
const Timeout = 60 * time.Second

// NewClient returns an HTTP client for agents or BMCs. Each request uses a new connection.
func NewClient(config *tls.Config) *http.Client {
	return &http.Client{Timeout: Timeout, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: config}}
}

// maxAnswer is the maximum size of a response in bytes. It is large because agents send their logs.
const maxAnswer = 64 << 20

// Response is the response of an agent or a BMC to one request.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends one request and reads the response. Errors have the messages of Python's requests library.
func Do(client *http.Client, request *http.Request) (Response, error) {
	response, err := client.Do(request) //nolint:gosec // the address is the agent's own, or configured by the operator
	if err != nil {
		return Response{}, ConnectionError(err, request.URL)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return Response{}, ConnectionError(err, request.URL)
	}
	return Response{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

// ConnectionError converts a connection error to one with the message of Python's requests library.
func ConnectionError(err error, address *url.URL) error {
	class := "HTTPConnection"
	port := cmp.Or(address.Port(), map[string]string{"http": "80", "https": "443"}[address.Scheme])
	if address.Scheme == "https" {
		class = "HTTPSConnection"
	}
	pool := fmt.Sprintf("%sPool(host='%s', port=%s)", class, address.Hostname(), port)
	var network net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%s: Max retries exceeded with url: %s (Caused by NewConnectionError(\"%s(host='%s', port=%s): Failed to establish a new connection: [Errno 111] Connection refused\"))",
			pool, address.RequestURI(), class, address.Hostname(), port)
	case errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("%s: Read timed out. (read timeout=%d)", pool, int(Timeout.Seconds()))
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return errors.New("('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))")
	}
	if why := certificateFault(err); why != "" {
		return fmt.Errorf("%s: Max retries exceeded with url: %s (Caused by %s)", pool, address.RequestURI(), why)
	}
	return fmt.Errorf("%s: Max retries exceeded with url: %s (Caused by %w)", pool, address.RequestURI(), err)
}

// certificateFault returns the message of Python's ssl module for an untrusted certificate, or "".
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
