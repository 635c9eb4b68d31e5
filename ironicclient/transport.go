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
	// DefaultTimeout is the maximum time without receiving a byte from the server. It includes connecting. A page
	// that keeps arriving may take longer.
	DefaultTimeout = 12 * time.Second
	// slowTimeout applies to requests for which the conductor contacts a BMC; Ironic's own limit is 60 s
	// (rpc_response_timeout).
	slowTimeout = 75 * time.Second
	slowNotice  = 10 * time.Second
	// maxBody is the maximum size of a response. A page with 1 000 detailed nodes takes 3 MB.
	maxBody = 128 << 20
)

// newHTTPClient returns the HTTP client of a connection. It does not follow redirects, because Ironic sends none. A
// redirect is reported as "not Ironic", with its target.
func newHTTPClient(conn models.Connection, opts Options) (*http.Client, error) {
	return wire.NewClient(wire.Options{TLS: conn.TLS, Timeout: conn.Timeout, Largest: maxBody, Dial: opts.Dial})
}

// rootURL returns the endpoint with a trailing slash and without a trailing /v1.
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

// redacted returns a URL without its password, for messages. In a string that is not a URL with a host, the password
// may be anywhere before the @, so everything before it is removed.
func redacted(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw[strings.LastIndex(raw, "@")+1:]
	}
	return u.Redacted()
}
