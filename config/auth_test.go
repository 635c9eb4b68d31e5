package config

import (
	"testing"

	"ironworks/models"
)

// TestEveryAuthFromEverySource checks that each connection is the same whether it is loaded from the configuration
// file, clouds.yaml or OS_* variables.
func TestEveryAuthFromEverySource(t *testing.T) {
	t.Parallel()
	const keystone = "https://keystone:5000/v3"
	tests := []struct {
		name   string
		ours   string
		clouds string
		env    map[string]string
		want   models.Connection
	}{
		{
			name:   "none",
			ours:   "{url: http://iron:6385, auth: none}",
			clouds: "{auth_type: none, auth: {endpoint: http://iron:6385/}}",
			env:    map[string]string{"OS_AUTH_TYPE": "none", "OS_ENDPOINT": "http://iron:6385"},
			want:   models.Connection{Auth: models.AuthNone, Endpoint: "http://iron:6385"},
		},
		{
			name:   "none without an auth block (gophercloud panics)",
			ours:   "{url: http://iron:6385}",
			clouds: "{auth_type: none, baremetal_endpoint_override: http://iron:6385}",
			env:    map[string]string{"IRONIC_URL": "http://iron:6385"},
			want:   models.Connection{Auth: models.AuthNone, Endpoint: "http://iron:6385"},
		},
		{
			name:   "http_basic",
			ours:   "{url: http://iron:6385/v1, username: u, password: p}",
			clouds: "{auth_type: http_basic, auth: {username: u, password: p, endpoint: http://iron:6385/v1}}",
			env: map[string]string{
				"OS_AUTH_TYPE": "http_basic", "OS_ENDPOINT_OVERRIDE": "http://iron:6385/v1", "OS_USERNAME": "u", "OS_PASSWORD": "p",
			},
			want: models.Connection{Auth: models.AuthHTTPBasic, Endpoint: "http://iron:6385/v1", Username: "u", Password: "p"},
		},
		{
			name:   "http_basic in the URL",
			ours:   "{url: 'http://u:p%40@iron:6385'}",
			clouds: "{auth_type: http_basic, endpoint: 'http://u:p%40@iron:6385'}",
			env:    map[string]string{"OS_ENDPOINT": "http://u:p%40@iron:6385"},
			want:   models.Connection{Auth: models.AuthHTTPBasic, Endpoint: "http://iron:6385", Username: "u", Password: "p@"},
		},
		{
			name:   "password, default domains",
			ours:   "{auth_url: https://keystone:5000/v3/, username: u, password: p, project_name: adm}",
			clouds: "{auth: {auth_url: https://keystone:5000/v3, username: u, password: p, project_name: adm}}",
			env:    map[string]string{"OS_AUTH_URL": keystone, "OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_TENANT_NAME": "adm"},
			want: func() models.Connection {
				c := keystoneConn(models.AuthPassword, models.Keystone{
					UserDomainID: "default", ProjectName: "adm", ProjectDomainID: "default",
				})
				c.Username, c.Password = "u", "p"
				return c
			}(),
		},
		{
			name: "password, two domains, region, interface, override",
			ours: `{auth: v3password, auth_url: https://keystone:5000/v3, username: u, password: p, user_domain_name: people,
				project_name: adm, project_domain_name: work, region: R2, interface: internalURL, url: http://iron:6385}`,
			clouds: `{auth_type: v3password, region_name: R2, baremetal_interface: internal, interface: public,
				baremetal_endpoint_override: http://iron:6385, auth: {auth_url: https://keystone:5000/v3, username: u, password: p,
				user_domain_name: people, project_name: adm, project_domain_name: work}}`,
			env: map[string]string{
				"OS_AUTH_TYPE": "password", "OS_AUTH_URL": keystone, "OS_USERNAME": "u", "OS_PASSWORD": "p",
				"OS_USER_DOMAIN_NAME": "people", "OS_PROJECT_NAME": "adm", "OS_PROJECT_DOMAIN_NAME": "work",
				"OS_REGION_NAME": "R2", "OS_INTERFACE": "internal", "OS_BAREMETAL_ENDPOINT_OVERRIDE": "http://iron:6385",
			},
			want: func() models.Connection {
				c := keystoneConn(models.AuthPassword, models.Keystone{
					UserDomainName: "people", ProjectName: "adm", ProjectDomainName: "work", Region: "R2", Interface: "internal",
				})
				c.Username, c.Password, c.Endpoint = "u", "p", "http://iron:6385"
				return c
			}(),
		},
		{
			name:   "password by id, a domain beside the project",
			ours:   "{auth_url: https://keystone:5000/v3, username: u, password: p, project_id: '7', domain_name: corp}",
			clouds: "{auth: {auth_url: https://keystone:5000/v3, username: u, password: p, tenant-id: 7, domain_name: corp}}",
			env: map[string]string{
				"OS_AUTH_URL": keystone, "OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_PROJECT_ID": "7", "OS_DOMAIN_NAME": "corp",
			},
			want: func() models.Connection {
				c := keystoneConn(models.AuthPassword, models.Keystone{UserDomainName: "corp", ProjectID: "7", ProjectDomainName: "corp"})
				c.Username, c.Password = "u", "p"
				return c
			}(),
		},
		{
			name:   "system scope",
			ours:   "{auth_url: https://keystone:5000/v3, user_id: '5', password: p, system_scope: all}",
			clouds: "{auth_type: password, auth: {auth_url: https://keystone:5000/v3, user_id: 5, password: p, system_scope: all}}",
			env: map[string]string{
				"OS_AUTH_URL": keystone, "OS_USER_ID": "5", "OS_PASSWORD": "p", "OS_SYSTEM_SCOPE": "all",
			},
			want: func() models.Connection {
				c := keystoneConn(models.AuthPassword, models.Keystone{UserID: "5", SystemScope: "all"})
				c.Password = "p"
				return c
			}(),
		},
		{
			name:   "domain scope",
			ours:   "{auth_url: https://keystone:5000/v3, username: u, password: p, domain_id: d}",
			clouds: "{auth: {auth_url: https://keystone:5000/v3, username: u, password: p, domain_id: d}}",
			env:    map[string]string{"OS_AUTH_URL": keystone, "OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_DOMAIN_ID": "d"},
			want: func() models.Connection {
				c := keystoneConn(models.AuthPassword, models.Keystone{UserDomainID: "d", DomainID: "d"})
				c.Username, c.Password = "u", "p"
				return c
			}(),
		},
		{
			name:   "token",
			ours:   "{auth: token, auth_url: https://keystone:5000/v3, token: tok, project_id: x}",
			clouds: "{auth_type: v3token, auth: {auth_url: https://keystone:5000/v3, token: tok, project_id: x}}",
			env:    map[string]string{"OS_AUTH_TYPE": "v3token", "OS_AUTH_URL": keystone, "OS_TOKEN": "tok", "OS_PROJECT_ID": "x"},
			want:   keystoneConn(models.AuthToken, models.Keystone{Token: "tok", ProjectID: "x"}),
		},
		{
			name: "application credential",
			ours: `{auth: application_credential, auth_url: https://keystone:5000/v3, application_credential_id: i,
				application_credential_secret: s}`,
			clouds: `{auth_type: v3applicationcredential, auth: {auth_url: https://keystone:5000/v3,
				application_credential_id: i, application_credential_secret: s, project_id: leftover}}`,
			env: map[string]string{
				"OS_AUTH_TYPE": "v3applicationcredential", "OS_AUTH_URL": keystone,
				"OS_APPLICATION_CREDENTIAL_ID": "i", "OS_APPLICATION_CREDENTIAL_SECRET": "s",
			},
			want: keystoneConn(models.AuthApplicationCredential, models.Keystone{
				ApplicationCredentialID: "i", ApplicationCredentialSecret: "s",
			}),
		},
		{
			name: "application credential by name",
			ours: `{auth_url: https://keystone:5000/v3, application_credential_name: n, application_credential_secret: s,
				username: u, user_domain_id: d}`,
			clouds: `{auth: {auth_url: https://keystone:5000/v3, application_credential_name: n, application_credential_secret: s,
				username: u, user_domain_id: d}}`,
			env: map[string]string{
				"OS_AUTH_URL": keystone, "OS_APPLICATION_CREDENTIAL_NAME": "n", "OS_APPLICATION_CREDENTIAL_SECRET": "s",
				"OS_USERNAME": "u", "OS_USER_DOMAIN_ID": "d",
			},
			want: func() models.Connection {
				c := keystoneConn(models.AuthApplicationCredential, models.Keystone{
					ApplicationCredentialName: "n", ApplicationCredentialSecret: "s", UserDomainID: "d",
				})
				c.Username = "u"
				return c
			}(),
		},
		{
			name:   "unverified, version cap",
			ours:   "{url: https://iron:6385, verify: false, api_version: 1.80}",
			clouds: `{auth_type: none, endpoint: "https://iron:6385", verify: "False", baremetal_api_version: "1.80"}`,
			env:    map[string]string{"OS_ENDPOINT": "https://iron:6385", "OS_INSECURE": "1", "OS_BAREMETAL_API_VERSION": "1.80"},
			want: models.Connection{
				Auth: models.AuthNone, Endpoint: "https://iron:6385", TLS: models.TLS{Insecure: true}, MaxMinor: 80,
			},
		},
	}
	for _, tt := range tests {
		for _, src := range []struct {
			name string
			box  box
		}{
			{"ours", box{files: ours("contexts:\n  x: " + tt.ours)}},
			{"clouds", box{files: clouds("clouds:\n  x: " + tt.clouds)}},
			{"environment", box{env: tt.env}},
		} {
			t.Run(tt.name+"/"+src.name, func(t *testing.T) {
				t.Parallel()
				c := src.box.mustLoad(t)
				if !same(c.Current.Connection, tt.want) {
					t.Errorf("connection\n got %+v\nwant %+v", c.Current.Connection, tt.want)
				}
				if len(c.Warnings) > 0 {
					t.Errorf("warnings %q", c.Warnings)
				}
			})
		}
	}
}
