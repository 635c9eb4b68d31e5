package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ironworks/document"
)

func TestShowMasksSecrets(t *testing.T) {
	t.Parallel()
	b := box{files: map[string]string{
		oursPath: `
contexts:
  basic: {url: 'http://h', username: u, password: hidden1, api_version: "1.82", timeout: 30}
  inurl: {url: 'http://u:hidden2@h'}
  file: {url: 'http://h', username: u, password_file: pw}
  token: {auth_url: 'http://k', token: hidden4}
  app: {auth_url: 'http://k', application_credential_id: i, application_credential_secret: hidden5}
  broken: {url: 'http://u:hid/den6@', password: [hidden6]}
`,
		"home/.config/ironworks/pw": "hidden3",
	}, flags: Flags{Context: "basic"}}
	c := b.mustLoad(t)
	asJSON, err := json.MarshalIndent(c.Show(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := document.JSONToYAML(asJSON, false)
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{
		"JSON": string(asJSON), "YAML": string(asYAML), "%#v": fmt.Sprintf("%#v", c), "%+v": fmt.Sprintf("%+v", c.Show()),
	} {
		if strings.Contains(text, "hid") {
			t.Errorf("%s shows a secret:\n%s", form, text)
		}
	}
	current, _, _ := strings.Cut(string(asYAML), "contexts:")
	want := `file: home/.config/ironworks/config.yaml
current:
  name: basic
  source: home/.config/ironworks/config.yaml:3
  read_only: false
  url: http://h
  auth: http_basic
  username: u
  password: '******'
  verify: true
  api_version: "1.82"
  timeout: 30s
`
	if got := b.short(current); got != want {
		t.Errorf("YAML\n got %s\nwant %s", got, want)
	}
}

func TestNoConfigurationAtAll(t *testing.T) {
	t.Parallel()
	b := box{}
	c := b.mustLoad(t)
	if !c.Current.Guessed || c.Current.Connection.Endpoint != "http://127.0.0.1:6385" || c.Current.Name != "127.0.0.1:6385" || len(c.Contexts) != 0 {
		t.Errorf("current %+v", c.Current)
	}
	want := `No Ironic is configured, so http://127.0.0.1:6385 was tried. Searched:
  --url: not set
  --context: not set
  --cloud: not set
  IRONWORKS_URL: not set
  IRONWORKS_CONTEXT: not set
  IRONWORKS_CLOUD: not set
  OS_CLOUD: not set
  OS_AUTH_URL: not set
  OS_ENDPOINT: not set
  config file home/.config/ironworks/config.yaml: not found
  clouds.yaml work/clouds.yaml: not found
  clouds.yaml work/clouds.yml: not found
  clouds.yaml home/.config/openstack/clouds.yaml: not found
  clouds.yaml home/.config/openstack/clouds.yml: not found
  clouds.yaml etc/openstack/clouds.yaml: not found
  clouds.yaml etc/openstack/clouds.yml: not found
Set the URL of Ironic with --url http://HOST:6385, or with a context in the configuration file.
ironworks --lab opens the console on simulated machines and needs no Ironic.
`
	if got := b.short(c.SearchedText()); got != want {
		t.Errorf("looked\n got %s\nwant %s", got, want)
	}
}

func TestLookedTellsWhatIsEmpty(t *testing.T) {
	t.Parallel()
	b := box{files: map[string]string{oursPath: "# soon\n", cloudsPath: "clouds:\n"}}
	text := b.short(b.mustLoad(t).SearchedText())
	for _, want := range []string{
		"config file " + oursPath + ": no contexts\n", "clouds.yaml " + cloudsPath + ": no clouds\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		box  box
		want []string
	}{
		{"usual", box{files: ours("contexts: {x: {url: 'http://h'}}")}, []string{
			"config home/.config/ironworks/config.yaml: found",
			"clouds: none",
			"secure: none",
			"audit home/.local/state/ironworks/audit.jsonl: not found",
			"journal home/.local/state/ironworks/journal-x.db: not found",
			"view home/.local/state/ironworks/view-x.json: not found",
			"crashes home/.local/state/ironworks/crashes: not found",
			"cache home/.cache/ironworks: not found",
		}},
		{
			"XDG",
			box{
				files: map[string]string{"c/ironworks/config.yaml": "", "c/openstack/clouds.yaml": "clouds: {x: {auth_type: none, endpoint: 'http://h'}}", "k/ironworks/x": ""},
				env:   map[string]string{"XDG_CONFIG_HOME": "ROOT/c", "XDG_STATE_HOME": "ROOT/s", "XDG_CACHE_HOME": "ROOT/k"},
			},
			[]string{
				"config c/ironworks/config.yaml: found",
				"clouds c/openstack/clouds.yaml: found",
				"secure: none",
				"audit s/ironworks/audit.jsonl: not found",
				"journal s/ironworks/journal-x.db: not found",
				"view s/ironworks/view-x.json: not found",
				"crashes s/ironworks/crashes: not found",
				"cache k/ironworks: found",
			},
		},
		{"broken file", box{files: ours("a: [")}, []string{
			"config home/.config/ironworks/config.yaml: found",
			"clouds: none",
			"secure: none",
			"audit home/.local/state/ironworks/audit.jsonl: not found",
			"journal: none",
			"view: none",
			"crashes home/.local/state/ironworks/crashes: not found",
			"cache home/.cache/ironworks: not found",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := tt.box.load(t)
			var got []string
			for _, p := range c.Paths() {
				got = append(got, tt.box.short(p.String()))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestNothingGiven(t *testing.T) {
	t.Parallel()
	c, err := Load(Options{WorkDir: t.TempDir(), SystemDir: t.TempDir()})
	if err != nil || !c.Current.Guessed || c.Files != (Files{}) {
		t.Errorf("error %v, config %+v", err, c)
	}
}

func TestFromOS(t *testing.T) {
	t.Setenv("HOME", "/some/home")
	t.Setenv("IRONWORKS_URL", "http://h")
	o := FromOS()
	if o.Home != "/some/home" || o.Env("IRONWORKS_URL") != "http://h" || o.WorkDir == "" {
		t.Errorf("options %+v", o)
	}
}

// TestFilesOfAContext checks that a context's files are in the state folder even if the context's name contains
// slashes or "..".
func TestFilesOfAContext(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"rack7": "rack7", "http://10.0.0.1:6385": "http:%2F%2F10.0.0.1:6385", "../../etc/passwd": "..%2F..%2Fetc%2Fpasswd",
	} {
		f := Files{State: "/s"}
		if got := f.Journal(name); got != "/s/journal-"+want+".db" {
			t.Errorf("%q: %s", name, got)
		}
		if got := f.View(name); got != "/s/view-"+want+".json" {
			t.Errorf("%q: %s", name, got)
		}
	}
	var none Files
	some := Files{State: "/s"}
	if got := none.Journal("x") + none.View("x") + some.Journal("") + some.View(""); got != "" {
		t.Error(got)
	}
}
