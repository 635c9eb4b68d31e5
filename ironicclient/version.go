package ironicclient

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
	"ironworks/printable"
)

const (
	versionHeader = "X-OpenStack-Ironic-API-Version"
	minHeader     = "X-OpenStack-Ironic-API-Minimum-Version"
	maxHeader     = "X-OpenStack-Ironic-API-Maximum-Version"
	// Ironic always sends the second header, and since API 1.107 also the first.
	requestIDHeader    = "X-Openstack-Request-Id"
	oldRequestIDHeader = "Openstack-Request-Id"
)

func requestIDOf(h http.Header) string {
	return printable.Line(cmp.Or(h.Get(requestIDHeader), h.Get(oldRequestIDHeader)))
}

// limits returns the range of API versions in the headers, which Ironic sends with every response.
func limits(h http.Header) (low, high models.APIVersion, ok bool) {
	low, errLow := models.ParseAPIVersion(h.Get(minHeader))
	high, errHigh := models.ParseAPIVersion(h.Get(maxHeader))
	return low, high, errLow == nil && errHigh == nil
}

// learnLimits changes the client's API version if a 406 shows that the server does not support the version that was
// sent. A 406 for a supported version means that a field, verb or parameter is too new; the fault's kind then becomes
// FaultNotAcceptable.
func (c *Client) learnLimits(f *models.Fault, err error, sent models.APIVersion) {
	unexpected, is := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	if !is {
		return
	}
	low, high, ok := limits(unexpected.ResponseHeader)
	inside := sent.Minor >= low.Minor && sent.Minor <= high.Minor
	if ok && inside {
		c.negotiated.Store(true)
	}
	if !ok || f.Status != http.StatusNotAcceptable {
		return
	}
	f.Kind = models.FaultVersion
	switch {
	case inside:
		f.Kind = models.FaultNotAcceptable
		return
	case high.Minor < models.OldestMinor || low.Minor > models.NewestMinor:
		f.Message = fmt.Sprintf("this Ironic supports API %s to %s, ironworks supports 1.%d to 1.%d",
			low, high, models.OldestMinor, models.NewestMinor)
		return
	case c.conn.MaxMinor > 0 && low.Minor > c.conn.MaxMinor:
		f.Message = fmt.Sprintf("this Ironic supports API %s to %s, the connection allows up to 1.%d", low, high, c.conn.MaxMinor)
		f.Hint = "raise or remove api_version"
		return
	}
	next := high.Minor
	if c.conn.MaxMinor > 0 {
		next = min(next, c.conn.MaxMinor)
	}
	c.minor.Store(int32(max(min(next, models.NewestMinor), low.Minor))) //nolint:gosec // parsed, small
	c.negotiated.Store(true)
}

// checkIronic returns a fault if a successful response does not come from Ironic, whose responses all contain a
// version header. Otherwise, it marks the version as negotiated.
func (c *Client) checkIronic(resp *http.Response, body []byte, cl call, target string) *models.Fault {
	if resp.Header.Get(versionHeader) != "" || resp.Header.Get(maxHeader) != "" {
		c.negotiated.Store(true)
		return nil
	}
	if c.negotiated.Load() && looksLikeJSON(body) {
		return nil
	}
	return &models.Fault{
		Kind: models.FaultNotIronic, Op: cl.op, Method: cl.method, URL: redacted(target), Status: resp.StatusCode,
		Message: "not an Ironic API: the response has no API version" + kindOfBody(resp.Header, body),
		Hint:    "check the URL: Ironic's API usually listens on port 6385",
	}
}

func looksLikeJSON(body []byte) bool {
	b := bytes.TrimSpace(body)
	return len(b) == 0 || b[0] == '{' || b[0] == '['
}

func kindOfBody(h http.Header, body []byte) string {
	switch {
	case looksLikeHTML(body):
		return " and is HTML" + fromServer(h)
	case looksLikeJSON(body):
		return fromServer(h)
	}
	return " and is not JSON" + fromServer(h)
}

func fromServer(h http.Header) string {
	if s := h.Get("Server"); s != "" {
		return fmt.Sprintf(" (Server: %s)", printable.Line(s))
	}
	return ""
}
