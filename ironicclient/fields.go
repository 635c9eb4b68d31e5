package ironicclient

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
)

// fieldMinors maps node fields to the minor API versions that introduced them. Every Ironic since 1.69 supports all
// other fields (VERSIONED_FIELDS in ironic/api/controllers/v1/utils.py).
var fieldMinors = map[string]int{
	"boot_mode":          75,
	"secure_boot":        75,
	"shard":              82,
	"parent_node":        83,
	"firmware_interface": 86,
	"service_step":       87,
	"disable_power_off":  95,
	"instance_name":      104,
	"health":             109,
}

// usableFields returns the fields that version v supports and that the server has not refused before.
func (c *Client) usableFields(fields []string, v models.APIVersion) []string {
	c.refusedMu.Lock()
	defer c.refusedMu.Unlock()
	return slices.DeleteFunc(slices.Clone(fields), func(f string) bool {
		return fieldMinors[f] > v.Minor || c.refused[f]
	})
}

// MissingFields returns the fields that this server does not support or has refused.
func (c *Client) MissingFields(fields []string) []string {
	v, _ := c.Version()
	usable := c.usableFields(fields, v)
	return slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return slices.Contains(usable, f) })
}

// Refused lists the node fields that the server has refused, so that a screen can explain an empty column.
func (c *Client) Refused() []string {
	c.refusedMu.Lock()
	defer c.refusedMu.Unlock()
	return slices.Sorted(maps.Keys(c.refused))
}

func (c *Client) refuse(fields []string) {
	c.refusedMu.Lock()
	defer c.refusedMu.Unlock()
	for _, f := range fields {
		c.refused[f] = true
	}
}

// fieldRefusal reports whether one of the requested fields may have caused the fault. An old Ironic responds with 400
// to some unknown fields, with 406 to fields that are too new for the version, and with 500 to others.
func fieldRefusal(f *models.Fault) bool {
	switch f.Status {
	case http.StatusBadRequest, http.StatusNotAcceptable, http.StatusInternalServerError:
		return f.Kind != models.FaultVersion && f.Kind != models.FaultNotIronic
	}
	return false
}

// findRefused sends requests for a single row to find out which fields the server refuses. It first tries the fields
// mentioned in the message. If none of them is refused (words such as name, driver and fault are part of many
// messages), it searches the other fields by bisection, because the server may be slow and bisection takes few
// requests. It returns no fields if a request without them fails as well.
func (c *Client) findRefused(ctx context.Context, f *models.Fault, cl call, fields []string) ([]string, error) {
	var others, bad []string
	for _, field := range fields {
		switch {
		case field == "uuid":
		case mentions(f.Message, field):
			refused, err := c.refuses(ctx, cl, field)
			if err != nil {
				return nil, err
			}
			if refused {
				bad = append(bad, field)
			}
		default:
			others = append(others, field)
		}
	}
	if len(bad) > 0 {
		return bad, nil
	}
	if refused, err := c.refuses(ctx, cl); err != nil || refused {
		return nil, err
	}
	return c.halve(ctx, cl, others)
}

// halve finds the fields that the server refuses by bisection. The server must refuse at least one of them.
func (c *Client) halve(ctx context.Context, cl call, fields []string) ([]string, error) {
	var bad []string
	middle := len(fields) / 2
	for _, half := range [][]string{fields[:middle], fields[middle:]} {
		if len(half) == 0 {
			continue
		}
		refused, err := c.refuses(ctx, cl, half...)
		if refused && len(half) > 1 {
			half, err = c.halve(ctx, cl, half)
		}
		if err != nil {
			return nil, err
		}
		if refused {
			bad = append(bad, half...)
		}
	}
	return bad, nil
}

// refuses reports whether the server refuses a request for the uuid and the given fields of a single row.
func (c *Client) refuses(ctx context.Context, cl call, fields ...string) (bool, error) {
	cl.fields, cl.query = nil, url.Values{"fields": {strings.Join(append([]string{"uuid"}, fields...), ",")}}
	if cl.path == "nodes" {
		cl.query.Set("limit", "1")
	}
	_, err := c.do(ctx, cl)
	if f := asFault(err); f != nil && fieldRefusal(f) {
		return true, nil
	}
	return false, err
}

// mentions reports whether message contains field, the name of a field, as a whole word.
func mentions(message, field string) bool {
	for rest := message; ; {
		i := strings.Index(rest, field)
		if i < 0 {
			return false
		}
		before := i == 0 || !wordByte(rest[i-1])
		after := i+len(field) == len(rest) || !wordByte(rest[i+len(field)])
		if before && after {
			return true
		}
		rest = rest[i+len(field):]
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// withFields sends a GET with a list of fields. It finds the fields that the server refuses, remembers them, and
// repeats the request without them.
func (c *Client) withFields(ctx context.Context, cl call) (*response, error) {
	if len(cl.fields) > 0 && !slices.Contains(cl.fields, "uuid") {
		// A row without a uuid would look like a broken response.
		cl.fields = append([]string{"uuid"}, cl.fields...)
	}
	for {
		resp, err := c.do(ctx, cl)
		f := asFault(err)
		if f == nil || !fieldRefusal(f) || len(cl.fields) == 0 {
			return resp, err
		}
		v, _ := c.Version()
		bad, probeErr := c.findRefused(ctx, f, cl, c.usableFields(cl.fields, v))
		if probeErr != nil || len(bad) == 0 {
			return nil, err
		}
		c.refuse(bad)
	}
}
