package config

import (
	"strings"
	"testing"
	"time"
)

func TestCloudsAreFound(t *testing.T) {
	t.Parallel()
	cloud := func(host string) string { return "clouds: {x: {auth_type: none, endpoint: 'http://" + host + "'}}" }
	tests := []struct {
		name  string
		files map[string]string
		env   map[string]string
		want  string
	}{
		{"work before home", map[string]string{"work/clouds.yaml": cloud("work"), cloudsPath: cloud("home")}, nil, "http://work"},
		{"home before etc", map[string]string{cloudsPath: cloud("home"), "etc/openstack/clouds.yaml": cloud("etc")}, nil, "http://home"},
		{"etc", map[string]string{"etc/openstack/clouds.yaml": cloud("etc")}, nil, "http://etc"},
		{"yml", map[string]string{"home/.config/openstack/clouds.yml": cloud("yml")}, nil, "http://yml"},
		{
			"XDG_CONFIG_HOME",
			map[string]string{cloudsPath: cloud("home"), "xdg/openstack/clouds.yaml": cloud("xdg")},
			map[string]string{"XDG_CONFIG_HOME": "ROOT/xdg"},
			"http://xdg",
		},
		{
			"relative XDG_CONFIG_HOME",
			map[string]string{cloudsPath: cloud("home"), "work/xdg/openstack/clouds.yaml": cloud("xdg")},
			map[string]string{"XDG_CONFIG_HOME": "xdg"},
			"http://home",
		},
		{
			"OS_CLIENT_CONFIG_FILE",
			map[string]string{"work/clouds.yaml": cloud("work"), "etc/my.yaml": cloud("my")},
			map[string]string{"OS_CLIENT_CONFIG_FILE": "ROOT/etc/my.yaml"},
			"http://my",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := box{files: tt.files, env: tt.env}
			if got := b.mustLoad(t).Current.Connection.Endpoint; got != tt.want {
				t.Errorf("endpoint %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCloudsAreMerged(t *testing.T) {
	t.Parallel()
	b := box{files: map[string]string{
		publicPath: "public-clouds:\n  vendor: {auth: {auth_url: 'http://vendor', user_domain_name: vd}, region_name: VR, interface: internal}\n",
		cloudsPath: "clouds:\n  x: {profile: vendor, region-name: CR, auth: {username: u, project-name: pr}, verify: true, api_timeout: 12}\n" +
			"  y: {auth_type: none, endpoint: 'http://y'}\n",
		securePath: "clouds:\n  x: {auth: {password: s3cret}, verify: false}\n  z: {auth: {password: other}}\n",
	}, flags: Flags{Cloud: "x"}}
	c := b.mustLoad(t)
	conn := c.Current.Connection
	k := conn.Keystone
	if k.AuthURL != "http://vendor" || k.UserDomainName != "vd" || k.Region != "CR" || k.Interface != "internal" ||
		conn.Username != "u" || k.ProjectName != "pr" || conn.Password.Reveal() != "s3cret" || !conn.TLS.Insecure ||
		conn.Timeout != 12*time.Second {
		t.Errorf("connection %+v", conn)
	}
	if len(c.Contexts) != 2 || b.short(c.Files.Secure) != securePath || b.short(c.Files.Clouds) != cloudsPath {
		t.Errorf("contexts %+v, files %+v", c.Contexts, c.Files)
	}
}

func TestSecureIsFound(t *testing.T) {
	t.Parallel()
	const text = "clouds: {x: {auth_type: http_basic, endpoint: 'http://h', auth: {username: u}}}"
	secure := func(pw string) string { return "clouds: {x: {auth: {password: " + pw + "}}}" }
	for _, tt := range []struct {
		name  string
		files map[string]string
		env   map[string]string
		want  string
	}{
		{"beside first", map[string]string{"work/secure.yaml": secure("w"), securePath: secure("h")}, nil, "h"},
		{"elsewhere", map[string]string{"etc/openstack/secure.yml": secure("e")}, nil, "e"},
		{"OS_CLIENT_SECURE_FILE", map[string]string{"etc/s.yaml": secure("s"), securePath: secure("h")}, map[string]string{"OS_CLIENT_SECURE_FILE": "ROOT/etc/s.yaml"}, "s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := box{files: tt.files, env: tt.env}
			b.files[cloudsPath] = text
			if got := b.mustLoad(t).Current.Connection.Password.Reveal(); got != tt.want {
				t.Errorf("password %q, want %q", got, tt.want)
			}
		})
	}
}

// TestUnreadableSecure checks that an invalid secure.yaml is reported itself, rather than only the password that is
// missing as a result.
func TestUnreadableSecure(t *testing.T) {
	t.Parallel()
	b := box{files: map[string]string{
		cloudsPath: "clouds: {x: {auth_type: http_basic, endpoint: 'http://h', auth: {username: u}}}",
		securePath: "clouds: {x: {auth: {password: [}}}",
	}}
	if _, err := b.load(t); err == nil || !strings.Contains(err.Error(), "secure.yaml") {
		t.Errorf("error %v, want one about secure.yaml", err)
	}
}

func TestRegions(t *testing.T) {
	t.Parallel()
	const text = `clouds:
  x:
    auth: {auth_url: 'http://k', username: u, password: p}
    regions:
      - name: R1
        values: {baremetal_endpoint_override: 'http://one'}
      - R2
      - {name: R3, values: {interface: admin, auth: {project_name: three}}}
`
	tests := []struct {
		name      string
		box       box
		region    string
		url       string
		project   string
		wantError string
	}{
		{name: "the first", box: box{files: clouds(text)}, region: "R1", url: "http://one"},
		{name: "region_name", box: box{files: clouds(text + "    region_name: R2\n")}, region: "R2"},
		{name: "OS_REGION_NAME", box: box{files: clouds(text), env: map[string]string{"OS_CLOUD": "x", "OS_REGION_NAME": "R3"}}, region: "R3", project: "three"},
		{name: "region of a context", box: box{files: map[string]string{
			cloudsPath: text, oursPath: "contexts: {c: {cloud: x, region: R3}}",
		}}, region: "R3", project: "three"},
		{
			name: "unknown", box: box{files: clouds(text + "    region_name: R22\n")},
			wantError: cloudsPath + `:5:7: clouds.x.regions: no region "R22" (did you mean R2?)`,
		},
		{
			name: "wrong type", box: box{files: clouds("clouds: {x: {regions: yes, auth_type: none, endpoint: 'http://h'}}")},
			wantError: cloudsPath + `:1:23: clouds.x.regions: must be a list of regions, but is text`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.wantError != "" {
				if got := tt.box.mustFail(t); got != tt.wantError {
					t.Errorf("error\n got %s\nwant %s", got, tt.wantError)
				}
				return
			}
			got := tt.box.mustLoad(t).Current.Connection
			if got.Keystone.Region != tt.region || got.Endpoint != tt.url || got.Keystone.ProjectName != tt.project {
				t.Errorf("connection %+v", got)
			}
		})
	}
}

func TestContextOverItsCloud(t *testing.T) {
	t.Parallel()
	b := box{files: map[string]string{
		oursPath: "contexts:\n  prod: {cloud: prod, system_scope: all, interface: internal, timeout: 3s, accent: red}\n",
		cloudsPath: "clouds:\n  prod:\n    interface: public\n    auth: {auth_url: 'http://k', username: u, password: p, project_name: adm}\n" +
			"  other: {auth_type: none, endpoint: 'http://o'}\n",
	}}
	c := b.mustLoad(t)
	got := c.Current
	k := got.Connection.Keystone
	if k.SystemScope != "all" || k.ProjectName != "" || k.Interface != "internal" || got.Connection.Timeout != 3*time.Second || got.Accent != "red" {
		t.Errorf("context %+v", got)
	}
	if want := oursPath + ":2, cloud \"prod\" of " + cloudsPath + ":2"; b.short(got.Source) != want {
		t.Errorf("source %s, want %s", b.short(got.Source), want)
	}
	if len(c.Contexts) != 2 || c.Contexts[0].Name != "other" || c.Contexts[1].Accent != "red" {
		t.Errorf("contexts %+v", c.Contexts)
	}
	b.flags.Cloud = "prod" // selects the cloud despite a context with the same name
	c, err := Load(b.options())
	if err != nil || c.Current.Accent != "" || c.Current.Connection.Keystone.ProjectName != "adm" || c.Contexts[1].Accent != "red" {
		t.Errorf("error %v, current %+v, contexts %+v", err, c.Current, c.Contexts)
	}
}

func TestVariablesOverCloud(t *testing.T) {
	t.Parallel()
	b := box{
		files: clouds("clouds: {x: {region_name: R, auth: {auth_url: 'http://k', username: u, project_id: pr}}}"),
		env: map[string]string{
			"OS_CLOUD": "x", "OS_REGION_NAME": "R2", "OS_INTERFACE": "admin", "OS_SYSTEM_SCOPE": "all", "OS_PASSWORD": "ep",
			"OS_AUTH_URL": "http://leftover", "OS_USERNAME": "leftover",
		},
	}
	conn := b.mustLoad(t).Current.Connection
	k := conn.Keystone
	if k.Region != "R2" || k.Interface != "admin" || k.SystemScope != "all" || k.ProjectID != "" ||
		conn.Password.Reveal() != "ep" || k.AuthURL != "http://k" || conn.Username != "u" {
		t.Errorf("connection %+v", conn)
	}
}

func TestBrokenClouds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		box  box
		want string
	}{
		{"syntax", box{files: clouds("clouds:\n  x: {\n")}, cloudsPath + ":2: not valid YAML: did not find expected node content"},
		{"no mapping", box{files: clouds("clouds: [x]")}, cloudsPath + ":1:9: clouds: must be a mapping of clouds, but is a list"},
		{"cloud is a text", box{files: clouds("clouds: {x: y}")}, cloudsPath + ":1:13: clouds.x: must be a mapping, but is text"},
		{
			"auth is a list",
			box{files: clouds("clouds: {x: {auth: [], auth_type: none, endpoint: 'http://h'}}")},
			cloudsPath + ":1:20: clouds.x.auth: must be a mapping, but is a list",
		},
		{
			"password is a mapping",
			box{files: clouds("clouds: {x: {endpoint: 'http://h', auth: {username: u, password: {a: b}}}}")},
			cloudsPath + ":1:66: clouds.x.auth.password: must be text, but is a mapping",
		},
		{
			"verify",
			box{files: clouds("clouds: {x: {auth_type: none, endpoint: 'http://h', verify: maybe}}")},
			cloudsPath + ":1:61: clouds.x.verify: must be true or false",
		},
		{
			"secure",
			box{files: map[string]string{cloudsPath: "clouds: {x: {auth_type: none, endpoint: 'http://h'}}", securePath: "a: [\n"}},
			securePath + ":1: not valid YAML: did not find expected node content",
		},
		{"cloud is empty", box{files: clouds("clouds: {x: }")}, `context "x" (` + cloudsPath + ":1): auth.endpoint: missing (Ironic's URL; for Keystone set auth.auth_url)"},
		{"auth is empty", box{files: clouds("clouds: {x: {auth_type: password, auth: }}")}, `context "x" (` + cloudsPath + ":1): auth.auth_url: missing (Keystone's address)"},
		{
			"OS_CLIENT_CONFIG_FILE",
			box{files: clouds("clouds: {x: {}}"), env: map[string]string{"OS_CLIENT_CONFIG_FILE": "no.yaml", "OS_CLOUD": "x"}},
			"work/no.yaml: the file does not exist (set by OS_CLIENT_CONFIG_FILE)",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.box.mustFail(t)
			if first, _, _ := strings.Cut(got, "\n"); first != tt.want {
				t.Errorf("error\n got %s\nwant %s", got, tt.want)
			}
		})
	}
	t.Run("not asked for", func(t *testing.T) {
		t.Parallel()
		b := box{files: clouds("clouds: {"), flags: Flags{URL: "http://h"}}
		b.mustLoad(t)
	})
}

func TestCloudsAreReadLeniently(t *testing.T) {
	t.Parallel()
	b := box{files: clouds(`
client: {force_ipv4: true}
base: &base {auth_type: http_basic, auth: &auth {endpoint: 'http://h', username: 7}}
clouds:
  x:
    <<: *base
    auth: {<<: *auth, password: 0123}
    interface: [internal, public]
    interface: [admin]
    networks: [{name: a}]
    identity_api_version: 3
    baremetal_api_version: 1
    key: ~
`)}
	conn := b.mustLoad(t).Current.Connection
	if conn.Username != "7" || conn.Password.Reveal() != "0123" || conn.MaxMinor != 0 || conn.Endpoint != "http://h" {
		t.Errorf("connection %+v", conn)
	}
}
