package ironicclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// Send sends a request that changes something. Success usually means only that Ironic has accepted the request; the
// work itself takes longer.
func (c *Client) Send(ctx context.Context, r request.Request) (request.Answer, error) {
	cl := call{op: r.Op, method: r.Method, path: strings.TrimPrefix(r.Path, "/v1/"), body: r.Body, feature: r.Feature, slow: r.Slow}
	if err := r.Check(); err != nil {
		return request.Answer{}, notSent(cl, err.Error())
	}
	resp, err := c.do(ctx, cl)
	if err != nil {
		return request.Answer{}, err
	}
	answer := request.Answer{ID: requestIDOf(resp.header)}
	if r.Method == http.MethodPatch { // Ironic responds with the changed object
		if !json.Valid(resp.body) {
			return request.Answer{}, c.badAnswer(resp, cl, errors.New("not JSON"))
		}
		answer.Body = resp.body
	}
	return answer, nil
}

// BootDevice reads the node's boot device. It must not be polled, because the conductor asks the BMC each time.
func (c *Client) BootDevice(ctx context.Context, id string) (models.BootDevice, error) {
	var d models.BootDevice
	err := c.get(ctx, call{
		op: "read the boot device of node " + printable.Line(id), slow: true,
		path: segments("nodes", id, "management", "boot_device"),
	}, &d)
	return d, err
}

// Validate asks Ironic to validate each interface of the node. It must not be polled, because the conductor contacts
// the BMC and the image server each time.
func (c *Client) Validate(ctx context.Context, id string) ([]models.Validation, error) {
	var out map[string]struct {
		Result *bool           `json:"result"`
		Reason json.RawMessage `json:"reason"`
	}
	err := c.get(ctx, call{op: "validate node " + printable.Line(id), path: segments("nodes", id, "validate"), slow: true}, &out)
	if err != nil {
		return nil, err
	}
	list := make([]models.Validation, 0, len(out))
	for name, v := range out {
		list = append(list, models.Validation{Interface: name, Result: v.Result, Reason: textOf(v.Reason)})
	}
	sortBy(list, func(v models.Validation) string { return v.Interface })
	return list, nil
}

func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		if string(raw) == "null" {
			return ""
		}
		return string(raw)
	}
	return s
}

func queryOf(pairs ...string) func(models.APIVersion) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return func(models.APIVersion) url.Values { return q }
}

// ConsoleState reads the node's console interface, and whether its serial console is enabled.
func (c *Client) ConsoleState(ctx context.Context, id string) (models.ConsoleState, error) {
	var s models.ConsoleState
	err := c.get(ctx, call{op: "read the console state of node " + printable.Line(id), path: segments("nodes", id)}, &s)
	return s, err
}

// Console reads the address of the node's console. With IPMI, this request ends an open session. It must not be
// polled, but sent only when an operator opens the console.
func (c *Client) Console(ctx context.Context, id string) (models.ConsoleAddress, error) {
	var a models.ConsoleAddress
	err := c.get(ctx, call{
		op: "read the console address of node " + printable.Line(id), path: segments("nodes", id, "states", "console"), slow: true,
	}, &a)
	return a, err
}
