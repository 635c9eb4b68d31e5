// Package fetch downloads content for tests as a machine does: over a new connection that is closed afterwards.
package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"testing"
)

// Content downloads the content at url. Any status other than 200 fails the test.
func Content(tb testing.TB, url string) []byte {
	tb.Helper()
	status, content := Answer(tb, url, "")
	if status != http.StatusOK {
		tb.Fatalf("%s: status %d", url, status)
	}
	return content
}

// Answer requests url and returns the status and content of the response, whatever the status. It trusts only the
// given PEM certificate or, if certificate is empty, the system's certificates.
func Answer(tb testing.TB, url, certificate string) (status int, content []byte) {
	tb.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	if certificate != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM([]byte(certificate))
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		tb.Fatal(err)
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if content, err = io.ReadAll(resp.Body); err != nil {
		tb.Fatalf("%s: %v", resp.Status, err)
	}
	return resp.StatusCode, content
}
