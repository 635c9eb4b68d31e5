package models

import (
	"maps"
	"regexp"
	"strings"
	"time"
)

// Picture is a snapshot of a node.
type Picture struct {
	// At is the time of the snapshot, on the server's clock.
	At   time.Time `json:"at"`
	Node Node      `json:"node"`
}

// WithoutSecrets returns a copy of the node that can be stored. The copy masks user data, configdrives and fields
// whose names suggest a secret. Its URLs contain no password or query string, and Raw is omitted.
func (n *Node) WithoutSecrets() Node {
	out := *n
	out.Raw = nil
	out.Properties, out.DriverInfo, out.InstanceInfo = maskObject(n.Properties), maskObject(n.DriverInfo), maskObject(n.InstanceInfo)
	for _, s := range []**Step{&out.DeployStep, &out.CleanStep, &out.ServiceStep} {
		if *s != nil {
			masked := (*s).withoutSecrets()
			*s = &masked
		}
	}
	if n.Internal != nil {
		internal := *n.Internal
		for _, steps := range []*[]Step{&internal.DeploySteps, &internal.CleanSteps, &internal.ServiceSteps} {
			*steps = stepsWithoutSecrets(*steps)
		}
		out.Internal = &internal
	}
	return out
}

func (s *Step) withoutSecrets() Step {
	out := *s
	out.Args = maskObject(s.Args)
	return out
}

func stepsWithoutSecrets(steps []Step) []Step {
	if steps == nil {
		return nil
	}
	out := make([]Step, len(steps))
	for i := range steps {
		out[i] = steps[i].withoutSecrets()
	}
	return out
}

var secretKey = regexp.MustCompile(`(?i)pass|token|secret|credential|private|api_?key|auth|user_?data|vendor_data|config_?drive`)

// SecretKey reports whether the name of a field suggests that the field holds a secret.
func SecretKey(name string) bool { return secretKey.MatchString(name) }

func maskObject(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := maps.Clone(m)
	for key, value := range out {
		if value != nil && SecretKey(key) {
			out[key] = Mask
			continue
		}
		out[key] = maskAny(value)
	}
	return out
}

func maskAny(value any) any {
	switch v := value.(type) {
	case string:
		return maskWords(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = maskAny(v[i])
		}
		return out
	case map[string]any:
		return maskObject(v)
	}
	return value
}

// maskWords masks secrets in a text with several words, such as kernel parameters. It masks the values of keys that
// suggest a secret, and the credentials in URLs.
func maskWords(text string) string {
	if !strings.ContainsAny(text, "=:") {
		return text
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		key, value, is := strings.Cut(word, "=")
		switch {
		case is && value != "" && !strings.Contains(key, "://") && SecretKey(key):
			words[i] = key + "=" + Mask
		case is && strings.Contains(value, "://") && !strings.Contains(key, "://"):
			words[i] = key + "=" + MaskURL(value)
		default:
			words[i] = MaskURL(word)
		}
	}
	return strings.Join(words, " ")
}
