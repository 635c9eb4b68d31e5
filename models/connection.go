package models

import "time"

// AuthKind is a way to prove to Ironic who we are.
type AuthKind string

// The ways to authenticate. Names are those of keystoneauth's auth_type, so that
// they read the same in our file, in clouds.yaml and in OS_AUTH_TYPE.
const (
	AuthNone                  AuthKind = "none"
	AuthHTTPBasic             AuthKind = "http_basic"
	AuthPassword              AuthKind = "v3password"
	AuthToken                 AuthKind = "v3token"
	AuthApplicationCredential AuthKind = "v3applicationcredential"
)

// Keystone says whether the kind asks Keystone for a token.
func (k AuthKind) Keystone() bool {
	switch k {
	case AuthPassword, AuthToken, AuthApplicationCredential:
		return true
	case AuthNone, AuthHTTPBasic:
		return false
	}
	return false
}

// Connection is everything that is needed to reach one Ironic. It is resolved by
// package config and used by package ironicclient; secrets in it mask themselves.
type Connection struct {
	// Auth is how we authenticate; empty means AuthNone.
	Auth AuthKind
	// Endpoint is Ironic's root URL, with or without a trailing /v1. With Keystone it
	// overrides the service catalogue and may be empty.
	Endpoint string

	// Username and Password serve http_basic and v3password.
	Username string
	Password Secret

	// Keystone holds what only the Keystone kinds need.
	Keystone Keystone

	// TLS says how the server is verified and who we are to it.
	TLS TLS

	// MaxMinor caps the API version that is negotiated (1.MaxMinor); 0 is no cap.
	MaxMinor int
	// Timeout bounds one request, connection included; 0 means the client's default.
	Timeout time.Duration
}

// Keystone is the part of a connection that only Keystone needs.
// IDs win over names where both are given.
type Keystone struct {
	AuthURL string

	UserID         string
	UserDomainID   string
	UserDomainName string

	// At most one scope: a project, a domain, or the whole system ("all").
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

	// Region and Interface (public, internal, admin; empty is public) pick the
	// endpoint from the service catalogue.
	Region    string
	Interface string
}

// TLS is how a server's certificate is verified.
type TLS struct {
	// CACert, Cert and Key are paths of PEM files; empty means the system's CAs and
	// no client certificate. Key may be empty when Cert holds both.
	CACert string
	Cert   string
	Key    string
	// Insecure switches verification off (verify: false).
	Insecure bool
}
