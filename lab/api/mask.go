package api

import (
	"regexp"
	"strings"

	"ironworks/lab/db"
	"ironworks/lab/python"
)

// masked stands for a secret.
const masked = "******"

// secretKeys are parts of the names of secrets (oslo_utils.strutils).
var secretKeys = []string{
	"adminpass", "admin_pass", "password", "admin_password", "auth_token", "new_pass", "auth_password", "secret_uuid",
	"secret", "sys_pswd", "token", "configdrive", "chappassword", "encrypted_key", "private_key", "fernetkey", "sslkey",
	"passphrase", "cephclusterfsid", "octaviaheartbeatkey", "rabbitcookie", "cephmanilaclientkey",
	"pacemakerremoteauthkey", "designaterndckey", "cephadminkey", "heatauthencryptionkey", "cephclientkey",
	"keystonecredential", "barbicansimplecryptokek", "cephrgwkey", "swifthashsuffix", "migrationsshkey", "cephmdskey",
	"cephmonkey", "chapsecret",
}

// secretText finds the most common forms of a secret within a text: key=value,
// key: 'value' and --key value.
var secretText = regexp.MustCompile(
	`(?i)((?:` + strings.Join(secretKeys, "|") + `)[0-9]*(?:\s*[=]\s*["']?|["']?\s*:\s*["']))([^"'\s]+)`)

var secretOption = regexp.MustCompile(`(?i)(--?(?:` + strings.Join(secretKeys, "|") + `)[a-z_]*\s+)([^\s]+)`)

func isSecret(key string) bool {
	key = strings.ToLower(key)
	for _, secret := range secretKeys {
		if strings.Contains(key, secret) {
			return true
		}
	}
	return false
}

// maskSecrets is a copy without secrets.
func maskSecrets(d db.Dict) db.Dict {
	shown := make(db.Dict, len(d))
	for key, value := range d {
		switch v := value.(type) {
		case map[string]any:
			shown[key] = maskSecrets(v)
		case db.Dict:
			shown[key] = maskSecrets(v)
		default:
			if isSecret(key) {
				shown[key] = masked
			} else {
				shown[key] = maskValue(value)
			}
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
	lower := strings.ToLower(s)
	for _, secret := range secretKeys {
		if strings.Contains(lower, secret) {
			return secretOption.ReplaceAllString(secretText.ReplaceAllString(s, "${1}"+masked), "${1}"+masked)
		}
	}
	return s
}

func maskDriverInfo(info db.Dict) db.Dict {
	shown := maskSecrets(info)
	for _, key := range []string{"snmp_auth_key", "snmp_priv_key"} {
		if python.Truthy(shown[key]) {
			shown[key] = masked
		}
	}
	return shown
}

func maskInstanceInfo(info db.Dict) db.Dict {
	shown := maskSecrets(info)
	for _, key := range []string{"configdrive", "image_url"} {
		if python.Truthy(shown[key]) {
			shown[key] = masked
		}
	}
	return shown
}
