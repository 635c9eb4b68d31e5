package conductor

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"ironworks/lab/db"
	"ironworks/lab/python"
)

// dictOf is a value as an object.
func dictOf(value any) (db.Dict, bool) {
	switch v := value.(type) {
	case db.Dict:
		return v, v != nil
	case map[string]any:
		return v, v != nil
	default:
		return nil, false
	}
}

// dictsOf is a value as a list of objects.
func dictsOf(value any) []db.Dict {
	switch v := value.(type) {
	case []db.Dict:
		return v
	case []any:
		all := make([]db.Dict, 0, len(v))
		for _, element := range v {
			if d, ok := dictOf(element); ok {
				all = append(all, d)
			}
		}
		return all
	default:
		return nil
	}
}

// listOf makes a list that the database can keep.
func listOf(dicts []db.Dict) []any {
	all := make([]any, len(dicts))
	for i, d := range dicts {
		all[i] = map[string]any(d.Clone())
	}
	return all
}

// number is a value as an integer, 0 if it is none.
func number(value any) int {
	switch v := value.(type) {
	case int:
		return v
	case int64:
		return int(v)
	case float64:
		if math.Abs(v) < math.MaxInt32 {
			return int(v)
		}
		return 0
	case json.Number:
		n, _ := strconv.Atoi(v.String())
		return n
	case string:
		n, _ := strconv.Atoi(v)
		return n
	default:
		return 0
	}
}

// boolFrom reads a bool as oslo's strutils does; ok is false for what is none.
func boolFrom(value any) (yes, ok bool) {
	if b, isBool := value.(bool); isBool {
		return b, true
	}
	text, isText := value.(string)
	if !isText {
		text = python.Repr(value)
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "1", "t", "true", "on", "y", "yes":
		return true, true
	case "0", "f", "false", "off", "n", "no":
		return false, true
	default:
		return false, false
	}
}

// hidden stands for a secret.
const hidden = "******"

// secretKeys are in the names of what is hidden (oslo's mask_dict_password).
var secretKeys = []string{
	"adminpass", "admin_pass", "password", "admin_password", "auth_token", "new_pass", "auth_password", "secret_uuid",
	"secret", "sys_pswd", "token", "configdrive", "chappassword", "encrypted_key", "private_key", "fernetkey",
	"sslkey", "passphrase", "cephclusterfsid", "octaviaheartbeatkey", "rabbitcookie", "cephmanilaclientkey",
	"pacemakerremoteauthkey", "designaterndckey", "cephadminkey", "heatauthencryptionkey", "cephclientkey",
	"keystonecredential", "barbicansimplecryptokek", "cephrgwkey", "swifthashsuffix", "migrationsshkey", "cephmdskey",
	"cephmonkey", "chapsecret",
}

// mask hides the secrets in an object.
func mask(d db.Dict) db.Dict {
	masked := db.Dict{}
	for key, value := range d {
		lower := strings.ToLower(key)
		secret := false
		for _, word := range secretKeys {
			secret = secret || strings.Contains(lower, word)
		}
		sub, isDict := dictOf(value)
		_, isText := value.(string)
		switch {
		case isDict:
			masked[key] = map[string]any(mask(sub))
		case secret && (isText || value != nil):
			masked[key] = hidden
		default:
			masked[key] = value
		}
	}
	return masked
}
