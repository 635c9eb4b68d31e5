package models

import "time"

// AuthKind is an authentication method.
type AuthKind string

// The authentication methods. The names are the values of auth_type in keystoneauth, and therefore also in
// clouds.yaml and OS_AUTH_TYPE.
const (
	AuthNone                  AuthKind = "none"
	AuthHTTPBasic             AuthKind = "http_basic"
	AuthPassword              AuthKind = "v3password"
	AuthToken                 AuthKind = "v3token"
	AuthApplicationCredential AuthKind = "v3applicationcredential"
)

// Keystone reports whether the method requests a token from Keystone.
func (k AuthKind) Keystone() bool {
	return k == AuthPassword || k == AuthToken || k == AuthApplicationCredential
}

// Connection holds all settings for connecting to an Ironic API. Package config reads them, and package ironicclient
// uses them. Secrets are masked when printed.
type Connection struct {
	// Auth is the authentication method; empty means AuthNone.
	Auth AuthKind
	// Endpoint is Ironic's root URL, with or without /v1. With Keystone authentication it overrides the service
	// catalog and may be empty.
	Endpoint string

	// Username and Password are used by http_basic and v3password.
	Username string
	Password Secret

	// Keystone holds the settings for the Keystone authentication methods.
	Keystone Keystone

	// TLS holds the certificate settings.
	TLS TLS

	// MaxMinor is the highest minor API version to negotiate (1.MaxMinor). 0 means no limit.
	MaxMinor int
	// Timeout limits the duration of one request, including the time to connect. 0 means the client's default.
	Timeout time.Duration
}

// Keystone holds the settings for Keystone authentication. IDs take precedence over names.
type Keystone struct {
	AuthURL string `json:"auth_url,omitempty"`

	UserID         string `json:"user_id,omitempty"`
	UserDomainID   string `json:"user_domain_id,omitempty"`
	UserDomainName string `json:"user_domain_name,omitempty"`

	// At most one scope is set: a project, a domain, or the whole system ("all").
	ProjectID         string `json:"project_id,omitempty"`
	ProjectName       string `json:"project_name,omitempty"`
	ProjectDomainID   string `json:"project_domain_id,omitempty"`
	ProjectDomainName string `json:"project_domain_name,omitempty"`
	DomainID          string `json:"domain_id,omitempty"`
	DomainName        string `json:"domain_name,omitempty"`
	SystemScope       string `json:"system_scope,omitempty"`

	Token Secret `json:"token,omitempty"`

	ApplicationCredentialID     string `json:"application_credential_id,omitempty"`
	ApplicationCredentialName   string `json:"application_credential_name,omitempty"`
	ApplicationCredentialSecret Secret `json:"application_credential_secret,omitempty"`

	// Region and Interface (public, internal or admin; empty means public) select the endpoint in the service catalog.
	Region    string `json:"region,omitempty"`
	Interface string `json:"interface,omitempty"`
}

// TLS holds the client's certificate and the settings for verifying the server's certificate.
type TLS struct {
	// CACert, Cert and Key are the names of PEM files. Without CACert, the system's CAs are used; without Cert, no
	// client certificate is sent. Key may be empty if the Cert file also contains the key.
	CACert string
	Cert   string
	Key    string
	// Insecure disables the verification of the server's certificate.
	Insecure bool
}
