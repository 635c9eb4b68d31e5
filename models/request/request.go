// Package request builds the requests that change Ironic. One value is shown, translated to shell commands, and
// sent.
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

// The methods, without importing net/http: packages below models do no I/O.
const (
	get    = "GET"
	put    = "PUT"
	post   = "POST"
	patch  = "PATCH"
	remove = "DELETE"
)

// Request is a request to Ironic. Formatting and JSON mask its secrets; only [Request.Payload] has them.
type Request struct {
	// Op is the operation that the request attempts, for error messages.
	Op     string
	Method string
	// Path starts with /v1/, with escaped parts, relative to the endpoint.
	Path string
	// Body is the exact body; nil for none. It may hold secrets.
	Body any
	// Feature is the API feature that the request needs; empty for none.
	Feature models.Feature
	// Slow means that Ironic contacts the BMC before it responds.
	Slow bool
	// Sensitive means that Body may hold secrets, which a server's error may quote.
	Sensitive bool
	// Commands are the equivalent baremetal commands, with secrets masked.
	Commands []string
	// When says when the request is sent. It is empty if the request is sent immediately.
	When string
}

// Answer is the answer of Ironic to a request.
type Answer struct {
	// ID is the ID that Ironic gave the request.
	ID string
	// Body is the changed object as Ironic has stored it, with its secrets masked; only after a PATCH.
	Body json.RawMessage
}

// Payload returns the body with its secrets. It returns nil if there is no body, or if [Request.Check] refuses the
// request.
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

// Check returns why a request must not be sent: an invalid patch operation, a mask instead of a secret, or a body
// that is not JSON.
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

// String returns the method and the path, with the masked body below them.
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

// Format masks the body for every verb of fmt.
func (r Request) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(r.String())) }

// MarshalJSON writes the request with its secrets masked.
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

// path joins escaped parts below /v1/, so that a node named ../x is one part.
func path(parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "/v1/" + strings.Join(parts, "/")
}

// maskedBody masks user data, fields named like secrets, and passwords in URLs.
func maskedBody(body any) any {
	v, err := plain(body)
	if err != nil {
		return models.Mask
	}
	return maskedValue("", v)
}

// plain converts a value to plain JSON types.
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
			if key == "value" && path != "" { // the value is part of an operation of a patch
				out[key] = maskedValue(leaf(path), item)
				continue
			}
			out[key] = maskedValue(key, item)
		}
		return out
	}
	return value
}

// leaf returns the last part of a patch path.
func leaf(path string) string { return path[strings.LastIndex(path, "/")+1:] }
