package config

import (
	"strings"
	"testing"
	"time"
)

func TestMissingAndBadSettings(t *testing.T) {
	t.Parallel()
	own := oursPath
	tests := []struct {
		name string
		box  box
		want string
	}{
		{
			"nothing given",
			box{files: ours("contexts:\n  x: {accent: red}")},
			`context "x" (` + own + `:2): url: missing (set url (a standalone Ironic), cloud (a name in clouds.yaml) or auth_url (Keystone))`,
		},
		{
			"auth_url in ours",
			box{files: ours("contexts:\n  x: {auth: v3password, username: u, password: p}")},
			`context "x" (` + own + `:2): auth_url: missing (Keystone's address)`,
		},
		{
			"auth_url in clouds",
			box{files: clouds("clouds:\n  x:\n    auth_type: password\n    auth: {username: u, password: p}")},
			`context "x" (` + cloudsPath + `:2): auth.auth_url: missing (Keystone's address)`,
		},
		{
			"auth_url and profile",
			box{files: clouds("clouds:\n  x: {profile: vexxhost, auth_type: password, auth: {username: u, password: p}}")},
			`context "x" (` + cloudsPath + `:2): auth.auth_url: missing (Keystone's address; its profile "vexxhost" is not in any clouds-public.yaml)`,
		},
		{
			"user in environment",
			box{env: map[string]string{"OS_AUTH_TYPE": "http_basic", "OS_ENDPOINT": "http://x", "OS_PASSWORD": "p"}},
			`context "environment" (environment): OS_USERNAME: missing (required by http_basic)`,
		},
		{
			"endpoint in environment",
			box{env: map[string]string{"OS_AUTH_TYPE": "none"}},
			`context "environment" (environment): OS_ENDPOINT: missing (Ironic's URL; for Keystone set OS_AUTH_URL)`,
		},
		{
			"password",
			box{files: ours("contexts:\n  x: {url: 'http://h', username: u}")},
			`context "x" (` + own + `:2): password: missing (or set password_file or IRONWORKS_PASSWORD)`,
		},
		{
			"password of --url",
			box{flags: Flags{URL: "http://u@h"}},
			`context "h" (--url): IRONWORKS_PASSWORD: missing`,
		},
		{
			"unsupported kind in ours",
			box{files: ours("contexts:\n  x:\n    auth: v3oidcpassword")},
			own + `:3:11: contexts.x.auth: authentication "v3oidcpassword" is not supported (supported: none, http_basic, password, token, application_credential)`,
		},
		{
			"unsupported kind in clouds",
			box{files: clouds("clouds:\n  x: {auth_type: admin_token}")},
			cloudsPath + `:2:18: clouds.x.auth_type: authentication "admin_token" is not supported (supported: none, http_basic, password, token, application_credential)`,
		},
		{
			"unsupported kind in environment",
			box{env: map[string]string{"OS_AUTH_TYPE": "v2password", "OS_AUTH_URL": "http://k"}},
			`OS_AUTH_TYPE: authentication "v2password" is not supported (supported: none, http_basic, password, token, application_credential)`,
		},
		{
			"URL without scheme",
			box{flags: Flags{URL: "10.0.0.5:6385"}},
			`--url: "10.0.0.5:6385" has no scheme (use http://10.0.0.5:6385 or https://10.0.0.5:6385)`,
		},
		{
			"URL with another scheme",
			box{flags: Flags{URL: "ftp://10.0.0.5"}},
			`--url: "ftp://10.0.0.5" has an unknown scheme, "ftp" (use http:// or https://)`,
		},
		{
			"URL with a broken password",
			box{flags: Flags{URL: "http://u:secret/1@h"}},
			`--url: "http://******@h" is not a valid URL (percent-encode special characters in the password (%40, %2F, …))`,
		},
		{
			"URL without scheme but with a password",
			box{flags: Flags{URL: "u:secret@h"}},
			`--url: "******@h" has no scheme (use http://******@h or https://******@h)`,
		},
		{"URL without host", box{env: map[string]string{"IRONWORKS_URL": "http:///v1"}}, `IRONWORKS_URL: "http:///v1" has no host`},
		{
			"URL with query",
			box{flags: Flags{URL: "http://h/?a=b"}},
			`--url: "http://h/?a=b" has a query or fragment (use only scheme, host, port and path)`,
		},
		{
			"credentials in the wrong URL",
			box{files: ours("contexts:\n  x: {auth: none, url: 'http://u:p@h'}")},
			own + `:2:24: contexts.x.url: credentials in the URL are for http_basic only`,
		},
		{
			"two scopes",
			box{env: map[string]string{
				"OS_AUTH_URL": "http://k", "OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_PROJECT_ID": "x", "OS_SYSTEM_SCOPE": "all",
			}},
			`OS_SYSTEM_SCOPE: conflicts with OS_PROJECT_ID (keep only one scope)`,
		},
		{
			"system scope with application credential",
			box{files: ours(
				"contexts:\n  x: {auth_url: 'http://k', application_credential_id: i, application_credential_secret: s, system_scope: all}")},
			own + `:2:107: contexts.x.system_scope: an application credential already has a scope (omit it)`,
		},
		{
			"trust",
			box{files: clouds("clouds:\n  x: {auth: {auth_url: 'http://k', username: u, password: p, trust_id: t}}")},
			cloudsPath + `:2:72: clouds.x.auth.trust_id: trusts are not supported`,
		},
		{
			"CA that is not there",
			box{files: ours("contexts:\n  x: {url: 'https://h', cacert: no.pem}")},
			own + `:2:33: contexts.x.cacert: home/.config/ironworks/no.pem: the file does not exist`,
		},
		{
			"key without certificate",
			box{files: ours("contexts:\n  x: {url: 'https://h', key: config.yaml}")},
			own + `:2:30: contexts.x.key: needs a certificate (set cert, too)`,
		},
		{
			"interface",
			box{files: ours("contexts:\n  x: {url: 'https://h', auth_url: 'http://k', username: u, password: p, interface: intrenal}")},
			own + `:2:84: contexts.x.interface: must be public, internal or admin (did you mean internal?)`,
		},
		{
			"API version",
			box{files: ours("contexts:\n  x: {url: 'https://h', api_version: '2.1'}")},
			own + `:2:38: contexts.x.api_version: "2.1" is not an API version (use "1.82" for at most 1.82)`,
		},
		{
			"timeout",
			box{files: ours("contexts:\n  x: {url: 'https://h', timeout: 0}")},
			own + `:2:34: contexts.x.timeout: "0" is not a positive duration (use 30s, 2m or a number of seconds)`,
		},
		{
			"timeout of the flag",
			box{flags: Flags{Timeout: -time.Second}},
			`--connect-timeout: "-1s" is not a positive duration (use 30s, 2m or a number of seconds)`,
		},
		{
			"variables",
			box{env: map[string]string{"IRONWORKS_READ_ONLY": "maybe", "IRONWORKS_TIMEOUT": "soon"}},
			"IRONWORKS_READ_ONLY: must be true or false\n" +
				`IRONWORKS_TIMEOUT: "soon" is not a positive duration (use 30s, 2m or a number of seconds)`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.box.mustFail(t)
			if got != tt.want {
				t.Errorf("error\n got %s\nwant %s", got, tt.want)
			}
			if strings.Contains(got, "secret/1") || strings.Contains(got, "u:secret") {
				t.Error("the error shows a password")
			}
		})
	}
}

func TestPasswordFile(t *testing.T) {
	t.Parallel()
	const file = "contexts:\n  x: {url: 'http://h', username: u, password_file: %}"
	tests := []struct {
		name, path, content, wantErr string
	}{
		{"beside our file", "rack.secret", "p1\n", ""},
		{"in the home", "~/rack.secret", "p1\r\n", ""},
		{"absolute", "ROOT/etc/rack.secret", "p1", ""},
		{"empty", "rack.secret", "\n", "home/.config/ironworks/rack.secret: must contain exactly one line, the password"},
		{"two lines", "rack.secret", "a\nb\n", "home/.config/ironworks/rack.secret: must contain exactly one line, the password"},
		{"not there", "gone", "", "home/.config/ironworks/gone: the file does not exist"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := box{files: ours(strings.ReplaceAll(file, "%", tt.path))}
			for _, place := range []string{"home/.config/ironworks/", "home/", "etc/"} {
				b.files[place+"rack.secret"] = tt.content
			}
			if tt.wantErr != "" {
				if got := b.mustFail(t); got != oursPath+":2:52: contexts.x.password_file: "+tt.wantErr {
					t.Errorf("got %s", got)
				}
				return
			}
			if c := b.mustLoad(t); c.Current.Connection.Password.Reveal() != "p1" {
				t.Error("wrong password")
			}
		})
	}
}
