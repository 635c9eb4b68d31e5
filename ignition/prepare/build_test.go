package prepare_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"ironworks/agentlog"
	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/models"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ours   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDK7CZyr9ueDwdMXbauPAUQJutH28y4Og3Ltic3CUcWx me@here"
	theirs = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFYJhNfT5xQp2mmkYwXRNPLSpGFOEKKlNPOKlwALxEOD you@there"
	secret = "hunter2"
)

// makerOf returns a Maker that reads the given files. Their paths must not start with a slash.
func makerOf(files map[string]string) prepare.Maker {
	tree := fstest.MapFS{}
	for name, content := range files {
		tree[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return prepare.Maker{
		Open:   func(path string) (io.ReadCloser, error) { return tree.Open(path) },
		Dir:    func(path string) ([]fs.DirEntry, error) { return fs.ReadDir(tree, path) },
		Home:   "home",
		Ironic: ignition.IronicEndpoint{URL: "https://192.0.2.5:6385", Insecure: true},
	}
}

func build(t *testing.T, m prepare.Maker, in prepare.Inputs) prepare.Built {
	t.Helper()
	built, err := m.Build(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// fields returns the fields of the input errors, in order.
func fields(err error) []ignition.RamdiskField {
	var names []ignition.RamdiskField
	for _, e := range ignition.InputErrors(err) {
		names = append(names, e.Field)
	}
	return names
}

func TestKeysOfTheUser(t *testing.T) {
	t.Parallel()
	agent := func(context.Context) ([]string, error) { return []string{theirs}, nil }
	files := map[string]string{
		"home/.ssh/id_ed25519.pub": ours + "\n", "home/.ssh/other.pub": theirs + "\n# a remark\n" + ours + "\n",
		"home/.ssh/id_ed25519": "-----BEGIN OPENSSH PRIVATE KEY-----\n", "home/.ssh/id_broken.pub": "no key\n",
	}
	for name, test := range map[string]struct {
		files  map[string]string
		in     prepare.Inputs
		agent  func(context.Context) ([]string, error)
		logins []string
	}{
		"all public keys":    {files: files, agent: agent, logins: []string{"me@here", "you@there"}},
		"the agent's":        {agent: agent, logins: []string{"you@there"}},
		"nobody":             {},
		"nobody, and meant":  {files: files, in: prepare.Inputs{NoLogin: true}},
		"a file":             {files: files, in: prepare.Inputs{SSHKeyFiles: []string{"home/.ssh/id_ed25519.pub"}}, logins: []string{"me@here"}},
		"a key":              {files: files, in: prepare.Inputs{SSHKeys: []string{theirs}}, logins: []string{"you@there"}},
		"a key and the rest": {in: prepare.Inputs{SSHKeys: []string{ours}, SSHAgent: true}, agent: agent, logins: []string{"me@here", "you@there"}},
		"build.py's":         {files: map[string]string{"home/.ssh/id_x.pub": ours, "home/.ssh/a.pub": theirs}, in: prepare.Inputs{Profile: "classic", IronicURLs: []string{"h"}, Registry: "r"}, logins: []string{"me@here"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := makerOf(test.files)
			m.AgentKeys = test.agent
			logins := build(t, m, test.in).Preview.Logins
			if len(logins) != len(test.logins) {
				t.Fatalf("%q, want %q", logins, test.logins)
			}
			for i, login := range logins {
				if !strings.HasPrefix(login, "core: ssh-ed25519 256 "+test.logins[i]+" SHA256:") {
					t.Errorf("%q", login)
				}
			}
		})
	}
}

func TestWhatIsWrongNamesItsField(t *testing.T) {
	t.Parallel()
	files := map[string]string{"private": "-----BEGIN OPENSSH PRIVATE KEY-----\n", "cloud": "#cloud-config\n", "empty/readme": "", "key.pub": ours}
	for name, test := range map[string]struct {
		in   prepare.Inputs
		want []ignition.RamdiskField
	}{
		"profile":         {prepare.Inputs{Profile: "mine"}, []ignition.RamdiskField{ignition.FieldProfile}},
		"ca is missing":   {prepare.Inputs{CAFile: "nowhere"}, []ignition.RamdiskField{ignition.FieldCA}},
		"private key":     {prepare.Inputs{SSHKeyFiles: []string{"private"}}, []ignition.RamdiskField{ignition.FieldSSHKey}},
		"no agent":        {prepare.Inputs{SSHAgent: true}, []ignition.RamdiskField{ignition.FieldSSHKey}},
		"extra":           {prepare.Inputs{ExtraFile: "cloud"}, []ignition.RamdiskField{ignition.FieldExtra}},
		"keyfiles":        {prepare.Inputs{KeyFiles: []string{"empty"}}, []ignition.RamdiskField{ignition.FieldKeyFile}},
		"registry's CA":   {prepare.Inputs{Registries: []string{"r=ca:nowhere"}}, []ignition.RamdiskField{ignition.FieldRegistry}},
		"no mode":         {prepare.Inputs{Registries: []string{"r"}}, []ignition.RamdiskField{ignition.FieldRegistry}},
		"option":          {prepare.Inputs{Options: []string{"x"}}, []ignition.RamdiskField{ignition.FieldOption}},
		"nmstate":         {prepare.Inputs{NMStateFile: "x"}, []ignition.RamdiskField{prepare.FieldNMState}},
		"build.py's":      {prepare.Inputs{Registry: "r"}, []ignition.RamdiskField{ignition.FieldRegistry}},
		"not build.py's":  {prepare.Inputs{Profile: "classic", IronicURLs: []string{"h"}, Registry: "r", SSHKeys: []string{ours}, NTPServers: []string{"n"}}, []ignition.RamdiskField{ignition.FieldNTP}},
		"build.py's host": {prepare.Inputs{Profile: "classic", SSHKeys: []string{ours}}, []ignition.RamdiskField{ignition.FieldIronicURL, ignition.FieldRegistry}},
		"read and used":   {prepare.Inputs{CAFile: "nowhere", Image: "NO IMAGE"}, []ignition.RamdiskField{ignition.FieldCA, ignition.FieldImage}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := makerOf(files).Build(t.Context(), test.in)
			if got := fields(err); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q: %v", got, test.want, err)
			}
		})
	}
}

// TestFilesOfMetal3 checks that the inputs of the metal3 profile work together with the common inputs.
func TestFilesOfMetal3(t *testing.T) {
	t.Parallel()
	m := makerOf(map[string]string{
		"nm.yaml":  "NetworkManager:\n- - eth1.nmconnection\n  - |\n    [connection]\n    id=eth1\n",
		"reg.conf": "unqualified-search-registries = []\n", "pull.json": `{"auths":{"r":{"auth":"x"}}}`,
	})
	in := prepare.Inputs{
		Profile: "metal3", IronicURLs: []string{"192.0.2.6"}, NMStateFile: "nm.yaml", RegistriesFile: "reg.conf", PullSecretFile: "pull.json",
		SSHKeys: []string{ours}, Hostname: "n1", VLANs: []string{"all"},
	}
	built := build(t, m, in)
	p, text := built.Preview, string(built.Document.JSON)
	for _, path := range []string{"/etc/NetworkManager/system-connections/eth1.nmconnection", "/etc/containers/registries.conf", "/etc/authfile.json"} {
		if !slices.ContainsFunc(p.Files, func(f prepare.PreviewFile) bool { return f.Path == path }) {
			t.Errorf("no %s", path)
		}
	}
	if !strings.Contains(text, "192.0.2.6%3A6385") && !strings.Contains(text, "192.0.2.6:6385") || len(p.Logins) != 1 {
		t.Errorf("%s", text)
	}
	in.IronicURLs = nil
	if text := string(build(t, m, in).Document.JSON); !strings.Contains(text, "192.0.2.5") {
		t.Errorf("the context's Ironic is not in it: %s", text)
	}
}

func TestWhatTheContextTells(t *testing.T) {
	t.Parallel()
	conf := func(t *testing.T, ironic ignition.IronicEndpoint, in prepare.Inputs) string {
		t.Helper()
		m := makerOf(nil)
		m.Ironic, in.NoLogin = ironic, true
		var config struct {
			Storage struct {
				Files []struct {
					Path     string
					Contents struct{ Source string }
				}
			}
		}
		if err := json.Unmarshal(build(t, m, in).Document.JSON, &config); err != nil {
			t.Fatal(err)
		}
		for _, f := range config.Storage.Files {
			if f.Path == "/etc/ironic-python-agent.conf" {
				return decoded(t, f.Contents.Source)
			}
		}
		t.Fatal("the agent is not configured")
		return ""
	}
	insecure := ignition.IronicEndpoint{URL: "https://192.0.2.5:6385", Insecure: true}
	for name, test := range map[string]struct {
		ironic   ignition.IronicEndpoint
		in       prepare.Inputs
		has, not string
	}{
		"its address":             {insecure, prepare.Inputs{}, "api_url = https://192.0.2.5:6385\n", "cafile"},
		"that it is not verified": {insecure, prepare.Inputs{}, "insecure = True\n", "cafile"},
		"another Ironic":          {insecure, prepare.Inputs{IronicURLs: []string{"https://192.0.2.6:6385"}}, "https://192.0.2.6:6385\n", "insecure = True"},
		"another mode":            {insecure, prepare.Inputs{TLS: "system"}, "https://192.0.2.5:6385\n", "insecure = True"},
		"HTTP has no mode":        {ignition.IronicEndpoint{URL: "http://192.0.2.5:6385", Insecure: true}, prepare.Inputs{}, "http://192.0.2.5:6385\n", "insecure = True"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := conf(t, test.ironic, test.in); !strings.Contains(got, test.has) || strings.Contains(got, test.not) {
				t.Errorf("%q in\n%s", test.has, got)
			}
		})
	}
}

// TestPreview checks that a preview shows everything except secrets.
func TestPreview(t *testing.T) {
	t.Parallel()
	extra := `{"ignition":{"version":"3.1.0","config":{"merge":[{"source":"https://me:` + secret + `@192.0.2.7/a?token=` + secret + `","httpHeaders":[{"name":"X","value":"` + secret + `"}]}]}},
		"passwd":{"users":[{"name":"other","passwordHash":"$y$` + secret + `"}]},
		"storage":{"files":[{"path":"/etc/mine","mode":384,"contents":{"source":"data:,` + secret + `"}},{"path":"/etc/open","contents":{"source":"data:,hello"}}]}}`
	m := makerOf(map[string]string{
		"pull.json": `{"auths":{"r":{"auth":"` + secret + `"}}}`, "extra.ign": extra,
		"nm/eno1.nmconnection": "[connection]\nid=eno1\n[802-1x]\npassword=" + secret + "\n", "nm/readme": secret,
	})
	in := prepare.Inputs{SSHKeys: []string{ours}, PullSecretFile: "pull.json", ExtraFile: "extra.ign", KeyFiles: []string{"nm"}, Hostname: "n1"}
	built := build(t, m, in)
	p := built.Preview
	shown, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(shown), secret) {
		t.Errorf("a secret is shown: %s", shown)
	}
	if !strings.Contains(string(built.Document.JSON), secret) {
		t.Error("the document does not have it")
	}
	i := slices.IndexFunc(p.Files, func(f prepare.PreviewFile) bool { return f.Path == "/etc/hostname" })
	if i < 0 || p.Files[i].Text != "n1\n" || p.Files[i].Size != 3 || p.Files[i].Mode != 0o644 {
		t.Errorf("%+v", p.Files)
	}
	if i := slices.IndexFunc(p.Files, func(f prepare.PreviewFile) bool { return f.Path == "/etc/mine" }); i < 0 || !p.Files[i].Secret || p.Files[i].Size != len(secret) {
		t.Errorf("%+v", p.Files)
	}
	if p.Spec != built.Document.Version || p.Size != len(built.Document.JSON) || p.Packed < 500 || p.Packed >= p.Size || len(p.Units) != 1 || !p.Units[0].Enabled {
		t.Errorf("%+v", p)
	}
	var masked map[string]any
	if err := json.Unmarshal([]byte(p.Text), &masked); err != nil || !strings.Contains(p.Text, "data:,hello") {
		t.Errorf("%v: %s", err, p.Text)
	}
}

func TestForNode(t *testing.T) {
	t.Parallel()
	in := prepare.Inputs{KeyFiles: []string{"nm/{node}"}, IPOptions: []string{"ip=dhcp"}}
	got := in.ForNode("n1")
	if got.Hostname != "n1" || got.KeyFiles[0] != "nm/n1" || in.KeyFiles[0] != "nm/{node}" {
		t.Errorf("%+v, was %+v", got, in)
	}
	in.Hostname = "{node}.rack7"
	if got := in.ForNode("n2").Hostname; got != "n2.rack7" {
		t.Error(got)
	}
}

func TestIdentity(t *testing.T) {
	kept := 0
	m := makerOf(map[string]string{"home/.ssh/a.pub": ours})
	in := prepare.Inputs{SSHHostKey: true}
	if _, err := m.Build(t.Context(), in); err == nil || !strings.Contains(err.Error(), "ssh host key needs a state directory") {
		t.Errorf("without a folder: %v", err)
	}
	var order agentlog.IdentityOrder
	m.Identity = func(o agentlog.IdentityOrder) (agentlog.Identity, func() error, error) {
		order = o
		key := models.Secret("-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----\n")
		return agentlog.Identity{HostKey: key}, func() error { kept++; return nil }, nil
	}
	if built := build(t, m, in.ForNode("r7-n01")); strings.Contains(built.Preview.Text, "hunter2") || !slices.Contains(built.Document.SecretPaths, "/etc/ssh/ssh_host_ed25519_key") {
		t.Errorf("host key is shown: %s", built.Preview.Text)
	}
	if kept != 1 || order != (agentlog.IdentityOrder{HostKey: true, Node: "r7-n01"}) {
		t.Errorf("kept %d times, of %+v", kept, order)
	}
	m.Preview = true
	build(t, m, in)
	in.ExtraFile = "none"
	m.Preview = false
	if _, err := m.Build(t.Context(), in); err == nil || kept != 1 {
		t.Errorf("kept %d times: %v", kept, err)
	}
}

func TestWithHostname(t *testing.T) {
	t.Parallel()
	own := `{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["` + ours + `"]}]},"storage":{"files":[{"path":"/etc/hostname","overwrite":true,"contents":{"source":"data:,mine"}}]}}`
	config, err := ignition.WithHostname([]byte(own), "n1.rack7")
	if err != nil {
		t.Fatal(err)
	}
	if report := userdata.Check(config); !report.OK() {
		t.Errorf("%v", report.Problems)
	}
	for _, name := range []string{"", "a b", "a\nb", "-a", "a..b", strings.Repeat("a", 64)} {
		if _, err := ignition.WithHostname([]byte(own), name); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.ign")
	write := func(text string, force bool) error {
		return prepare.WriteFile(t.Context(), path, strings.NewReader(text), force)
	}
	if err := errors.Join(write("one", false), write("two", true)); err != nil {
		t.Fatal(err)
	}
	if err := write("three", false); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	content, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(content) != "two" || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v", content, info)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := prepare.WriteFile(ended, path, strings.NewReader("four"), true); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "writing "+path+": ") {
		t.Error(err)
	}
	if err := prepare.WriteFile(t.Context(), filepath.Dir(path), strings.NewReader("x"), true); err == nil {
		t.Error("a folder is replaced")
	}
}
