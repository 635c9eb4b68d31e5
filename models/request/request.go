// Package request makes the requests that change something in Ironic. One value is shown
// before it is sent, written as a command for a shell, and sent.
package request

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
)

// The methods. net/http has the same, but the packages below models do no I/O.
const (
	get    = "GET"
	put    = "PUT"
	post   = "POST"
	patch  = "PATCH"
	remove = "DELETE"
)

// Request is one request to Ironic. Every verb of fmt, and its JSON, mask the secrets in
// it; only [Request.Payload] has them.
type Request struct {
	// Op is what is attempted, in an operator's words, for errors.
	Op     string
	Method string
	// Path begins with /v1/, its variable parts escaped. What the endpoint has before it is
	// not part of it.
	Path string
	// Body is what is sent, exactly; nil for none. It may hold secrets.
	Body any
	// Feature is what the server must have; empty for nothing special.
	Feature models.Feature
	// Slow requests reach into a BMC before they are answered.
	Slow bool
	// Sensitive says that Body may hold secrets, which a server that rejects it may repeat.
	Sensitive bool
	// Commands do the same with the baremetal command, their secrets masked.
	Commands []string
	// When says when it is sent, if not at once.
	When string
}

// Payload is the body as it is sent, secrets included; nil for none, and for one that
// [Request.Check] refuses.
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

// Check says why a request must not be sent: an operation of its patch that Ironic would not
// take, or that carries a mask instead of a secret, or a body that is not JSON.
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

// String is one line with the method and the path, and the body below it.
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
	return text + "\n  " + models.Printable(strings.TrimSpace(body.String()))
}

// Format keeps every verb of fmt from showing the body.
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

// path joins the parts below /v1/, each escaped, so that a node named ../x stays one.
func path(parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "/v1/" + strings.Join(parts, "/")
}

// maskedBody is a body without its secrets: user data as a whole, fields named like
// secrets, and the passwords in addresses.
func maskedBody(body any) any {
	v, err := plain(body)
	if err != nil {
		return models.Mask
	}
	return maskedValue("", v)
}

// plain is a value as JSON has it.
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
			if key == "value" && path != "" { // an operation of a patch
				out[key] = maskedValue(leaf(path), item)
				continue
			}
			out[key] = maskedValue(key, item)
		}
		return out
	}
	return value
}

// leaf is the last part of a patch's path.
func leaf(path string) string { return path[strings.LastIndex(path, "/")+1:] }
