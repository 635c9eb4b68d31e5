package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"ironworks/models"
)

// kindNames maps the accepted names of authentication methods to the methods. Both keystoneauth's names, with or
// without a version, and the plain names of the configuration file are accepted.
var kindNames = map[string]models.AuthKind{
	"none": models.AuthNone, "noauth": models.AuthNone,
	"http_basic": models.AuthHTTPBasic,
	"password":   models.AuthPassword, "v3password": models.AuthPassword,
	"token": models.AuthToken, "v3token": models.AuthToken,
	"application_credential":  models.AuthApplicationCredential,
	"v3applicationcredential": models.AuthApplicationCredential,
}

const supportedKinds = "none, http_basic, password, token, application_credential"

// builder derives a connection from settings and collects errors.
type builder struct {
	*candidate
	s    settings
	conn models.Connection
	errs []error
}

// connection derives the candidate's connection from s, its merged settings. The error joins all problems of the
// candidate.
func (c *candidate) connection(s settings) (models.Connection, error) {
	b := &builder{candidate: c, s: s, errs: c.errs}
	broken := len(c.errs) > 0
	b.kind()
	b.endpoint()
	b.credentials()
	if b.conn.Auth.Keystone() {
		b.keystone()
	}
	b.tls()
	b.limits()
	if !broken { // a setting that seems missing may only be misspelled
		b.required()
	}
	return b.conn, errors.Join(b.errs...)
}

func (b *builder) fail(key, problem, hint string, cause error) {
	b.errs = append(b.errs, b.s[key].at.fault(problem, hint, cause))
}

// kindOf returns the configured authentication method or, if none is configured, the method that the settings imply.
// known is false if the configured name is not supported.
func kindOf(s settings) (kind models.AuthKind, known bool) {
	name := strings.ToLower(strings.TrimSpace(s.text(keyAuth)))
	switch kind, known = kindNames[name]; {
	case known, name != "":
		return kind, known
	case s.has(keyCredentialID, keyCredentialName, keyCredentialSecret):
		return models.AuthApplicationCredential, true
	case s.has(keyToken):
		return models.AuthToken, true
	case s.has(keyAuthURL):
		return models.AuthPassword, true
	case s.has(keyUsername, keyPassword, keyPasswordFile) || hasUserinfo(s.text(keyURL)):
		return models.AuthHTTPBasic, true
	}
	return models.AuthNone, true
}

func (b *builder) kind() {
	kind, known := kindOf(b.s)
	if !known {
		b.fail(keyAuth, fmt.Sprintf("authentication %q is not supported", b.s.text(keyAuth)), "supported: "+supportedKinds, nil)
	}
	b.conn.Auth = kind
	if b.s.has(keyTrustID) {
		b.fail(keyTrustID, "trusts are not supported", "", nil)
	}
}

func (b *builder) endpoint() {
	v, ok := b.s[keyURL]
	if !ok {
		return
	}
	u, problem, hint := parseURL(v.text)
	if problem != "" {
		b.fail(keyURL, problem, hint, nil)
		return
	}
	if user := u.User; user != nil {
		u.User = nil
		if b.conn.Auth != models.AuthHTTPBasic && b.conn.Auth != "" {
			b.fail(keyURL, "credentials in the URL are for http_basic only", "", nil)
		}
		if !b.s.has(keyUsername) {
			b.conn.Username = user.Username()
		}
		if pw, _ := user.Password(); !b.s.has(keyPassword, keyPasswordFile) {
			b.conn.Password = models.Secret(pw)
		}
	}
	b.conn.Endpoint = strings.TrimRight(u.String(), "/")
}

// credentials copies the user name and the password to the connection, but only if the authentication method uses
// them.
func (b *builder) credentials() {
	k := b.conn.Auth
	if k == models.AuthHTTPBasic || k == models.AuthPassword || k == models.AuthApplicationCredential {
		if b.s.has(keyUsername) {
			b.conn.Username = b.s.text(keyUsername)
		}
	}
	if k != models.AuthHTTPBasic && k != models.AuthPassword {
		return
	}
	switch {
	case b.s.has(keyPassword):
		b.conn.Password = models.Secret(b.s.text(keyPassword))
	case b.s.has(keyPasswordFile):
		password, problem, err := readPassword(b.s.text(keyPasswordFile))
		if problem != "" {
			b.fail(keyPasswordFile, problem, "", err)
		}
		b.conn.Password = password
	}
}

func (b *builder) tls() {
	b.conn.TLS = models.TLS{
		CACert: b.s.text(keyCACert), Cert: b.s.text(keyCert), Key: b.s.text(keyKey),
		Insecure: b.s.text(keyInsecure) == "true",
	}
	if b.s.has(keyKey) && !b.s.has(keyCert) {
		b.fail(keyKey, "needs a certificate", "set "+b.names(keyCert)+", too", nil)
	}
	for _, key := range []string{keyCACert, keyCert, keyKey} {
		if !b.s.has(key) || key == keyCACert && b.conn.TLS.Insecure {
			continue
		}
		if _, err := os.Stat(b.s.text(key)); err != nil {
			b.fail(key, b.s.text(key)+": "+readProblem(err), "", err)
		}
	}
}

func (b *builder) limits() {
	d, err := timeout(b.s[keyTimeout])
	if err != nil {
		b.errs = append(b.errs, err)
	}
	b.conn.Timeout = d

	// Other clients write "1" and "latest" to negotiate the version.
	version := b.s.text(keyAPIVersion)
	if version == "" || version == "1" || version == "latest" {
		return
	}
	v, err := models.ParseAPIVersion(version)
	if err != nil {
		b.fail(keyAPIVersion, fmt.Sprintf("%q is not an API version", version), `use "1.82" for at most 1.82`, err)
	}
	b.conn.MaxMinor = v.Minor
}

// required reports missing settings that the authentication method requires.
func (b *builder) required() {
	has := b.s.has
	c := b.conn
	switch c.Auth {
	case models.AuthNone:
		b.require(has(keyURL), keyURL, b.urlHint())
	case models.AuthHTTPBasic:
		b.require(has(keyURL), keyURL, "http_basic needs Ironic's URL; for Keystone set "+b.names(keyAuthURL))
		b.require(c.Username != "" || !b.urlGood(), keyUsername, "required by http_basic")
		b.require(c.Password.IsSet() || has(keyPasswordFile) || !b.urlGood(), keyPassword, b.passwordHint())
	case models.AuthPassword:
		b.require(has(keyAuthURL), keyAuthURL, "Keystone's address")
		b.require(has(keyUsername, keyUserID), keyUsername, "")
		b.require(has(keyPassword, keyPasswordFile), keyPassword, b.passwordHint())
	case models.AuthToken:
		b.require(has(keyAuthURL), keyAuthURL, "Keystone's address")
		b.require(has(keyToken), keyToken, "")
	case models.AuthApplicationCredential:
		b.require(has(keyAuthURL), keyAuthURL, "Keystone's address")
		b.require(has(keyCredentialSecret), keyCredentialSecret, "")
		b.require(has(keyCredentialID, keyCredentialName), keyCredentialID, "")
		if has(keyCredentialName) && !has(keyCredentialID) {
			b.require(has(keyUsername, keyUserID), keyUsername,
				b.names(keyCredentialName)+" is unique only per user; or set "+b.names(keyCredentialID))
		}
	}
}

// urlGood reports whether the URL is valid or absent. An invalid URL may contain the credentials, so they are not
// reported as missing.
func (b *builder) urlGood() bool { return b.conn.Endpoint != "" || !b.s.has(keyURL) }

func (b *builder) urlHint() string {
	if b.names(keyURL) == keyURL && !b.s.has(keyAuth) {
		return "set url (a standalone Ironic), cloud (a name in clouds.yaml) or auth_url (Keystone)"
	}
	return "Ironic's URL; for Keystone set " + b.names(keyAuthURL)
}

func (b *builder) passwordHint() string {
	switch own := b.names(keyPassword); own {
	case keyPassword:
		return "or set password_file or IRONWORKS_PASSWORD"
	case ownName(keyPassword):
		return ""
	default:
		return "or set IRONWORKS_PASSWORD"
	}
}

func (b *builder) require(ok bool, key, hint string) {
	if ok {
		return
	}
	if b.hint != "" {
		hint = strings.TrimPrefix(hint+"; "+b.hint, "; ")
	}
	b.errs = append(b.errs, &SettingError{
		Context: b.Name, Source: b.Source, Key: b.names(key), Problem: "missing", Hint: hint,
	})
}
