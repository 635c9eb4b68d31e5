// Package wire is how we talk HTTP to what may be slow, broken or somebody else: answers
// that stop are given up, certificates are verified or pinned, and what goes wrong is
// named exactly.
package wire

import (
	"net"
	"net/http"
	"time"

	"ironworks/models"
)

// dialTimeout bounds the making of a connection.
const dialTimeout = 5 * time.Second

// Options shape a client.
type Options struct {
	TLS models.TLS
	// Fingerprint is the SHA-256 of the only certificate that is taken, if not empty.
	Fingerprint string
	// Timeout bounds a silence: the time without a byte, the connection included.
	Timeout time.Duration
	// Largest bounds an answer, in bytes.
	Largest int64
	// Connections bounds those to a host that are kept open; 0 means 16.
	Connections int
}

// NewClient makes a client. The error is a *models.Fault of the options.
func NewClient(o Options) (*http.Client, error) {
	config, err := tlsConfig(o.TLS, o.Fingerprint)
	if err != nil {
		return nil, err
	}
	if o.Connections == 0 {
		o.Connections = 16
	}
	dialer := &net.Dialer{Timeout: min(dialTimeout, o.Timeout), KeepAlive: 15 * time.Second}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSClientConfig:     config,
		TLSHandshakeTimeout: min(dialTimeout, o.Timeout),
		MaxIdleConnsPerHost: o.Connections,
		IdleConnTimeout:     60 * time.Second,
		ForceAttemptHTTP2:   true,
	}
	return &http.Client{
		Transport: &watchdog{next: transport, limit: o.Timeout, largest: o.Largest},
		// Credentials must not follow a redirect.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
