package ironicclient

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/wire"
)

const (
	// DefaultTimeout bounds a silence: the time without a byte from the server, the
	// connection included. A page that keeps coming may take longer.
	DefaultTimeout = 12 * time.Second
	// slowTimeout is for calls that reach into a BMC behind the conductor, whose own
	// limit is 60 s (rpc_response_timeout).
	slowTimeout = 75 * time.Second
	slowNotice  = 10 * time.Second
	// maxBody bounds an answer: a page of 1 000 nodes in detail has 3 MB.
	maxBody = 128 << 20
)

// newHTTPClient makes the client of a connection. Ironic sends no redirects: one is shown as
// "not Ironic" with the place that it points to.
func newHTTPClient(conn models.Connection, opts Options) (*http.Client, error) {
	return wire.NewClient(wire.Options{TLS: conn.TLS, Timeout: conn.Timeout, Largest: maxBody, Dial: opts.Dial})
}

// rootURL is the endpoint without a trailing /v1, which it may or may not have.
func rootURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", &models.Fault{
			Kind: models.FaultConfig, Op: "connect", Err: err,
			Message: fmt.Sprintf("%q is not an Ironic API URL", redacted(endpoint)),
			Hint:    "use http://HOST:6385 or https://HOST:6385",
		}
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
	return strings.TrimRight(u.String(), "/") + "/", nil
}

// redacted is a URL without its password, for messages. What has no host may have its
// password anywhere before the @.
func redacted(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw[strings.LastIndex(raw, "@")+1:]
	}
	return u.Redacted()
}
