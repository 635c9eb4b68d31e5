package config

import (
	"ironworks/models"
	"ironworks/models/plan"
)

// Shown is the output of `config show`. Settings have the same names as in the configuration file. Secrets are
// masked, and empty settings are left out.
type Shown struct {
	File     string                 `json:"file"               yaml:"file"`
	Current  ShownContext           `json:"current"            yaml:"current"`
	Contexts []ShownContext         `json:"contexts,omitempty" yaml:"contexts,omitempty"`
	Keys     []KeyBinding           `json:"keys,omitempty"     yaml:"keys,omitempty"`
	Plugins  map[string]ShownPlugin `json:"plugins,omitempty" yaml:"plugins,omitempty"`
	Warnings []string               `json:"warnings,omitempty" yaml:"warnings,omitempty"`
}

// ShownContext is a context in the output of `config show`; see [Shown].
type ShownContext struct {
	Name     string   `json:"name"                yaml:"name"`
	Source   string   `json:"source"              yaml:"source"`
	Guessed  bool     `json:"guessed,omitempty"   yaml:"guessed,omitempty"`
	Error    string   `json:"error,omitempty"     yaml:"error,omitempty"`
	ReadOnly bool     `json:"read_only"           yaml:"read_only"`
	Accent   string   `json:"accent,omitempty"    yaml:"accent,omitempty"`
	Defaults Defaults `json:"defaults,omitzero"   yaml:"defaults,omitempty"`

	Checks map[plan.CheckID]plan.CheckPolicy `json:"checks,omitempty" yaml:"checks,omitempty"`

	Logs Logs `json:"logs,omitzero" yaml:"logs,omitempty"`
	// Journal limits the size and age of the journal.
	Journal Journal `json:"journal,omitzero" yaml:"journal,omitempty"`
	BMC     BMC     `json:"bmc,omitzero"     yaml:"bmc,omitempty"`

	URL      string          `json:"url,omitempty"      yaml:"url,omitempty"`
	Auth     models.AuthKind `json:"auth"               yaml:"auth"`
	Username string          `json:"username,omitempty" yaml:"username,omitempty"`
	Password models.Secret   `json:"password,omitempty" yaml:"password,omitempty"`

	AuthURL           string        `json:"auth_url,omitempty"                      yaml:"auth_url,omitempty"`
	UserID            string        `json:"user_id,omitempty"                       yaml:"user_id,omitempty"`
	UserDomainID      string        `json:"user_domain_id,omitempty"                yaml:"user_domain_id,omitempty"`
	UserDomainName    string        `json:"user_domain_name,omitempty"              yaml:"user_domain_name,omitempty"`
	ProjectID         string        `json:"project_id,omitempty"                    yaml:"project_id,omitempty"`
	ProjectName       string        `json:"project_name,omitempty"                  yaml:"project_name,omitempty"`
	ProjectDomainID   string        `json:"project_domain_id,omitempty"             yaml:"project_domain_id,omitempty"`
	ProjectDomainName string        `json:"project_domain_name,omitempty"           yaml:"project_domain_name,omitempty"`
	DomainID          string        `json:"domain_id,omitempty"                     yaml:"domain_id,omitempty"`
	DomainName        string        `json:"domain_name,omitempty"                   yaml:"domain_name,omitempty"`
	SystemScope       string        `json:"system_scope,omitempty"                  yaml:"system_scope,omitempty"`
	Token             models.Secret `json:"token,omitempty"                         yaml:"token,omitempty"`
	CredentialID      string        `json:"application_credential_id,omitempty"     yaml:"application_credential_id,omitempty"`
	CredentialName    string        `json:"application_credential_name,omitempty"   yaml:"application_credential_name,omitempty"`
	CredentialSecret  models.Secret `json:"application_credential_secret,omitempty" yaml:"application_credential_secret,omitempty"`
	Region            string        `json:"region,omitempty"                        yaml:"region,omitempty"`
	Interface         string        `json:"interface,omitempty"                     yaml:"interface,omitempty"`

	CACert     string `json:"cacert,omitempty"      yaml:"cacert,omitempty"`
	Cert       string `json:"cert,omitempty"        yaml:"cert,omitempty"`
	Key        string `json:"key,omitempty"         yaml:"key,omitempty"`
	Verify     bool   `json:"verify"                yaml:"verify"`
	APIVersion string `json:"api_version,omitempty" yaml:"api_version,omitempty"`
	Timeout    string `json:"timeout,omitempty"     yaml:"timeout,omitempty"`
}

// Show returns the configuration in the form that `config show` writes as YAML or JSON.
func (c *Config) Show() Shown {
	s := Shown{File: c.Files.Config, Current: c.Current.Show(), Keys: c.Console.Keys, Plugins: c.Console.showPlugins(), Warnings: c.Warnings}
	for i := range c.Contexts {
		s.Contexts = append(s.Contexts, c.Contexts[i].Show())
	}
	return s
}

// Show returns the context in the form that `config show` writes as YAML or JSON.
func (c *Context) Show() ShownContext {
	conn, k := &c.Connection, &c.Connection.Keystone
	s := ShownContext{
		Name: c.Name, Source: c.Source, Guessed: c.Guessed,
		ReadOnly: c.ReadOnly, Accent: c.Accent, Defaults: c.Defaults, Checks: c.Checks, Logs: c.Logs, Journal: c.Journal, BMC: c.BMC,
		URL: conn.Endpoint, Auth: conn.Auth, Username: conn.Username, Password: conn.Password,
		AuthURL: k.AuthURL, UserID: k.UserID, UserDomainID: k.UserDomainID, UserDomainName: k.UserDomainName,
		ProjectID: k.ProjectID, ProjectName: k.ProjectName,
		ProjectDomainID: k.ProjectDomainID, ProjectDomainName: k.ProjectDomainName,
		DomainID: k.DomainID, DomainName: k.DomainName, SystemScope: k.SystemScope,
		Token: k.Token, CredentialID: k.ApplicationCredentialID, CredentialName: k.ApplicationCredentialName,
		CredentialSecret: k.ApplicationCredentialSecret, Region: k.Region, Interface: k.Interface,
		CACert: conn.TLS.CACert, Cert: conn.TLS.Cert, Key: conn.TLS.Key, Verify: !conn.TLS.Insecure,
	}
	if c.Err != nil {
		s.Error = c.Err.Error()
	}
	if conn.MaxMinor > 0 {
		s.APIVersion = models.APIVersion{Minor: conn.MaxMinor}.String()
	}
	if conn.Timeout > 0 {
		s.Timeout = conn.Timeout.String()
	}
	return s
}
