// Package fetch downloads content for tests like a machine does, over a new connection that is closed afterwards.
package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"testing"
)

// Content returns the content at a URL.
func Content(tb testing.TB, url string) []byte {
	tb.Helper()
	status, content := Answer(tb, url, "")
	if status != http.StatusOK {
		tb.Fatalf("%s: status %d", url, status)
	}
	return content
}

// Answer returns the status and the content of any response. It trusts only the given certificate, in PEM; with "" it
// trusts the system's certificates.
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
