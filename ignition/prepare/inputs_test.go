package prepare_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"ironworks/agentlog"
	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/models"
)

func gzipTo(w io.Writer, data []byte) error {
	z := gzip.NewWriter(w)
	_, err := z.Write(data)
	return errors.Join(err, z.Close())
}

// TestEmptyFiles checks that empty input files are rejected.
func TestEmptyFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{"empty": "", "blank": " \n", "empty.nmconnection": "", "nm/a.nmconnection": "\n", "keys.pub": "# none\n"}
	for name, tt := range map[string]struct {
		in   prepare.Inputs
		want ignition.RamdiskField
	}{
		"CA":                   {prepare.Inputs{CAFile: "empty"}, ignition.FieldCA},
		"blank CA":             {prepare.Inputs{CAFile: "blank"}, ignition.FieldCA},
		"registry's CA":        {prepare.Inputs{Registries: []string{"r=ca:empty"}}, ignition.FieldRegistry},
		"pull secret":          {prepare.Inputs{PullSecretFile: "empty"}, ignition.FieldPullSecret},
		"keyfile":              {prepare.Inputs{KeyFiles: []string{"empty.nmconnection"}}, ignition.FieldKeyFile},
		"a folder's keyfile":   {prepare.Inputs{KeyFiles: []string{"nm"}}, ignition.FieldKeyFile},
		"extra":                {prepare.Inputs{ExtraFile: "empty"}, ignition.FieldExtra},
		"keys":                 {prepare.Inputs{SSHKeyFiles: []string{"keys.pub"}}, ignition.FieldSSHKey},
		"metal3's pull secret": {prepare.Inputs{Profile: "metal3", RegistriesFile: "blank", PullSecretFile: "blank"}, ignition.FieldPullSecret},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := makerOf(files).Build(t.Context(), tt.in)
			if got := fields(err); !slices.Equal(got, []ignition.RamdiskField{tt.want}) {
				t.Errorf("fields %q, want %q: %v", got, tt.want, err)
			}
		})
	}
}

// TestInputErrors checks that errors name the input, its value and a fix.
func TestInputErrors(t *testing.T) {
	t.Parallel()
	classic := func(change func(*prepare.Inputs)) prepare.Inputs {
		in := prepare.Inputs{Profile: "classic", IronicURLs: []string{"h"}, Registry: "r", SSHKeys: []string{ours}}
		change(&in)
		return in
	}
	metal3 := func(change func(*prepare.Inputs)) prepare.Inputs {
		in := prepare.Inputs{Profile: "metal3", RegistriesFile: "registries.conf", SSHKeys: []string{ours}}
		change(&in)
		return in
	}
	files := map[string]string{"registries.conf": "unqualified-search-registries = []\n", "large": strings.Repeat("x", 16<<20+1), "cloud": "#cloud-config\n"}
	for name, tt := range map[string]struct {
		in   prepare.Inputs
		want []string
	}{
		"several URLs in classic": {
			classic(func(in *prepare.Inputs) { in.IronicURLs = []string{"192.0.2.1", "192.0.2.2"} }),
			[]string{"192.0.2.1,192.0.2.2", "has several values", "use the profile default"},
		},
		"a large file":     {prepare.Inputs{CAFile: "large"}, []string{"large", "larger than 16 MiB"}},
		"a secret as path": {prepare.Inputs{PullSecretFile: `{"auths":{"r":{"auth":"` + secret + `"}}}`}, []string{"is not a file", "use the name of a file"}},
		"several keys in metal3": {
			metal3(func(in *prepare.Inputs) { in.SSHKeys = []string{ours, theirs} }),
			[]string{"this profile supports only one key", "use the profile default"},
		},
		"a bad URL in metal3":  {metal3(func(in *prepare.Inputs) { in.IronicURLs = []string{"a b"} }), []string{"a b"}},
		"options in metal3":    {metal3(func(in *prepare.Inputs) { in.Options = []string{"a=b"} }), []string{"is not supported by the profile metal3"}},
		"a broken key":         {prepare.Inputs{SSHKeys: []string{"ssh-ed25519 AAAA me"}}, []string{"is not usable"}},
		"a key file gone":      {prepare.Inputs{SSHKeyFiles: []string{"nowhere.pub"}}, []string{"nowhere.pub", "cannot be read"}},
		"a keyfile gone":       {prepare.Inputs{KeyFiles: []string{"nowhere"}}, []string{"nowhere", "cannot be read"}},
		"an unmergeable extra": {prepare.Inputs{ExtraFile: "cloud"}, []string{"cloud", "cannot be merged", "ironworks ignition check"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := makerOf(files).Build(t.Context(), tt.in)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %q", want, err)
				}
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("a secret is shown: %v", err)
			}
		})
	}
}

// TestMetal3WithoutIronic checks that a missing Ironic URL is reported.
func TestMetal3WithoutIronic(t *testing.T) {
	t.Parallel()
	m := makerOf(map[string]string{"registries.conf": "unqualified-search-registries = []\n"})
	m.Ironic = ignition.IronicEndpoint{}
	in := prepare.Inputs{Profile: "metal3", RegistriesFile: "registries.conf", NoLogin: true}
	if _, err := m.Build(t.Context(), in); !slices.Contains(fields(err), ignition.FieldIronicURL) || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("without a context: %v", err)
	}
	in.IronicURLs = []string{"https://192.0.2.6:6385"}
	if text := string(build(t, m, in).Document.JSON); !strings.Contains(text, "192.0.2.6") {
		t.Errorf("with an address: %s", text)
	}
}

// TestMetal3CA checks that the ramdisk verifies Ironic with the CA file or, without one, with the CA of the context. It
// also checks that empty input files are accepted, because tools write them.
func TestMetal3CA(t *testing.T) {
	t.Parallel()
	given, ofContext := authority(t), authority(t)
	m := makerOf(map[string]string{"registries.conf": "", "nm.yaml": "", "ca.pem": given})
	m.Ironic = ignition.IronicEndpoint{URL: "https://192.0.2.5:6385", CA: ofContext}
	for name, tt := range map[string]struct {
		in   prepare.Inputs
		want string
	}{
		"a file":           {prepare.Inputs{CAFile: "ca.pem"}, given},
		"the context":      {prepare.Inputs{}, ofContext},
		"another Ironic":   {prepare.Inputs{IronicURLs: []string{"https://192.0.2.6:6385"}}, ""},
		"not verified":     {prepare.Inputs{TLS: "insecure"}, ""},
		"the context's CA": {prepare.Inputs{TLS: "ca"}, ofContext},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.in.Profile, tt.in.NoLogin, tt.in.NMStateFile, tt.in.RegistriesFile = "metal3", true, "nm.yaml", "registries.conf"
			got := ""
			for _, f := range build(t, m, tt.in).Preview.Files {
				if strings.HasPrefix(f.Text, "-----BEGIN CERTIFICATE-----") {
					got = f.Text
				}
				if f.Path == "/etc/containers/registries.conf" {
					t.Error("the empty registries.conf replaces the one of the image")
				}
			}
			if got != tt.want {
				t.Errorf("CA %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMetal3TakesOneKey checks that only the first of the user's keys is used and that a note says so. It covers both
// cases, with and without the input files of the metal3 profile.
func TestMetal3TakesOneKey(t *testing.T) {
	t.Parallel()
	files := map[string]string{"home/.ssh/a.pub": ours, "home/.ssh/b.pub": theirs, "registries.conf": "unqualified-search-registries = []\n"}
	for name, file := range map[string]string{"with its files": "registries.conf", "without": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := build(t, makerOf(files), prepare.Inputs{Profile: "metal3", RegistriesFile: file}).Preview
			if len(p.Logins) != 1 || !strings.Contains(p.Logins[0], "me@here") {
				t.Errorf("logins %q, want the first key alone", p.Logins)
			}
			has := func(n ignition.RamdiskNote) bool { return strings.Contains(n.Text, "this profile uses only one key: ") }
			if !slices.ContainsFunc(p.Notes, has) {
				t.Errorf("not told: %+v", p.Notes)
			}
		})
	}
}

// TestClassicKeys checks which SSH keys the classic profile uses.
func TestClassicKeys(t *testing.T) {
	t.Parallel()
	one, two := map[string]string{"home/.ssh/id_a.pub": ours}, map[string]string{"home/.ssh/id_a.pub": ours, "home/.ssh/id_b.pub": theirs}
	for name, tt := range map[string]struct {
		files  map[string]string
		home   string
		keys   []string
		logins int
		notes  int
		fails  bool
	}{
		"one file":         {files: one, home: "home", logins: 1},
		"the first of two": {files: two, home: "home", logins: 1, notes: 1},
		"no file":          {home: "home", fails: true},
		"no home":          {files: one, fails: true},
		"given":            {files: two, home: "home", keys: []string{theirs, ours}, logins: 2},
		"a private key":    {files: map[string]string{"home/.ssh/id_a.pub": "-----BEGIN OPENSSH PRIVATE KEY-----\n"}, home: "home", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := makerOf(tt.files)
			m.Home = tt.home
			built, err := m.Build(t.Context(), prepare.Inputs{Profile: "classic", IronicURLs: []string{"h"}, Registry: "r", SSHKeys: tt.keys})
			if (err != nil) != tt.fails || tt.fails && !slices.Contains(fields(err), ignition.FieldSSHKey) {
				t.Fatalf("error %v", err)
			}
			notes := slices.DeleteFunc(built.Preview.Notes, func(n ignition.RamdiskNote) bool { return n.Field != ignition.FieldSSHKey })
			if len(built.Preview.Logins) != tt.logins || len(notes) != tt.notes {
				t.Errorf("logins %q, notes %+v", built.Preview.Logins, notes)
			}
		})
	}
}

// TestClassicKeyUnchecked checks that the preview warns about a file without a key, which build.py accepts.
func TestClassicKeyUnchecked(t *testing.T) {
	t.Parallel()
	m := makerOf(map[string]string{"home/.ssh/id_a.pub": "no key\n"})
	p := build(t, m, prepare.Inputs{Profile: "classic", IronicURLs: []string{"h"}, Registry: "r"}).Preview
	if !slices.Equal(p.Logins, []string{"core: unreadable key"}) {
		t.Errorf("logins %q", p.Logins)
	}
}

// TestAgentFails checks that a failing SSH agent causes an error if the agent was requested, and only a note
// otherwise.
func TestAgentFails(t *testing.T) {
	t.Parallel()
	failing := func(context.Context) ([]string, error) { return nil, errors.New("locked") }
	empty := func(context.Context) ([]string, error) { return nil, nil }
	for name, tt := range map[string]struct {
		agent func(context.Context) ([]string, error)
		asked bool
		want  string
	}{
		"it fails":           {failing, true, "cannot be read from the SSH agent: locked"},
		"it is empty":        {empty, true, "it contains no keys"},
		"there is none":      {nil, true, "SSH_AUTH_SOCK is not set"},
		"it fails, not told": {failing, false, "SSH agent: locked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := makerOf(nil)
			m.AgentKeys = tt.agent
			built, err := m.Build(t.Context(), prepare.Inputs{SSHAgent: tt.asked})
			if tt.asked {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				return
			}
			if err != nil || !slices.ContainsFunc(built.Preview.Notes, func(n ignition.RamdiskNote) bool { return n.Text == tt.want }) {
				t.Errorf("notes %+v, error %v, want %q", built.Preview.Notes, err, tt.want)
			}
		})
	}
}

// TestUnreadableKeys checks that an unreadable folder or file causes only a note.
func TestUnreadableKeys(t *testing.T) {
	t.Parallel()
	m := makerOf(map[string]string{"home/.ssh/a.pub": ours, "home/.ssh/b.pub": theirs})
	open := m.Open
	m.Open = func(path string) (io.ReadCloser, error) {
		if strings.HasSuffix(path, "a.pub") {
			return io.NopCloser(iotest.ErrReader(fs.ErrPermission)), nil
		}
		return open(path)
	}
	p := build(t, m, prepare.Inputs{}).Preview
	if len(p.Logins) != 1 || !strings.Contains(p.Logins[0], "you@there") || !slices.ContainsFunc(p.Notes, func(n ignition.RamdiskNote) bool {
		return strings.HasPrefix(n.Text, "home/.ssh/a.pub is skipped: ")
	}) {
		t.Errorf("a file: logins %q, notes %+v", p.Logins, p.Notes)
	}
	m.Dir = func(string) ([]fs.DirEntry, error) { return nil, fs.ErrPermission }
	p = build(t, m, prepare.Inputs{}).Preview
	if len(p.Logins) != 0 || !slices.ContainsFunc(p.Notes, func(n ignition.RamdiskNote) bool {
		return strings.HasPrefix(n.Text, "home/.ssh cannot be read: ")
	}) {
		t.Errorf("a folder: logins %q, notes %+v", p.Logins, p.Notes)
	}
}

// TestIdentityFails checks that the error names the field that requested the identity, and that no identity is
// stored.
func TestIdentityFails(t *testing.T) {
	t.Parallel()
	m := makerOf(nil)
	m.Identity = func(agentlog.IdentityOrder) (id agentlog.Identity, keep func() error, err error) {
		return id, nil, fs.ErrPermission
	}
	for field, in := range map[ignition.RamdiskField]prepare.Inputs{
		ignition.FieldJournalPush: {JournalPush: "https://192.0.2.1:1", NoLogin: true}, ignition.FieldSSHHostKey: {SSHHostKey: true, NoLogin: true},
	} {
		if _, err := m.Build(t.Context(), in); !errors.Is(err, fs.ErrPermission) || fields(err)[0] != field {
			t.Errorf("%s: fields %q, error %v", field, fields(err), err)
		}
	}
	m.Identity = func(agentlog.IdentityOrder) (agentlog.Identity, func() error, error) {
		key := models.Secret("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n")
		return agentlog.Identity{HostKey: key}, func() error { return fs.ErrPermission }, nil
	}
	if built, err := m.Build(t.Context(), prepare.Inputs{SSHHostKey: true, NoLogin: true}); !errors.Is(err, fs.ErrPermission) || built.Document.JSON != nil {
		t.Errorf("it cannot be kept: %v with %d bytes", err, len(built.Document.JSON))
	}
}

// TestRegistries checks the verification modes of registries, and that the ramdisk uses the CA from the context.
func TestRegistries(t *testing.T) {
	t.Parallel()
	ca := authority(t)
	m := makerOf(map[string]string{"ca.pem": ca})
	m.Ironic = ignition.IronicEndpoint{URL: "https://192.0.2.5:6385", CA: ca}
	built := build(t, m, prepare.Inputs{NoLogin: true, Registries: []string{"a.example=verified", " b.example = insecure", "c.example=ca:ca.pem"}, Options: []string{"lldp_timeout=7"}})
	var config struct {
		Storage struct {
			Files []struct {
				Path     string
				Contents struct{ Source string }
			}
		}
	}
	if err := json.Unmarshal(built.Document.JSON, &config); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range config.Storage.Files {
		all.WriteString(f.Path + "\n" + decoded(t, f.Contents.Source) + "\n")
	}
	for _, want := range []string{"b.example", "c.example", "insecure = true", "/etc/containers/certs.d/c.example/ca.crt\n" + ca, "ironic-ca.crt\n" + ca, "lldp_timeout = 7"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no %q in\n%s", want, all.String())
		}
	}
}

// TestPreviewOfHostileExtra checks that previews decode files, but do not show broken, binary or remote content.
func TestPreviewOfHostileExtra(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	if err := gzipTo(&packed, []byte("unpacked\n")); err != nil {
		t.Fatal(err)
	}
	data := func(b []byte) string { return "data:;base64," + base64.StdEncoding.EncodeToString(b) }
	type contents = map[string]any
	files := map[string]contents{
		"/etc/packed": {"source": data(packed.Bytes()), "compression": "gzip"},
		"/etc/empty":  {},
		"/etc/binary": {"source": data([]byte("a\x00b"))},
		"/etc/latin":  {"source": data([]byte("\xe9t\xe9"))},
		"/etc/remote": {"source": "https://me:" + secret + "@192.0.2.7/x?token=" + secret},
	}
	want := map[string]prepare.PreviewFile{
		"/etc/packed": {Size: 9, Text: "unpacked\n"}, "/etc/binary": {Size: 3}, "/etc/latin": {Size: 3}, "/etc/remote": {}, "/etc/empty": {},
	}
	var list []any
	for path, c := range files {
		list = append(list, map[string]any{"path": path, "mode": 0o644, "contents": c})
	}
	extra, err := json.Marshal(map[string]any{"ignition": map[string]any{"version": "3.1.0"}, "storage": map[string]any{"files": list}})
	if err != nil {
		t.Fatal(err)
	}
	p := build(t, makerOf(map[string]string{"extra.ign": string(extra)}), prepare.Inputs{NoLogin: true, ExtraFile: "extra.ign"}).Preview
	for _, f := range p.Files {
		w, mine := want[f.Path]
		if !mine {
			continue
		}
		delete(want, f.Path)
		if f.Size != w.Size || f.Text != w.Text || f.Secret {
			t.Errorf("%+v, want %+v", f, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v", want)
	}
	if strings.Contains(p.Text, secret) || !strings.Contains(p.Text, `"https://******@192.0.2.7/x?******"`) {
		t.Errorf("a secret is shown, or the address is not: %s", p.Text)
	}
}

// TestUnbootable checks the error message for a configuration that would not boot but has no specific problem.
func TestUnbootable(t *testing.T) {
	t.Parallel()
	e := &prepare.UnbootableError{Name: "a\x1b.ign", Kind: userdata.KindEmpty}
	if text := e.Error(); strings.Contains(text, "\x1b") || !strings.HasSuffix(text, "("+string(userdata.KindEmpty)+") would not boot") {
		t.Errorf("%q", text)
	}
}

// TestHomePath checks that ~ is resolved only at the start of a path.
func TestHomePath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ home, path, want string }{
		{"/home/me", "~/a", "/home/me/a"}, {"/home/me", "~you/a", "~you/a"}, {"/home/me", "/a/~/b", "/a/~/b"}, {"", "~/a", "~/a"}, {"/home/me", "", ""},
	} {
		if got := prepare.HomePath(tt.home, tt.path); got != tt.want {
			t.Errorf("%q at home %q is %q, want %q", tt.path, tt.home, got, tt.want)
		}
	}
}

// TestKeyFilesOfAFolder checks that connection files in a folder are read in order, and that subfolders and other
// files are ignored.
func TestKeyFilesOfAFolder(t *testing.T) {
	t.Parallel()
	m := makerOf(nil)
	tree := fstest.MapFS{
		"nm/b.nmconnection": {Data: []byte("[connection]\nid=b\n")}, "nm/a.nmconnection": {Data: []byte("[connection]\nid=a\n")},
		"nm/folder.nmconnection/x": {Data: []byte("x")}, "nm/readme": {Data: []byte("x")}, "one.nmconnection": {Data: []byte("[connection]\nid=one\n")},
	}
	m.Open = func(path string) (io.ReadCloser, error) { return tree.Open(path) }
	m.Dir = func(path string) ([]fs.DirEntry, error) { return fs.ReadDir(tree, path) }
	var got []string
	for _, f := range build(t, m, prepare.Inputs{NoLogin: true, KeyFiles: []string{"nm", "one.nmconnection"}}).Preview.Files {
		if strings.HasSuffix(f.Path, ".nmconnection") {
			got = append(got, f.Path)
		}
	}
	const dir = "/etc/NetworkManager/system-connections/"
	if want := []string{dir + "a.nmconnection", dir + "b.nmconnection", dir + "one.nmconnection"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// authority returns a new CA certificate in PEM format.
func authority(t *testing.T) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
