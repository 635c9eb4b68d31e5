package ironicclient

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
)

// fieldMinor are the API versions of the node fields that we ask for and that not
// every Ironic since 1.69 has (VERSIONED_FIELDS of ironic/api/controllers/v1/utils.py).
func fieldMinor(field string) int {
	switch field {
	case "boot_mode", "secure_boot":
		return 75
	case "shard":
		return 82
	case "parent_node":
		return 83
	case "firmware_interface":
		return 86
	case "service_step":
		return 87
	case "disable_power_off":
		return 95
	case "instance_name":
		return 104
	case "health":
		return 109
	}
	return 1
}

// usableFields drops the fields that version v does not have and those that this
// server has refused before.
func (c *Client) usableFields(fields []string, v models.APIVersion) []string {
	c.refusedMu.Lock()
	defer c.refusedMu.Unlock()
	return slices.DeleteFunc(slices.Clone(fields), func(f string) bool {
		return fieldMinor(f) > v.Minor || c.refused[f]
	})
}

// Refused lists the node fields that this server turned down, so that a screen can
// say why a column is empty.
func (c *Client) Refused() []string {
	c.refusedMu.Lock()
	defer c.refusedMu.Unlock()
	var fields []string
	for f := range c.refused {
		fields = append(fields, f)
	}
	slices.Sort(fields)
	return fields
}

func (c *Client) refuse(fields []string) {
	c.refusedMu.Lock()
	defer c.refusedMu.Unlock()
	for _, f := range fields {
		c.refused[f] = true
	}
}

// fieldRefusal says whether a fault may come from one of the requested fields: an old
// Ironic answers 400 to some, 406 to those too new for the version, and 500 to others.
func fieldRefusal(f *models.Fault) bool {
	switch f.Status {
	case http.StatusBadRequest, http.StatusNotAcceptable, http.StatusInternalServerError:
		return f.Kind != models.FaultVersion
	}
	return false
}

// findRefused finds the fields that the server refuses, each asked for alone, on one
// row: those that the message names, and when these are innocent (name, driver and
// fault stand in many a message) all the others. It returns none when the fields are
// not to blame.
func (c *Client) findRefused(ctx context.Context, f *models.Fault, cl call, fields []string) ([]string, error) {
	var named, others []string
	for _, field := range fields {
		if mentions(f.Message, field) {
			named = append(named, field)
		} else {
			others = append(others, field)
		}
	}
	bad, err := c.probe(ctx, cl, named)
	if err != nil || len(bad) > 0 {
		return bad, err
	}
	return c.probe(ctx, cl, others)
}

func (c *Client) probe(ctx context.Context, cl call, fields []string) ([]string, error) {
	var bad []string
	for _, field := range fields {
		if field == "uuid" {
			continue
		}
		probe := cl
		probe.query = func(models.APIVersion) url.Values {
			q := url.Values{"fields": {"uuid," + field}}
			if cl.path == "nodes" {
				q.Set("limit", "1")
			}
			return q
		}
		_, err := c.do(ctx, probe)
		switch fault := asFault(err); {
		case err == nil:
		case fault != nil && fieldRefusal(fault):
			bad = append(bad, field)
		default:
			return nil, err
		}
	}
	return bad, nil
}

// mentions says whether a message names a field as a word of its own.
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

// withFields sends a GET with a list of fields; those that the server refuses are
// dropped, remembered, and never cost the call.
func (c *Client) withFields(ctx context.Context, cl call, fields []string, base url.Values) (*answer, error) {
	if len(fields) > 0 && !slices.Contains(fields, "uuid") {
		// Without it an answer cannot be told from one that is broken.
		fields = append([]string{"uuid"}, fields...)
	}
	cl.query = func(v models.APIVersion) url.Values {
		q := url.Values{}
		for k, vs := range base {
			q[k] = vs
		}
		if len(fields) > 0 {
			q.Set("fields", strings.Join(c.usableFields(fields, v), ","))
		}
		return q
	}
	for {
		ans, err := c.do(ctx, cl)
		f := asFault(err)
		if f == nil || !fieldRefusal(f) || len(fields) == 0 {
			return ans, err
		}
		v, _ := c.Version()
		bad, probeErr := c.findRefused(ctx, f, cl, c.usableFields(fields, v))
		if probeErr != nil || len(bad) == 0 {
			return nil, err
		}
		c.refuse(bad)
	}
}
