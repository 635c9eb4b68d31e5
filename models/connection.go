package models

import "time"

// AuthKind is an authentication method.
type AuthKind string

// The authentication methods, named as in keystoneauth's auth_type, as in clouds.yaml and OS_AUTH_TYPE.
const (
	AuthNone                  AuthKind = "none"
	AuthHTTPBasic             AuthKind = "http_basic"
	AuthPassword              AuthKind = "v3password"
	AuthToken                 AuthKind = "v3token"
	AuthApplicationCredential AuthKind = "v3applicationcredential"
)

// Keystone reports whether the method gets a token from Keystone.
func (k AuthKind) Keystone() bool {
	switch k {
	case AuthPassword, AuthToken, AuthApplicationCredential:
		return true
	case AuthNone, AuthHTTPBasic:
		return false
	}
	return false
}

// Connection has all settings for connecting to an Ironic. Package config reads them, ironicclient uses them. The
// secrets among them mask themselves.
type Connection struct {
	// Auth is the authentication method; empty means AuthNone.
	Auth AuthKind
	// Endpoint is Ironic's root URL, with or without /v1. With Keystone it overrides the service catalog and may be
	// empty.
	Endpoint string

	// Username and Password are for http_basic and v3password.
	Username string
	Password Secret

	// Keystone has the settings of the Keystone methods.
	Keystone Keystone

	// TLS has the certificates of the server's CA and of the client.
	TLS TLS

	// MaxMinor is the highest API version to negotiate (1.MaxMinor); 0 is unlimited.
	MaxMinor int
	// Timeout limits one request, including its connection; 0 means the client's default.
	Timeout time.Duration
}

// Keystone has the settings for Keystone. IDs take precedence over names.
type Keystone struct {
	AuthURL string

	UserID         string
	UserDomainID   string
	UserDomainName string

	// At most one scope is set: a project, a domain, or the whole system ("all").
	ProjectID         string
	ProjectName       string
	ProjectDomainID   string
	ProjectDomainName string
	DomainID          string
	DomainName        string
	SystemScope       string

	Token Secret

	ApplicationCredentialID     string
	ApplicationCredentialName   string
	ApplicationCredentialSecret Secret

	// Region and Interface (public, internal, admin; empty is public) select the endpoint in the service catalog.
	Region    string
	Interface string
}

// TLS configures the verification of certificates.
type TLS struct {
	// CACert, Cert and Key are PEM files; empty means the system's CAs and no client certificate. Key may be empty if
	// Cert has both.
	CACert string
	Cert   string
	Key    string
	// Insecure disables verification.
	Insecure bool
}
