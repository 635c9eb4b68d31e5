package python

import "strings"

// Masked stands for a secret.
const Masked = "******"

// SecretKeys are parts of the names of secrets (oslo_utils.strutils).
var SecretKeys = []string{
	"adminpass", "admin_pass", "password", "admin_password", "auth_token", "new_pass", "auth_password", "secret_uuid",
	"secret", "sys_pswd", "token", "configdrive", "chappassword", "encrypted_key", "private_key", "fernetkey", "sslkey",
	"passphrase", "cephclusterfsid", "octaviaheartbeatkey", "rabbitcookie", "cephmanilaclientkey",
	"pacemakerremoteauthkey", "designaterndckey", "cephadminkey", "heatauthencryptionkey", "cephclientkey",
	"keystonecredential", "barbicansimplecryptokek", "cephrgwkey", "swifthashsuffix", "migrationsshkey", "cephmdskey",
	"cephmonkey", "chapsecret",
}

// IsSecret tells whether a text has the name of a secret in it.
func IsSecret(text string) bool {
	text = strings.ToLower(text)
	for _, key := range SecretKeys {
		if strings.Contains(text, key) {
			return true
		}
	}
	return false
}

// Bool reads a truth as oslo_utils.strutils does; ok is false for what is none.
func Bool(value any) (yes, ok bool) {
	switch strings.ToLower(strings.TrimSpace(Str(value))) {
	case "1", "t", "true", "on", "y", "yes":
		return true, true
	case "0", "f", "false", "off", "n", "no":
		return false, true
	default:
		return false, false
	}
}
