package config

import (
	"ironworks/models"
	"ironworks/models/plan"
)

// Shown is the output of `config show`. Settings have the same names as in the configuration file. Secrets are
// masked, and empty settings are left out.
type Shown struct {
	File     string                 `json:"file"`
	Current  ShownContext           `json:"current"`
	Contexts []ShownContext         `json:"contexts,omitempty"`
	Keys     []KeyBinding           `json:"keys,omitempty"`
	Plugins  map[string]ShownPlugin `json:"plugins,omitempty"`
	Warnings []string               `json:"warnings,omitempty"`
}

// ShownContext is a context in the output of `config show`; see [Shown].
type ShownContext struct {
	Name     string   `json:"name"`
	Source   string   `json:"source"`
	Guessed  bool     `json:"guessed,omitempty"`
	Error    string   `json:"error,omitempty"`
	ReadOnly bool     `json:"read_only"`
	Accent   string   `json:"accent,omitempty"`
	Defaults Defaults `json:"defaults,omitzero"`

	Checks map[plan.CheckID]plan.CheckPolicy `json:"checks,omitempty"`

	Logs Logs `json:"logs,omitzero"`
	// Journal limits the size and age of the journal.
	Journal Journal `json:"journal,omitzero"`
	BMC     BMC     `json:"bmc,omitzero"`

	URL      string          `json:"url,omitempty"`
	Auth     models.AuthKind `json:"auth"`
	Username string          `json:"username,omitempty"`
	Password models.Secret   `json:"password,omitempty"`

	models.Keystone

	CACert     string `json:"cacert,omitempty"`
	Cert       string `json:"cert,omitempty"`
	Key        string `json:"key,omitempty"`
	Verify     bool   `json:"verify"`
	APIVersion string `json:"api_version,omitempty"`
	Timeout    string `json:"timeout,omitempty"`
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
	conn := &c.Connection
	s := ShownContext{
		Name: c.Name, Source: c.Source, Guessed: c.Guessed,
		ReadOnly: c.ReadOnly, Accent: c.Accent, Defaults: c.Defaults, Checks: c.Checks, Logs: c.Logs, Journal: c.Journal, BMC: c.BMC,
		URL: conn.Endpoint, Auth: conn.Auth, Username: conn.Username, Password: conn.Password,
		Keystone: conn.Keystone,
		CACert:   conn.TLS.CACert, Cert: conn.TLS.Cert, Key: conn.TLS.Key, Verify: !conn.TLS.Insecure,
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
