package api

import (
	"regexp"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// secretText matches the most common forms of a secret within a string: key=value, key: 'value' and --key value.
var secretText = regexp.MustCompile(
	`(?i)((?:` + strings.Join(python.SecretKeys, "|") + `)[0-9]*(?:\s*[=]\s*["']?|["']?\s*:\s*["']))([^"'\s]+)`)

var secretOption = regexp.MustCompile(`(?i)(--?(?:` + strings.Join(python.SecretKeys, "|") + `)[a-z_]*\s+)([^\s]+)`)

// maskSecrets returns a copy of d in which secrets are masked.
func maskSecrets(d db.Dict) db.Dict {
	shown := make(db.Dict, len(d))
	for key, value := range d {
		shown[key] = maskValue(value)
		if _, isObject := shown[key].(db.Dict); !isObject && python.IsSecret(key) {
			shown[key] = python.Masked
		}
	}
	return shown
}

func maskValue(value any) any {
	switch v := value.(type) {
	case string:
		return maskText(v)
	case map[string]any:
		return maskSecrets(v)
	case db.Dict:
		return maskSecrets(v)
	case []any:
		shown := make([]any, len(v))
		for i := range v {
			shown[i] = maskValue(v[i])
		}
		return shown
	default:
		return value
	}
}

func maskText(s string) string {
	if !python.IsSecret(s) {
		return s
	}
	return secretOption.ReplaceAllString(secretText.ReplaceAllString(s, "${1}"+python.Masked), "${1}"+python.Masked)
}

// maskKeys is like maskSecrets, but also masks the values of the given keys.
func maskKeys(info db.Dict, keys ...string) db.Dict {
	shown := maskSecrets(info)
	for _, key := range keys {
		if python.Truthy(shown[key]) {
			shown[key] = python.Masked
		}
	}
	return shown
}
