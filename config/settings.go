package config

import (
	"maps"
	"path/filepath"
	"strings"

	"ironworks/models"
)

// Names of the connection settings in the configuration file. Settings from all other sources are converted to these
// names.
const (
	keyURL               = "url"
	keyCloud             = "cloud"
	keyAuth              = "auth"
	keyUsername          = "username"
	keyPassword          = "password"
	keyPasswordFile      = "password_file"
	keyAuthURL           = "auth_url"
	keyUserID            = "user_id"
	keyUserDomainID      = "user_domain_id"
	keyUserDomainName    = "user_domain_name"
	keyProjectID         = "project_id"
	keyProjectName       = "project_name"
	keyProjectDomainID   = "project_domain_id"
	keyProjectDomainName = "project_domain_name"
	keyDomainID          = "domain_id"
	keyDomainName        = "domain_name"
	keyDefaultDomain     = "default_domain"
	keySystemScope       = "system_scope"
	keyTrustID           = "trust_id"
	keyToken             = "token"
	keyCredentialID      = "application_credential_id"
	keyCredentialName    = "application_credential_name"
	keyCredentialSecret  = "application_credential_secret"
	keyRegion            = "region"
	keyInterface         = "interface"
	keyCACert            = "cacert"
	keyCert              = "cert"
	keyKey               = "key"
	keyInsecure          = "insecure"
	keyAPIVersion        = "api_version"
	keyTimeout           = "timeout"
	keyReadOnly          = "read_only"
	keyContext           = "context"
)

// origin is the place where a value is set.
type origin struct {
	file         string // "" for flags and variables
	line, column int
	key          string // for example contexts.rack7.url, clouds.prod.auth.username, OS_USERNAME, --url
}

// fault returns an error about the value at o. problem and hint must not contain secrets.
func (o origin) fault(problem, hint string, cause error) error {
	if o.file == "" {
		return &SettingError{Key: o.key, Problem: problem, Hint: hint, Err: cause}
	}
	return &FileError{File: o.file, Line: o.line, Column: o.column, Key: o.key, Problem: problem, Hint: hint, Err: cause}
}

// value is the text of a setting, with the place where it is set.
type value struct {
	text string
	at   origin
}

// settings holds the settings from one source, or merged from several sources. Empty text means unset.
type settings map[string]value

func (s settings) text(key string) string { return s[key].text }

func (s settings) has(keys ...string) bool {
	for _, k := range keys {
		if s[k].text != "" {
			return true
		}
	}
	return false
}

// exclusiveKeys lists groups of settings that exclude each other. If a source sets one setting of a group, the group's
// settings from sources with lower precedence are dropped.
var exclusiveKeys = [][]string{
	{keyUsername, keyUserID},
	{keyPassword, keyPasswordFile},
	{keyUserDomainID, keyUserDomainName},
	{keyProjectDomainID, keyProjectDomainName},
	{keyProjectID, keyProjectName, keyDomainID, keyDomainName, keySystemScope},
	{keyCredentialID, keyCredentialName},
}

// mergedOver returns s together with the settings in lower that s does not override.
func (s settings) mergedOver(lower settings) settings {
	out := maps.Clone(lower)
	if out == nil {
		out = settings{}
	}
	for _, group := range exclusiveKeys {
		if s.has(group...) {
			for _, k := range group {
				delete(out, k)
			}
		}
	}
	for k, v := range s {
		if v.text != "" {
			out[k] = v
		}
	}
	return out
}

// withKeys returns the settings in s that have one of the given keys, except unset ones.
func (s settings) withKeys(keys ...string) settings {
	out := settings{}
	for _, k := range keys {
		if s.has(k) {
			out[k] = s[k]
		}
	}
	return out
}

// expandPaths makes paths absolute: home replaces ~, and dir is the base of relative paths.
func (s settings) expandPaths(home, dir string) {
	for _, k := range []string{keyPasswordFile, keyCACert, keyCert, keyKey} {
		if v := s[k]; v.text != "" {
			v.text = expandPath(v.text, home, dir)
			s[k] = v
		}
	}
}

func expandPath(path, home, dir string) string {
	if home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
		return filepath.Join(home, path[1:])
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// parseBool parses a boolean. It accepts the spellings that OpenStack's clients accept.
func parseBool(text string) (is, ok bool) { return models.ParseBool(strings.TrimSpace(text)) }
