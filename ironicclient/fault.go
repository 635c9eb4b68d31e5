package ironicclient

import (
	"errors"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
	"ironworks/wire"
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
	wire.Describe(f, err, target, "the API")
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
