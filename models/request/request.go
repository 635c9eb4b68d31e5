// Package request builds requests to Ironic's API. The same value is shown to the operator, translated to shell
// commands, and sent.
package request

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// The HTTP methods. They are defined here because this package does not import net/http: it does no I/O.
const (
	get    = "GET"
	put    = "PUT"
	post   = "POST"
	patch  = "PATCH"
	remove = "DELETE"
)

// Request is a request to Ironic. Its secrets are masked when it is formatted or encoded as JSON; only
// [Request.Payload] contains them.
type Request struct {
	// Op names the operation that the request attempts. It appears in error messages.
	Op     string
	Method string
	// Path is relative to the endpoint. It starts with /v1/, and its parts are escaped.
	Path string
	// Body is the body exactly as it is sent, or nil if there is none. It may contain secrets.
	Body any
	// Feature is the API feature that the request needs. It is empty if it needs none.
	Feature models.Feature
	// Slow means that Ironic contacts the BMC before it responds.
	Slow bool
	// Sensitive means that Body may contain secrets, so that a server's error message may quote them.
	Sensitive bool
	// Commands lists baremetal commands that do the same as the request, with secrets masked.
	Commands []string
	// When describes the moment at which the request is sent. It is empty if the request is sent immediately.
	When string
}

// Answer is Ironic's response to a request.
type Answer struct {
	// ID is the request ID that Ironic assigned.
	ID string
	// Body is the changed object that Ironic has stored, with secrets masked. It is set only for a PATCH request.
	Body json.RawMessage
}

// Payload returns the body with its secrets. It returns nil if there is no body, or if the body cannot be encoded as
// JSON.
func (r Request) Payload() []byte {
	if r.Body == nil {
		return nil
	}
	payload, err := json.Marshal(r.Body)
	if err != nil {
		return nil
	}
	return payload
}

// Check returns an error if the request must not be sent. Each patch operation must pass [models.PatchOp.Check], and
// it must be possible to encode the body as JSON.
func (r Request) Check() error {
	ops, _ := r.Body.([]models.PatchOp)
	for _, op := range ops {
		if err := op.Check(); err != nil {
			return err
		}
	}
	_, err := json.Marshal(r.Body)
	return err
}

// String returns the method and the path, followed by When in parentheses and by the body with its secrets masked.
func (r Request) String() string {
	text := r.Method + " " + r.Path
	if r.When != "" {
		text += " (" + r.When + ")"
	}
	if r.Body == nil {
		return text
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(maskedBody(r.Body)); err != nil {
		return text
	}
	return text + "\n  " + printable.Line(strings.TrimSpace(body.String()))
}

// Format writes the same text as String for every fmt verb, so that no verb reveals secrets.
func (r Request) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(r.String())) }

// MarshalJSON encodes the request with its secrets masked.
func (r Request) MarshalJSON() ([]byte, error) {
	out := map[string]any{"method": r.Method, "path": r.Path}
	if r.Body != nil {
		out["body"] = maskedBody(r.Body)
	}
	if r.When != "" {
		out["when"] = r.When
	}
	return json.Marshal(out)
}

// path returns the path that consists of /v1/ and the given parts. It escapes the parts, so that a node named ../x is
// a single part.
func path(parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "/v1/" + strings.Join(parts, "/")
}

// maskedBody returns a copy of the body in which user data, fields whose names suggest a secret, and passwords in
// URLs are masked.
func maskedBody(body any) any {
	v, err := plain(body)
	if err != nil {
		return models.Mask
	}
	return maskedValue("", v)
}

// plain converts v to the types that decoding JSON produces.
func plain(v any) (out any, err error) {
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

func maskedValue(name string, value any) any {
	switch {
	case value == nil:
		return nil
	case name == "user_data" || name == "vendor_data":
		raw, err := json.Marshal(value)
		if err != nil {
			return models.Mask
		}
		return fmt.Sprintf("%s (%d bytes)", models.Mask, len(raw))
	case name != "configdrive" && models.SecretKey(name):
		return models.Mask
	}
	switch v := value.(type) {
	case string:
		if name == "configdrive" {
			return fmt.Sprintf("%s (%d bytes)", models.Mask, len(v))
		}
		return models.MaskURL(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = maskedValue("", item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		path, _ := v["path"].(string)
		for key, item := range v {
			if key == "value" && path != "" { // the value belongs to a patch operation
				out[key] = maskedValue(leaf(path), item)
				continue
			}
			out[key] = maskedValue(key, item)
		}
		return out
	}
	return value
}

func leaf(path string) string { return path[strings.LastIndex(path, "/")+1:] }
