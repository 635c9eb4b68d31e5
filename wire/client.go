// Package wire sends HTTP requests to slow, broken or untrusted servers. Requests without progress are aborted,
// certificates are verified or pinned, and errors are classified exactly.
package wire

import (
	"context"
	"net"
	"net/http"
	"time"

	"ironworks/models"
)

// dialTimeout is the maximum time to set up a connection.
const dialTimeout = 5 * time.Second

// Options configure a client.
type Options struct {
	TLS models.TLS
	// Fingerprint, if not empty, is the SHA-256 fingerprint of the only certificate that is accepted.
	Fingerprint string
	// Timeout limits the time in which no byte arrives, including the time to set up the connection.
	Timeout time.Duration
	// Largest is the maximum size of a response body, in bytes.
	Largest int64
	// Connections bounds the idle connections to a host; 0 means 16.
	Connections int
	// Dial opens connections. If it is nil, a net.Dialer is used.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewClient returns a client. The error is a *models.Fault about the options.
func NewClient(o Options) (*http.Client, error) {
	config, err := tlsConfig(o.TLS, o.Fingerprint)
	if err != nil {
		return nil, err
	}
	if o.Connections == 0 {
		o.Connections = 16
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: min(dialTimeout, o.Timeout), KeepAlive: 15 * time.Second}).DialContext
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         o.Dial,
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
