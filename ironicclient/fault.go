package ironicclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/wire"
)

// fault converts an error from gophercloud, net/http or the operating system to a [models.Fault].
func (c *Client) fault(err error, cl call, target string) *models.Fault {
	f := &models.Fault{Op: cl.op, Method: cl.method, URL: redacted(target), Err: err}
	if already := asFault(err); already != nil {
		return already
	}
	if reauth, is := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err); is {
		inner := c.fault(reauth.ErrReauth, cl, c.conn.Keystone.AuthURL)
		inner.Hint = joinHints("the token expired and Keystone issued no new one", inner.Hint)
		if inner.Kind == models.FaultUnauthorized {
			inner.Hint = "the token expired and Keystone issued no new one: check the credentials"
		}
		return inner
	}
	if after, is := errors.AsType[*gophercloud.ErrErrorAfterReauthentication](err); is {
		return c.fault(after.ErrOriginal, cl, target)
	}
	if unexpected, is := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err); is {
		c.decodeFault(f, unexpected)
		return f
	}
	wire.Describe(f, err, target, "the API")
	return f
}

func joinHints(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// markSent marks a fault if Ironic may have carried out the requested change, even though no success was reported.
// wrote reports whether the request was written to a connection.
func markSent(f *models.Fault, cl call, wrote bool) {
	if cl.method == http.MethodGet || !wrote || !mayHaveArrived(f) {
		return
	}
	f.Sent = true
	hint := "unknown whether Ironic received the request: check the node before you retry"
	if f.Status == http.StatusInternalServerError {
		hint = "the request may have been carried out partially: check the node before you retry"
	}
	f.Hint = joinHints(f.Hint, hint)
}

// mayHaveArrived reports whether a change that was written to a connection may have been carried out. Without a
// response, it may have been, unless the TLS handshake failed. With a response, it may have been if Ironic failed
// while handling the request (for example, because an RPC timed out), or if the response is from a proxy that may
// have forwarded the request. If Ironic itself answers with 503, it has refused the request (NoFreeConductorWorker,
// ConcurrentActionLimit in ironic/common/exception.py).
func mayHaveArrived(f *models.Fault) bool {
	var answer gophercloud.ErrUnexpectedResponseCode
	switch {
	case !errors.As(f.Err, &answer):
		return f.Kind != models.FaultTLS || !refusedHandshake(f.Err)
	case answer.Actual == http.StatusServiceUnavailable:
		return !ironicsOwn(answer.Body)
	}
	return answer.Actual >= http.StatusInternalServerError
}

// refusedHandshake reports whether a TLS error belongs to the handshake. In TLS 1.3, a server that refuses the client
// certificate sends the alert only after the client has written the request, but does not read the request.
func refusedHandshake(err error) bool {
	text := err.Error()
	alert := strings.Contains(text, "remote error: tls:")
	return !alert || strings.Contains(text, "certificate") || strings.Contains(text, "access denied")
}

// Ironic's NodeLocked error names the host that holds the lock; ParentNodeLocked and ChildNodeLocked do not
// (ironic/common/exception.py).
var (
	lockedBy = regexp.MustCompile(`is locked by host (\S+?),`)
	locked   = regexp.MustCompile(`is locked by host|is presently locked`)
)

// decodeFault completes f with the content of resp, a response with status 3xx, 4xx or 5xx.
func (c *Client) decodeFault(f *models.Fault, resp gophercloud.ErrUnexpectedResponseCode) {
	h := resp.ResponseHeader
	f.Status = resp.Actual
	f.RequestID = requestIDOf(h)
	f.Message = printable.Line(errorText(resp.Body))
	if s, err := strconv.Atoi(h.Get("Retry-After")); err == nil && s > 0 {
		f.RetryAfter = time.Duration(s) * time.Second
	}
	if m := lockedBy.FindStringSubmatch(f.Message); m != nil {
		f.LockedBy = m[1]
	}
	fromIronic := h.Get(maxHeader) != "" || h.Get(versionHeader) != "" || f.RequestID != ""
	// Other OpenStack services also send request IDs, but not Ironic's API version.
	f.Kind = kindOf(f, h.Get(maxHeader) != "" || h.Get(versionHeader) != "")
	c.addHint(f, h, fromIronic)
	if !fromIronic && f.Status == http.StatusBadRequest && speaksTLS(f.URL, resp.Body) {
		f.Kind, f.Message, f.Hint = models.FaultTLS, wire.Host(f.URL)+" speaks TLS only on this port", "use https://"
	}
	if f.Message == "" {
		f.Message = http.StatusText(f.Status)
		if looksLikeHTML(resp.Body) {
			f.Message += ", an HTML page" + fromServer(h)
		}
	}
	if f.Kind == models.FaultNotIronic {
		f.Message = "this is not an Ironic API: " + f.Message
	}
}

// speaksTLS reports whether body, from a response with status 400, means that a TLS server received plain HTTP. The
// responses of Go, nginx and cheroot contain "HTTPS", and those of Apache "SSL-enabled".
func speaksTLS(target string, body []byte) bool {
	return strings.HasPrefix(target, "http://") && (bytes.Contains(body, []byte("HTTPS")) || bytes.Contains(body, []byte("SSL-enabled")))
}

func looksLikeHTML(body []byte) bool {
	return strings.HasPrefix(strings.TrimSpace(string(body)), "<")
}

func kindOf(f *models.Fault, fromIronic bool) models.FaultKind {
	switch s := f.Status; {
	case s >= 300 && s < 400:
		return models.FaultNotIronic
	case s == http.StatusUnauthorized:
		return models.FaultUnauthorized
	case s == http.StatusForbidden:
		return models.FaultForbidden
	case s == http.StatusNotFound && strings.Contains(f.Message, "No valid host was found"):
		return models.FaultNoConductor
	case (s == http.StatusNotFound || s == http.StatusNotAcceptable) && !fromIronic:
		return models.FaultNotIronic
	case s == http.StatusNotFound:
		return models.FaultNotFound
	case s == http.StatusNotAcceptable:
		return models.FaultVersion
	case s == http.StatusConflict && locked.MatchString(f.Message):
		return models.FaultLocked
	case s == http.StatusConflict:
		return models.FaultConflict
	case s == http.StatusServiceUnavailable:
		return models.FaultUnavailable
	case s >= 500:
		return models.FaultServer
	}
	return models.FaultBadRequest
}

// addHint adds a hint that suggests a remedy, for those kinds of faults whose responses do not contain one.
func (c *Client) addHint(f *models.Fault, h http.Header, fromIronic bool) {
	switch f.Kind {
	case models.FaultUnauthorized:
		f.Hint = c.unauthorizedHint(h.Get("WWW-Authenticate"))
	case models.FaultNotIronic:
		f.Hint = "check the URL: Ironic's API usually listens on port 6385"
		if to := h.Get("Location"); to != "" {
			f.Hint = "redirects to " + wire.Location(f.URL, to)
		}
	case models.FaultServer, models.FaultUnavailable, models.FaultForbidden:
		switch {
		case !fromIronic:
			f.Hint = "the response is from a proxy in front of Ironic" + fromServer(h)
		case f.Kind == models.FaultForbidden:
			f.Hint = "your role does not allow it"
		}
	case models.FaultNoConductor:
		f.Hint = "no alive conductor has the driver and conductor group of the node; see ironworks conductors and ironworks drivers"
		f.ScreenHint = "no alive conductor has the driver and conductor group of the node; 3 shows conductors and drivers"
	default:
	}
}

// unauthorizedHint names the authentication that the WWW-Authenticate header requires and the one that was used.
func (c *Client) unauthorizedHint(challenge string) string {
	shown, _, _ := strings.Cut(challenge, " ")
	scheme := strings.ToLower(shown)
	wants := "the server does not name an authentication method"
	switch scheme {
	case "basic":
		wants = "the server requires http_basic (username and password)"
	case "keystone":
		wants = "the server requires a Keystone token (auth_url, username, …)"
	case "":
	default:
		wants = "the server requires " + printable.Line(shown)
	}
	auth := cmp.Or(c.conn.Auth, models.AuthNone)
	switch matches := scheme == "basic" && auth == models.AuthHTTPBasic || scheme == "keystone" && auth.Keystone(); {
	case matches && auth == models.AuthToken:
		return "the token is invalid or expired: get a new one"
	case matches:
		return "the " + string(auth) + " credentials were refused"
	}
	return wants + "; this connection uses auth " + string(auth)
}

// errorText returns the message in an error body, or "". It supports all formats used by Ironic, pecan, Keystone's
// middleware and http_basic:
//
//	{"error_message": "{\"faultstring\": …}"}     Ironic: JSON in a string
//	{"error_message": {"faultstring": …}}         Ironic: JSON
//	{"error_message": "{\"description\": …}"}     pecan: 404 of an unknown route, 406
//	{"error": {"message": …}}                     http_basic, Keystone
//	{"faultstring": …}                            outside the wrapper: body limits
func errorText(body []byte) string {
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) != nil {
		return ""
	}
	for _, key := range []string{"error_message", "error"} {
		raw, ok := outer[key]
		if !ok {
			continue
		}
		text, isText := unquoted(raw)
		if inner := messageIn(text); inner != "" {
			return inner
		}
		if isText && looksLikeHTML(text) {
			return ""
		}
		if isText {
			return string(text)
		}
	}
	return messageIn(body)
}

// ironicsOwn reports whether an error has the format of Ironic's own errors: a faultstring in
// error_message. Proxies, web servers and Keystone's middleware use other formats.
func ironicsOwn(body []byte) bool {
	var outer struct {
		ErrorMessage json.RawMessage `json:"error_message"`
	}
	var inner struct {
		FaultString *string `json:"faultstring"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return false
	}
	text, _ := unquoted(outer.ErrorMessage)
	return json.Unmarshal(text, &inner) == nil && inner.FaultString != nil
}

// unquoted returns the JSON in raw, which may be written as a string.
func unquoted(raw json.RawMessage) (text []byte, isText bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []byte(s), true
	}
	return raw, false
}

func messageIn(raw []byte) string {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	for _, key := range []string{"faultstring", "description", "message", "title"} {
		if s, ok := m[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}
