package config

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

// TestPrecedence checks that the source with the highest precedence is used. It removes one source after another,
// highest precedence first.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		oursPath: "context: fromfile\ncontexts:\n" +
			"  fromfile: {url: 'http://fromfile'}\n  flag: {url: 'http://flagcontext'}\n  env: {url: 'http://envcontext'}\n",
		cloudsPath: "clouds:\n" +
			"  flagcloud: {auth_type: none, endpoint: 'http://flagcloud'}\n" +
			"  envcloud: {auth_type: none, endpoint: 'http://envcloud'}\n" +
			"  oscloud: {auth_type: none, endpoint: 'http://oscloud'}\n",
	}
	flags := Flags{URL: "http://flagurl", Context: "flag", Cloud: "flagcloud"}
	env := map[string]string{
		"IRONWORKS_URL": "http://envurl", "IRONWORKS_CONTEXT": "env", "IRONWORKS_CLOUD": "envcloud",
		"OS_CLOUD": "oscloud", "OS_ENDPOINT": "http://osenv",
	}
	one := func(key string) func() {
		return func() { delete(env, key) }
	}
	type source struct {
		name, want, source string
		box                box
	}
	cases := make([]source, 0, 12)
	for _, step := range []struct {
		name, want, source string
		drop               func()
	}{
		{"--url", "http://flagurl", "--url", func() { flags.URL = "" }},
		{"--context", "http://flagcontext", oursPath + ":4", func() { flags.Context = "" }},
		{"--cloud", "http://flagcloud", cloudsPath + ":2", func() { flags.Cloud = "" }},
		{"IRONWORKS_URL", "http://envurl", "IRONWORKS_URL", one("IRONWORKS_URL")},
		{"IRONWORKS_CONTEXT", "http://envcontext", oursPath + ":5", one("IRONWORKS_CONTEXT")},
		{"IRONWORKS_CLOUD", "http://envcloud", cloudsPath + ":3", one("IRONWORKS_CLOUD")},
		{"context of our file", "http://fromfile", oursPath + ":3", func() {
			files[oursPath] = "contexts:\n  only: {url: 'http://only'}\n"
		}},
		{"OS_CLOUD", "http://oscloud", cloudsPath + ":4", one("OS_CLOUD")},
		{"OS_*", "http://osenv", "environment", one("OS_ENDPOINT")},
		{"the only context", "http://only", oursPath + ":2", func() {
			delete(files, oursPath)
			files[cloudsPath] = "clouds:\n  only: {auth_type: none, endpoint: 'http://onlycloud'}\n"
		}},
		{"the only cloud", "http://onlycloud", cloudsPath + ":2", func() { delete(files, cloudsPath) }},
		{"the guess", defaultURL, "default", func() {}},
	} {
		cases = append(cases, source{step.name, step.want, step.source, box{files: maps.Clone(files), env: maps.Clone(env), flags: flags}})
		step.drop()
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := tt.box.mustLoad(t)
			if c.Current.Connection.Endpoint != tt.want || tt.box.short(c.Current.Source) != tt.source {
				t.Errorf("got %s from %s, want %s from %s", c.Current.Connection.Endpoint, c.Current.Source, tt.want, tt.source)
			}
			if c.Current.Guessed != (tt.want == defaultURL) {
				t.Errorf("guessed is %v", c.Current.Guessed)
			}
		})
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		oursPath:   "contexts:\n  rack7: {url: 'http://h'}\n  rack8: {url: 'http://h'}\n",
		cloudsPath: "clouds:\n  prod: {auth_type: none, endpoint: 'http://h'}\n",
	}
	tests := []struct {
		name string
		box  box
		want string
	}{
		{"near", box{files: files, flags: Flags{Context: "rak7"}}, `--context: no context "rak7" (did you mean rack7? known: prod, rack7, rack8)`},
		{"far", box{files: files, env: map[string]string{"IRONWORKS_CONTEXT": "zebra"}}, `IRONWORKS_CONTEXT: no context "zebra" (known: prod, rack7, rack8)`},
		{"cloud", box{files: files, env: map[string]string{"OS_CLOUD": "rack7"}}, `OS_CLOUD: no cloud "rack7" (known: prod)`},
		{"nothing configured", box{flags: Flags{Cloud: "prod"}}, `--cloud: no cloud "prod" (none is configured)`},
		{"control characters", box{flags: Flags{Context: "\x1b[2J"}}, `--context: no context "\x1b[2J" (none is configured)`},
		{"several, none named", box{files: files}, `3 contexts are configured and none is selected (select one with --context, IRONWORKS_CONTEXT or context: in the configuration file; known: prod, rack7, rack8)`},
		{
			"cloud of a context",
			box{files: map[string]string{oursPath: "contexts:\n  x: {cloud: prdo}\n", cloudsPath: files[cloudsPath]}},
			oursPath + `:2:14: contexts.x.cloud: no cloud "prdo" in clouds.yaml (did you mean prod?)`,
		},
		{
			"cloud of a context, no clouds.yaml",
			box{files: ours("contexts:\n  x: {cloud: prod}\n")},
			oursPath + `:2:14: contexts.x.cloud: no cloud "prod" in clouds.yaml (there is no clouds.yaml)`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.box.mustFail(t); got != tt.want {
				t.Errorf("error\n got %s\nwant %s", got, tt.want)
			}
		})
	}
	b := box{files: files, flags: Flags{Context: "rak7"}}
	c, err := b.load(t)
	var pick *PickError
	if !errors.As(err, &pick) || pick.Near != "rack7" || len(c.Contexts) != 3 {
		t.Errorf("error %#v beside %d contexts", err, len(c.Contexts))
	}
}

func TestBrokenContextDoesNotStopOthers(t *testing.T) {
	t.Parallel()
	b := box{files: ours("context: good\ncontexts:\n  bad: {urll: 'http://h', auth: nope}\n  good: {url: 'http://h'}\n")}
	c := b.mustLoad(t)
	if len(c.Contexts) != 2 || c.Contexts[0].Name != "bad" || c.Contexts[1].Name != "good" {
		t.Fatalf("contexts %+v", c.Contexts)
	}
	want := oursPath + ":3:9: contexts.bad.urll: unknown key (did you mean url?)\n" +
		oursPath + `:3:33: contexts.bad.auth: authentication "nope" is not supported (supported: none, http_basic, password, token, application_credential)`
	if got := b.short(c.Contexts[0].Err.Error()); got != want {
		t.Errorf("Err\n got %s\nwant %s", got, want)
	}
	if c.Contexts[1].Err != nil || c.Current.Err != nil {
		t.Error("the good one has an error")
	}
	if len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0], `context "bad" cannot be used: `) {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestURLAlone(t *testing.T) {
	t.Parallel()
	login := map[string]string{"IRONWORKS_USERNAME": "eu", "IRONWORKS_PASSWORD": "ep"}
	tests := []struct {
		name       string
		flags      Flags
		env        map[string]string
		kind       models.AuthKind
		user, pass string
	}{
		{"bare", Flags{URL: "http://h:6385"}, nil, models.AuthNone, "", ""},
		{"with variables", Flags{URL: "http://h:6385"}, login, models.AuthHTTPBasic, "eu", "ep"},
		{"with --username", Flags{URL: "http://h:6385", Username: "fu"}, login, models.AuthHTTPBasic, "fu", "ep"},
		{"with both in the URL", Flags{URL: "http://u:p@h:6385"}, login, models.AuthHTTPBasic, "u", "p"},
		{"with the user in the URL", Flags{URL: "http://u@h:6385"}, login, models.AuthHTTPBasic, "u", "ep"},
		{"as a variable", Flags{}, map[string]string{"IRONWORKS_URL": "http://u:p@h:6385"}, models.AuthHTTPBasic, "u", "p"},
		{"OS_* do not mix in", Flags{URL: "http://h:6385"}, map[string]string{"OS_USERNAME": "o", "OS_PASSWORD": "o", "OS_AUTH_URL": "http://k"}, models.AuthNone, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := box{flags: tt.flags, env: tt.env}
			got := b.mustLoad(t).Current
			want := models.Connection{Auth: tt.kind, Endpoint: "http://h:6385", Username: tt.user, Password: models.Secret(tt.pass)}
			if !same(got.Connection, want) || got.Name != "h:6385" {
				t.Errorf("%s: %+v, want %+v", got.Name, got.Connection, want)
			}
		})
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		oursPath: "timeout: 1s\ncontext: basic\ncontexts:\n" +
			"  basic: {url: 'http://b', username: u, password: p, timeout: 2s}\n" +
			"  ks: {auth_url: 'http://k', user_id: i, password: p}\n" +
			"  none: {url: 'http://n', read_only: true}\n",
		"work/ca.pem": "x",
	}
	tests := []struct {
		name  string
		flags Flags
		env   map[string]string
		check func(t *testing.T, c *Config)
	}{
		{"nothing", Flags{}, nil, func(t *testing.T, c *Config) {
			t.Helper()
			if c.Current.Connection.Timeout != 2*time.Second || c.Contexts[1].Connection.Timeout != time.Second {
				t.Error("timeouts of the file")
			}
		}},
		{"variables", Flags{}, map[string]string{
			"IRONWORKS_TIMEOUT": "7", "IRONWORKS_CACERT": "ca.pem", "IRONWORKS_INSECURE": "yes",
			"IRONWORKS_USERNAME": "eu", "IRONWORKS_PASSWORD": "ep",
		}, func(t *testing.T, c *Config) {
			t.Helper()
			cur, none := c.Current.Connection, c.Contexts[2].Connection
			if cur.Timeout != 7*time.Second || !cur.TLS.Insecure || !strings.HasSuffix(cur.TLS.CACert, "work/ca.pem") ||
				cur.Username != "eu" || cur.Password.Reveal() != "ep" {
				t.Errorf("current %+v", cur)
			}
			if none.Timeout != 7*time.Second || none.TLS != (models.TLS{}) || none.Username != "" || none.Password.IsSet() {
				t.Errorf("other %+v", none)
			}
		}},
		{"flags over variables", Flags{Timeout: 9 * time.Second, Insecure: no(), Username: "fu"}, map[string]string{
			"IRONWORKS_TIMEOUT": "7", "IRONWORKS_INSECURE": "yes", "IRONWORKS_USERNAME": "eu",
		}, func(t *testing.T, c *Config) {
			t.Helper()
			cur := c.Current.Connection
			if cur.Timeout != 9*time.Second || cur.TLS.Insecure || cur.Username != "fu" || cur.Password.Reveal() != "p" {
				t.Errorf("current %+v", cur)
			}
		}},
		{"a name takes the id away", Flags{Context: "ks"}, map[string]string{"IRONWORKS_USERNAME": "eu"}, func(t *testing.T, c *Config) {
			t.Helper()
			if c.Current.Connection.Username != "eu" || c.Current.Connection.Keystone.UserID != "" {
				t.Errorf("current %+v", c.Current.Connection)
			}
		}},
		{"no password for a context without login", Flags{Context: "none"}, map[string]string{
			"IRONWORKS_USERNAME": "eu", "IRONWORKS_PASSWORD": "ep",
		}, func(t *testing.T, c *Config) {
			t.Helper()
			if cur := c.Current.Connection; cur.Auth != models.AuthNone || cur.Password.IsSet() {
				t.Errorf("current %+v", cur)
			}
		}},
		{"ignored flags are told", Flags{URL: "http://x", Context: "none", Cloud: "y"}, nil, func(t *testing.T, c *Config) {
			t.Helper()
			want := []string{"--cloud is ignored: --url is also set", "--context is ignored: --url is also set"}
			if !slices.Equal(c.Warnings, want) {
				t.Errorf("warnings %q", c.Warnings)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := box{files: files, flags: tt.flags, env: tt.env}
			tt.check(t, b.mustLoad(t))
		})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		top, context   bool
		env            string
		flag           *bool
		current, other bool
	}{
		{"nowhere", false, false, "", nil, false, false},
		{"context", false, true, "", nil, true, false},
		{"file", true, false, "", nil, true, true},
		{"variable adds", false, false, "true", nil, true, true},
		{"variable cannot lift", false, true, "false", nil, true, false},
		{"flag adds", false, false, "", yes(), true, true},
		{"flag lifts the context's", false, true, "", no(), false, false},
		{"flag lifts all, but for this context only", true, true, "1", no(), false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "context: a\ncontexts:\n  a: {url: 'http://a'"
			if tt.context {
				text += ", read_only: true"
			}
			text += "}\n  b: {url: 'http://b'}\n"
			if tt.top {
				text += "read_only: true\n"
			}
			b := box{files: ours(text), env: map[string]string{"IRONWORKS_READ_ONLY": tt.env}, flags: Flags{ReadOnly: tt.flag}}
			c := b.mustLoad(t)
			if c.Current.ReadOnly != tt.current || c.Contexts[0].ReadOnly != tt.current || c.Contexts[1].ReadOnly != tt.other {
				t.Errorf("current %v, other %v; want %v, %v", c.Current.ReadOnly, c.Contexts[1].ReadOnly, tt.current, tt.other)
			}
		})
	}
}
