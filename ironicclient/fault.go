package ironicclient

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
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
