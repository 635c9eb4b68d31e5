package provision

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// PlannedRequest is one request that a deployment will send. Its text form, and its
// JSON, have secrets masked.
type PlannedRequest struct {
	Method string
	Path   string
	// Body is what is sent, exactly; nil for none. It may hold secrets.
	Body any
	// When says when it is sent, if not at once.
	When string
}

// String is one line with the method and the path, and the body below it.
func (r PlannedRequest) String() string {
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
func (r PlannedRequest) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(r.String())) }

// MarshalJSON writes the request with its secrets masked.
func (r PlannedRequest) MarshalJSON() ([]byte, error) {
	out := map[string]any{"method": r.Method, "path": r.Path}
	if r.Body != nil {
		out["body"] = maskedBody(r.Body)
	}
	if r.When != "" {
		out["when"] = r.When
	}
	return json.Marshal(out)
}

// maskedBody is a body without its secrets: user data as a whole, what is called so,
// and the passwords in addresses.
func maskedBody(body any) any {
	raw, err := json.Marshal(body)
	if err != nil {
		return models.Mask
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return models.Mask
	}
	return maskedValue("", v)
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
				out[key] = maskedValue(path[strings.LastIndex(path, "/")+1:], item)
				continue
			}
			out[key] = maskedValue(key, item)
		}
		return out
	}
	return value
}

// provisionBody is the body that the client makes of a request to deploy.
func provisionBody(r models.ProvisionRequest) map[string]any {
	body := map[string]any{"target": r.Verb.Target()}
	if len(r.DeploySteps) > 0 {
		steps := make([]map[string]any, len(r.DeploySteps))
		for i, s := range r.DeploySteps {
			args := s.Args
			if args == nil {
				args = map[string]any{}
			}
			steps[i] = map[string]any{"interface": s.Interface, "step": s.Step, "args": args, "priority": s.Priority}
		}
		body["deploy_steps"] = steps
	}
	if r.ConfigDrive != nil {
		body["configdrive"] = r.ConfigDrive
	}
	return body
}

// deployCommand is the baremetal command that sends the last request, deploy or rebuild. User data is too
// much for a command line, and may hold secrets: it stands there as a file.
func deployCommand(n *models.Node, r models.ProvisionRequest) string {
	words := []string{"baremetal", "node", string(r.Verb)}
	if len(r.DeploySteps) > 0 {
		steps, err := json.Marshal(maskedBody(provisionBody(r)["deploy_steps"]))
		if err == nil {
			words = append(words, "--deploy-steps", shellWord(string(steps)))
		}
	}
	if r.ConfigDrive != nil {
		words = append(words, "--config-drive", "CONFIGDRIVE.json")
	}
	return strings.Join(append(words, shellWord(n.UUID)), " ")
}

// maskedOps are operations for people to read.
func maskedOps(ops []models.PatchOp) []models.PatchOp {
	out := slices.Clone(ops)
	for i := range out {
		if out[i].Op != "remove" {
			out[i].Value = maskedValue(out[i].Path[strings.LastIndex(out[i].Path, "/")+1:], plainValue(out[i].Value))
		}
	}
	return out
}

func plainValue(v any) any {
	raw, err := json.Marshal(v)
	var out any
	if err != nil || json.Unmarshal(raw, &out) != nil {
		return models.Mask
	}
	return out
}

// newUUID is a random one (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// valueAt is what a node has at a path of a patch, and whether it has something.
func valueAt(n *models.Node, path string) (any, bool) {
	var object map[string]any
	if json.Unmarshal(n.Raw, &object) != nil {
		return nil, false
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, part := range parts {
		value, there := object[part]
		if i == len(parts)-1 {
			return value, there && value != nil
		}
		object, _ = value.(map[string]any)
	}
	return nil, false
}
