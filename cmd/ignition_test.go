package cmd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/cmd/cli"
	"ironworks/cmd/ignition"
	"ironworks/config"
	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDK7CZyr9ueDwdMXbauPAUQJutH28y4Og3Ltic3CUcWx me@here"

// desk is a folder in which commands run.
type desk struct {
	t    *testing.T
	home string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir()}
	d.put(".ssh/id_ed25519.pub", []byte(publicKey+"\n"))
	d.put("live.iso", coreosinstaller.X86().Image)
	return d
}

func (d *desk) path(name string) string { return filepath.Join(d.home, name) }

func (d *desk) put(name string, content []byte) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), content, 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) get(name string) []byte {
	d.t.Helper()
	content, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return content
}

// run runs ironworks ignition. Arguments that begin with a slash are files in the folder.
func (d *desk) run(stdin string, args ...string) (code int, stdout, stderr string) {
	d.t.Helper()
	return d.runCommand("ignition", stdin, args...)
}

// runCommand does the same as run, for another command with subcommands.
func (d *desk) runCommand(command, stdin string, args ...string) (code int, stdout, stderr string) {
	d.t.Helper()
	line := []string{command}
	for _, arg := range args {
		if rest, ok := strings.CutPrefix(arg, "/"); ok {
			arg = d.path(rest)
		}
		line = append(line, arg)
	}
	var out, complaints bytes.Buffer
	code = run(context.Background(), cli.Process{
		Args: line, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &complaints,
		Options: config.Options{Home: d.home, WorkDir: d.home, SystemDir: d.home},
	})
	return code, out.String(), complaints.String()
}

// want runs a command and checks its exit code and standard error.
func (d *desk) want(code int, says string, args ...string) string {
	d.t.Helper()
	got, stdout, stderr := d.run("", args...)
	if got != code || !strings.Contains(stderr, says) {
		d.t.Errorf("%q: exit code %d, want %d with %q:\n%s%s", args, got, code, says, stdout, stderr)
	}
	return stdout
}

func TestIgnitionUsage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"nothing":               {nil, "usage: ignition build|check"},
		"unknown":               {[]string{"fly"}, "fly"},
		"format for a file":     {[]string{"build", "--host", "h", "-o", "json"}, "must be a FILE, not a format"},
		"embed as JSON":         {[]string{"embed", "/live.iso", "/x", "-o", "yaml"}, "must be a FILE, not a format"},
		"no host":               {[]string{"build"}, "--host is missing"},
		"profile":               {[]string{"build", "--profile", "mine"}, `--profile "mine" is not a known profile`},
		"ssh key":               {[]string{"build", "--host", "h", "--ssh-key", "nowhere"}, "--ssh-key \"nowhere\" cannot be read"},
		"tls":                   {[]string{"build", "--host", "h", "--tls", "maybe"}, "--tls \"maybe\""},
		"classic's registry":    {[]string{"build", "--profile", "classic", "--host", "h"}, "--registry is missing"},
		"registry":              {[]string{"build", "--host", "h", "--registry-tls", "r=maybe"}, "--registry-tls \"maybe\""},
		"metal3's option":       {[]string{"build", "--host", "h", "--registries-conf", "x"}, "--registries-conf"},
		"no file":               {[]string{"check"}, "check --help"},
		"spec":                  {[]string{"check", "x", "--max-spec", "2.0"}, "--max-spec 2.0"},
		"ISO from a pipe":       {[]string{"embed", "-", "/x"}, "from standard input; pass its file name"},
		"kargs of nothing":      {[]string{"kargs", "append", "/live.iso"}, "append --help"},
		"initramfs from a pipe": {[]string{"wrap", "/x", "--append", "-"}, "--append"},
		"apply nothing":         {[]string{"apply", "n1"}, "give --iso URL"},
		"apply both":            {[]string{"apply", "n1", "--iso", "http://h/i", "--kernel", "http://h/k"}, "cannot be combined"},
		"kernel alone":          {[]string{"apply", "n1", "--kernel", "http://h/k"}, "--kernel needs --initrd"},
		"initrd alone":          {[]string{"apply", "n1", "--initrd", "http://h/k"}, "--initrd needs --kernel"},
		"params of an ISO":      {[]string{"apply", "n1", "--iso", "http://h/i", "--kernel-params", "a"}, "kargs append"},
		"bad params":            {[]string{"apply", "n1", "--kernel", "http://h/k", "--initrd", "http://h/i", "--kernel-params", "a:b"}, "--kernel-params: kernel parameters, column 2"},
		"set and take away":     {[]string{"apply", "n1", "--kernel", "http://h/k", "--initrd", "http://h/i", "--kernel-params", "a", "--no-kernel-params"}, "cannot be combined"},
		"defaults of nothing":   {[]string{"apply", "n1", "--iso", "http://h/i", "--with-defaults"}, "--with-defaults needs"},
		"apply without a node":  {[]string{"apply"}, "apply --help"},
		"serve nothing":         {[]string{"serve"}, "nothing to serve"},
		"serve both":            {[]string{"serve", "--iso", "/live.iso", "--kernel", "k"}, "cannot be combined"},
		"serve a kernel":        {[]string{"serve", "--kernel", "k"}, "--kernel and --initrd must be given together"},
		"per node of nobody":    {[]string{"serve", "--iso", "/live.iso", "--per-node"}, "no NODE given"},
		"apply to nobody":       {[]string{"serve", "--iso", "/live.iso", "--apply"}, "no NODE given"},
		"two configurations":    {[]string{"serve", "--iso", "/live.iso", "--ignition", "x", "--host", "h"}, "cannot be combined"},
		"certificate alone":     {[]string{"serve", "--iso", "/live.iso", "--tls-cert", "x"}, "--tls-cert and --tls-key"},
		"bad address":           {[]string{"serve", "--iso", "/live.iso", "--host", "h", "--listen", "here"}, "must be HOST:PORT, auto"},
		"serve's tls":           {[]string{"serve", "--iso", "/live.iso", "--host", "h", "--ironic-tls", "maybe"}, "--ironic-tls \"maybe\""},
		"config URL of an ISO":  {[]string{"serve", "--iso", "/live.iso", "--config-url"}, "--config-url needs --kernel"},
		"serve as YAML":         {[]string{"serve", "--iso", "/live.iso", "-o", "yaml"}, "only -o table and json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := (&desk{t: t, home: d.home}).run("", tt.args...)
			if code != cli.ExitUsage || !strings.Contains(stderr, tt.says) || stdout != "" {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, cli.ExitUsage, tt.says, stdout, stderr)
			}
		})
	}
}

// TestIgnitionKeepsSecrets checks that errors do not repeat misplaced arguments, because these may be secret, and
// that a preview hides the password of a proxy.
func TestIgnitionKeepsSecrets(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("proxy", []byte("http://me:hunter2@192.0.2.9:3128\n"))
	d.put("private", []byte("-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----\n"))
	for name, args := range map[string][]string{
		"a private key":          {"--ssh-key", "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n"},
		"one in a file":          {"--ssh-key", "/private"},
		"one as a CA":            {"--ca", "/private"},
		"a pull secret":          {"--pull-secret", `{"auths":{"r":{"auth":"hunter2"}}}`},
		"one that is none":       {"--pull-secret", "/private"},
		"a proxy":                {"--http-proxy", "socks://me:hunter2@h"},
		"an option with no name": {"--option", "=hunter2"},
		"an option's value":      {"--option", "a b=hunter2"},
		"Ironic's password":      {"--host", "http://me:hunter2@192.0.2.5:6385"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := (&desk{t: t, home: d.home}).run("", append([]string{"build", "--host", "192.0.2.5"}, args...)...)
			if code != cli.ExitUsage || strings.Contains(stdout+stderr, "hunter2") {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
		})
	}
	text := d.want(cli.ExitOK, "", "build", "--host", "192.0.2.5", "--http-proxy", "@"+d.path("proxy"), "--preview")
	if strings.Contains(text, "hunter2") {
		t.Errorf("%s", text)
	}
}

func TestIgnitionHelp(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, command := range []string{"build", "embed", "remove", "wrap"} {
		help := d.want(cli.ExitOK, "", command, "--help")
		if strings.Contains(help, "output format: table") || strings.Count(help, "--output") == 0 {
			t.Errorf("%s: the format is offered where a file is written:\n%s", command, help)
		}
	}
	for _, command := range []string{"check", "show", "apply", "serve"} {
		if help := d.want(cli.ExitOK, "", command, "--help"); !strings.Contains(help, "output format: table") {
			t.Errorf("%s: no format is offered:\n%s", command, help)
		}
	}
}

func TestIgnitionBuild(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	text := d.want(cli.ExitOK, "note: --image: ", "build", "--host", "192.0.2.5")
	if !json.Valid([]byte(text)) || !strings.Contains(text, publicKey) {
		t.Errorf("%s", text)
	}
	d.want(cli.ExitOK, "wrote ", "build", "--host", "192.0.2.5", "-o", "/a.ign")
	info, err := os.Stat(d.path("a.ign"))
	if err != nil || info.Mode().Perm() != 0o600 || string(d.get("a.ign")) != text {
		t.Errorf("%v, %v: %s", info, err, d.get("a.ign"))
	}
	d.want(cli.ExitRefused, "pass --force to replace the", "build", "--host", "192.0.2.6", "-o", "/a.ign")
	d.want(cli.ExitOK, "", "build", "--host", "192.0.2.6", "-o", "/a.ign", "--force")
	if string(d.get("a.ign")) == text {
		t.Error("--force has not replaced it")
	}
	d.put("pull.json", []byte(`{"auths":{"r":{"auth":"hunter2"}}}`))
	preview := d.want(cli.ExitOK, "", "build", "--host", "192.0.2.5", "--pull-secret", "/pull.json", "--preview", "--ssh-key", publicKey)
	if !strings.Contains(preview, "core: ssh-ed25519 256 me@here SHA256:") || !strings.Contains(preview, "ExecStart=") || strings.Contains(preview, "hunter2") {
		t.Errorf("%s", preview)
	}
	classic := d.want(cli.ExitOK, "5050", "build", "--profile", "classic", "--host", "192.0.2.5", "--registry", "r.example/x", "--insecure-registry", "--tls", "on", "--option", "a = b")
	if !strings.Contains(classic, "podman pull r.example/x/ironic-agent --tls-verify=false") || !strings.Contains(classic, `"version":"3.0.0"`) {
		t.Errorf("%s", classic)
	}
	ca := certificate(t)
	d.put("ca.pem", ca)
	verified := d.want(cli.ExitOK, "", "build", "--url", "https://192.0.2.7:6385", "--cacert", "/ca.pem")
	if !strings.Contains(verified, base64.StdEncoding.EncodeToString(ca)) {
		t.Errorf("the context's CA is not in it: %s", verified)
	}
	if other := d.want(cli.ExitOK, "", "build", "--url", "https://192.0.2.7:6385", "--cacert", "/ca.pem", "--host", "https://192.0.2.8"); strings.Contains(other, base64.StdEncoding.EncodeToString(ca)) {
		t.Errorf("the CA of another Ironic is in it: %s", other)
	}
	// Ironic's address comes from a configured context, not from the default address.
	from := d.want(cli.ExitOK, "", "build", "--url", "http://192.0.2.7:6385/v1", "--preview")
	if !strings.Contains(from, "Ironic     http://192.0.2.7:6385\n") {
		t.Errorf("%s", from)
	}
}

func TestIgnitionBuildRecordsImages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	images := func() []string {
		files, err := filepath.Glob(d.path(".local/state/ironworks/push/images/*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	args := []string{"build", "--host", "192.0.2.5", "--journal-push", "https://192.0.2.9:6387", "--ssh-host-key"}
	preview := d.want(cli.ExitOK, "", append(args, "--preview")...)
	for _, want := range []string{"/etc/ironworks-journal/curl  0600", "/etc/ssh/ssh_host_ed25519_key  0600", "ironworks-journal.service  enabled"} {
		if !strings.Contains(preview, want) {
			t.Errorf("the preview lacks %q:\n%s", want, preview)
		}
	}
	if strings.Contains(preview, "Bearer") || strings.Contains(preview, "OPENSSH") || len(images()) != 0 {
		t.Errorf("the preview shows a secret or was kept (%d images):\n%s", len(images()), preview)
	}
	d.want(cli.ExitOK, "", args...)
	d.want(cli.ExitOK, "", append(args, "-o", "/a.ign")...)
	if n := len(images()); n != 2 {
		t.Fatalf("%d images are known, want 2", n)
	}
	for _, path := range append(images(), d.path(".local/state/ironworks/push/receiver.pem")) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	d.want(cli.ExitUsage, "--journal-push \"http://192.0.2.9\" is not a valid console URL", "build", "--host", "192.0.2.5", "--journal-push", "http://192.0.2.9")
	d.want(cli.ExitUsage, "--ssh-host-key is not supported by the profile metal3", "build", "--host", "192.0.2.5", "--profile", "metal3", "--ssh-host-key")
	d.want(cli.ExitUsage, "--journal-push is not supported by the profile classic", "build", "--profile", "classic", "--host", "192.0.2.5", "--registry", "r.example", "--journal-push", "https://192.0.2.9:1")
	if n := len(images()); n != 2 {
		t.Errorf("%d images are known after what was refused", n)
	}
}

// certificate returns a self-signed certificate.
func certificate(t *testing.T) []byte {
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
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestIgnitionCheck(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("broken.bu", []byte("variant: fcos\nversion: 1.5.0\nstorage:\n  files:\n    - path: x\n"))
	d.put("local.bu", []byte("variant: fcos\nversion: 1.5.0\nstorage:\n  files:\n    - path: /etc/x\n      contents: {local: hello}\npasswd: {users: [{name: core, ssh_authorized_keys: ['"+publicKey+"']}]}\n"))
	d.put("hello", []byte("hello"))
	if out := d.want(cli.ExitRefused, "", "check", "/broken.bu"); !strings.Contains(out, "broken.bu:5:13: error: ") || !strings.Contains(out, ": invalid: ") {
		t.Errorf("%s", out)
	}
	out := d.want(cli.ExitRefused, "", "check", "/broken.bu", "-o", "json")
	var report map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report) != 4 || string(report["kind"]) != `"butane"` || string(report["ok"]) != "false" {
		t.Errorf("%v: %s", err, out)
	}
	var problems []map[string]any
	if err := json.Unmarshal(report["problems"], &problems); err != nil || len(problems) == 0 || len(problems[0]) != 6 || problems[0]["line"] != 5.0 || problems[0]["column"] != 13.0 {
		t.Errorf("%v: %s", err, out)
	}
	d.want(cli.ExitRefused, "", "check", "/local.bu")
	if out := d.want(cli.ExitOK, "", "check", "/local.bu", "--files-dir", "/"); !strings.Contains(out, "me@here") || !strings.Contains(out, "/x  0644, 5 B") {
		t.Errorf("%s", out)
	}
	d.want(cli.ExitRefused, "", "check", "/local.bu", "--files-dir", "/", "--max-spec", "3.3")
	d.want(cli.ExitFailed, "nowhere", "check", "/nowhere")
	if code, out, _ := d.run(`{"ignition":{"version":"3.2.0"}}`, "check", "-"); code != cli.ExitOK || !strings.Contains(out, "stdin: valid") {
		t.Errorf("%d %s", code, out)
	}
	if code, out, _ := d.run("\x1b[31m", "check", "-"); code != cli.ExitRefused || strings.Contains(out, "\x1b") {
		t.Errorf("%d %q", code, out)
	}
}

func TestIgnitionInAnISO(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pristine := d.get("live.iso")
	config := d.want(cli.ExitOK, "", "build", "--host", "192.0.2.5")
	d.put("a.ign", []byte(config))
	d.want(cli.ExitFailed, "no configuration is embedded", "show", "/live.iso")
	d.want(cli.ExitOK, "configuration embedded", "embed", "/live.iso", "/a.ign", "--karg-append", "console=ttyS0")
	if got := d.want(cli.ExitOK, "", "show", "/live.iso"); got != config {
		t.Errorf("%q", got)
	}
	var shown ignition.ShownImage
	if err := json.Unmarshal([]byte(d.want(cli.ExitOK, "", "show", "/live.iso", "-o", "json")), &shown); err != nil ||
		shown.Volume != coreosinstaller.Volume || shown.Kargs != coreosinstaller.Kargs+" console=ttyS0" {
		t.Errorf("%+v, %v", shown, err)
	}
	d.want(cli.ExitRefused, "pass --force to replace the", "embed", "/live.iso", "/a.ign")
	d.want(cli.ExitOK, "", "embed", "/live.iso", "/a.ign", "--force")
	d.want(cli.ExitOK, "", "kargs", "reset", "/live.iso")
	d.want(cli.ExitOK, "configuration removed", "remove", "/live.iso")
	if !bytes.Equal(d.get("live.iso"), pristine) {
		t.Error("it is not what it was")
	}
	d.want(cli.ExitOK, "", "embed", "/live.iso", "/a.ign", "--output", "/new.iso")
	if !bytes.Equal(d.get("live.iso"), pristine) {
		t.Error("the source has changed")
	}
	d.want(cli.ExitRefused, "nothing was written", "embed", "/live.iso", "/a.ign", "--output", "/new.iso")
	code, streamed, _ := d.run(config, "embed", "/live.iso", "-", "--output", "-")
	if code != cli.ExitOK || streamed != string(d.get("new.iso")) {
		t.Errorf("exit code %d, %d bytes", code, len(streamed))
	}
	d.put("cloud", []byte("#cloud-config\n"))
	d.want(cli.ExitRefused, "would not boot", "embed", "/live.iso", "/cloud")
	d.want(cli.ExitFailed, "not an ISO 9660 image", "embed", "/a.ign", "/a.ign")
	if !bytes.Equal(d.get("live.iso"), pristine) {
		t.Error("what was refused has changed it")
	}
	d.put("large.ign", []byte(`{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/x","contents":{"source":"data:,`+noise(600<<10)+`"}}]}}`))
	// If a configuration does not fit into the 256 KiB embed area, the area moves to the end of the ISO. Removing the
	// configuration undoes the move.
	d.want(cli.ExitOK, "configuration embedded", "embed", "/live.iso", "/large.ign")
	d.want(cli.ExitOK, "configuration removed", "remove", "/live.iso")
	if !bytes.Equal(d.get("live.iso"), pristine) {
		t.Error("a large configuration left something behind")
	}
}

// noise returns text that compresses badly.
func noise(length int) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	text := make([]byte, length)
	seed := uint64(1)
	for i := range text {
		seed = seed*6364136223846793005 + 1442695040888963407
		text[i] = letters[seed>>58]
	}
	return string(text)
}

func TestIgnitionKargs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	show := func(args ...string) string {
		return strings.TrimSpace(d.want(cli.ExitOK, "", append([]string{"kargs", "show", "/live.iso"}, args...)...))
	}
	for _, step := range []struct {
		args []string
		says string
		want string
	}{
		{[]string{"append", "/live.iso", "a=1", "b=2"}, "a=1 b=2", " a=1 b=2"},
		{[]string{"replace", "/live.iso", "a=1=3"}, "", " a=3 b=2"},
		{[]string{"delete", "/live.iso", "b=2", "c"}, `"c" not found`, " a=3"},
		{[]string{"reset", "/live.iso"}, "", ""},
	} {
		d.want(cli.ExitOK, step.says, append([]string{"kargs"}, step.args...)...)
		if got := show(); got != coreosinstaller.Kargs+step.want {
			t.Errorf("%q: %s", step.args, got)
		}
	}
	d.want(cli.ExitOK, "", "kargs", "append", "/live.iso", "x", "-o", "/new.iso")
	if show() != show("--default") {
		t.Error("the source has changed")
	}
	d.want(cli.ExitRefused, "too", "kargs", "append", "/live.iso", strings.Repeat("a", 2000))
}

func TestIgnitionWrap(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := d.want(cli.ExitOK, "", "build", "--host", "192.0.2.5")
	d.put("a.ign", []byte(config))
	base, err := image.Pack(image.Member{Name: "etc/coreos-live-initramfs"})
	if err != nil {
		t.Fatal(err)
	}
	d.put("initramfs.img", base)
	alone := d.want(cli.ExitOK, "", "wrap", "/a.ign")
	if code, out, _ := d.run(alone, "show", "-"); code != cli.ExitOK || out != config {
		t.Errorf("%d %q", code, out)
	}
	d.want(cli.ExitOK, "", "wrap", "/a.ign", "--append", "/initramfs.img", "-o", "/full.img")
	if got := d.want(cli.ExitOK, "", "show", "/full.img"); got != config || !bytes.HasPrefix(d.get("full.img"), base) {
		t.Errorf("%q", got)
	}
	d.want(cli.ExitRefused, "--force", "wrap", "/a.ign", "-o", "/full.img")
	d.want(cli.ExitRefused, "already customized", "wrap", "/a.ign", "--append", "/full.img", "-o", "/more.img")
	d.want(cli.ExitFailed, "not the initramfs", "wrap", "/a.ign", "--append", "/live.iso", "-o", "/more.img")
	d.want(cli.ExitUsage, "--append", "wrap", "/a.ign", "--append", "/nowhere", "-o", "/more.img")
}
