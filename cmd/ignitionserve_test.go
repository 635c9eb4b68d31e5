package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"ironworks/cmd/cli"
	"ironworks/cmd/ignition"
	"ironworks/cmd/serving"
	"ironworks/config"
	"ironworks/ignition/image"
	"ironworks/ignition/serve"
	"ironworks/test/coreosinstaller"
	"ironworks/test/fetch"
)

// served is a serve command that runs in this process.
type served struct {
	t     *testing.T
	stop  context.CancelFunc
	code  chan int
	lines *bufio.Scanner
	first ignition.ServedJSON
	err   *bytes.Buffer // valid after the command has ended
}

func (d *desk) serve(args ...string) *served {
	d.t.Helper()
	ctx, stop := context.WithCancel(d.t.Context())
	out, in := io.Pipe()
	s := &served{t: d.t, stop: stop, code: make(chan int, 1), lines: bufio.NewScanner(out), err: &bytes.Buffer{}}
	s.lines.Buffer(nil, 1<<20)
	line := []string{"ignition", "serve", "-o", "json"}
	for _, arg := range args {
		if rest, ok := strings.CutPrefix(arg, "/"); ok {
			arg = d.path(rest)
		}
		line = append(line, arg)
	}
	go func() {
		s.code <- run(ctx, cli.Process{
			Args: line, Stdin: strings.NewReader(""), Stdout: in, Stderr: s.err,
			Options: config.Options{Home: d.home, WorkDir: d.home, SystemDir: d.home},
		})
		_ = in.Close()
	}()
	d.t.Cleanup(stop)
	if !s.lines.Scan() || json.Unmarshal(s.lines.Bytes(), &s.first) != nil || s.first.Kind != "serving" {
		d.t.Fatalf("%s: exit code %d: %s", s.lines.Text(), <-s.code, s.err)
	}
	return s
}

// end interrupts the command and returns its standard error.
func (s *served) end() string {
	s.t.Helper()
	s.stop()
	for s.lines.Scan() { //nolint:revive // until its end
	}
	if code := <-s.code; code != cli.ExitOK {
		s.t.Errorf("exit code %d: %s", code, s.err)
	}
	return s.err.String()
}

// event waits for the next event of the given kind.
func (s *served) event(kind serve.EventKind) serving.EventJSON {
	s.t.Helper()
	for s.lines.Scan() {
		var e serving.EventJSON
		if err := json.Unmarshal(s.lines.Bytes(), &e); err != nil {
			s.t.Fatalf("%v: %s", err, s.lines.Text())
		}
		if e.Kind == kind {
			return e
		}
	}
	s.t.Fatalf("it ended without %s", kind)
	return serving.EventJSON{}
}

// get fetches a URL and returns the content.
func (s *served) get(url string) []byte {
	s.t.Helper()
	_, content := fetch.Answer(s.t, url, s.first.Certificate)
	return content
}

func TestIgnitionServeAnISO(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"http": nil, "https": {"--tls"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			s := d.serve(append(args, "--iso", "/live.iso", "--host", "192.0.2.5", "--karg-append", "console=ttyS0")...)
			address := s.first.Targets[0].ISO
			if !strings.HasPrefix(address, name+"://127.0.0.1:") || !strings.HasSuffix(address, "/ramdisk.iso") {
				t.Fatalf("%+v", s.first)
			}
			got := s.get(address)
			if e := s.event(serve.EventDone); e.Percent != 100 || e.Item != "ramdisk.iso" || e.Size != int64(len(got)) {
				t.Errorf("%+v", e)
			}
			s.get(address + "x")
			s.event(serve.EventRefused)
			iso, err := image.Read(bytes.NewReader(got), int64(len(got)))
			if err != nil {
				t.Fatal(err)
			}
			config, err := iso.Ignition()
			kargs, kargsErr := iso.Kargs()
			if err != nil || kargsErr != nil || !strings.Contains(string(config), publicKey) || kargs.Current != coreosinstaller.Kargs+" console=ttyS0" {
				t.Errorf("%v, %v: %s %s", err, kargsErr, config, kargs.Current)
			}
			if said := s.end(); strings.Contains(said, address) {
				t.Errorf("the address is on standard error: %s", said)
			}
			if !bytes.Equal(d.get("live.iso"), coreosinstaller.X86().Image) {
				t.Error("the ISO has changed")
			}
		})
	}
}

// TestIgnitionServeTheBuiltinAgent checks that the configuration in the served ISO contains a URL of the built-in
// agent, which the same server serves.
func TestIgnitionServeTheBuiltinAgent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	program := make([]byte, 64)
	copy(program, "\x7fELF\x02\x01\x01")
	program[16], program[18], program[20], program[52], program[54], program[58] = 2, 62, 1, 64, 56, 64 // an ELF header for x86-64
	d.put("agent", program)
	s := d.serve("--iso", "/live.iso", "--host", "192.0.2.5", "--agent", "builtin", "--agent-binary", "/agent")
	got := s.get(s.first.Targets[0].ISO)
	iso, err := image.Read(bytes.NewReader(got), int64(len(got)))
	if err != nil {
		t.Fatal(err)
	}
	config, err := iso.Ignition()
	address := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/[a-z0-9]{32}/ironworks-agent`).FindString(string(config))
	if err != nil || address == "" || strings.Contains(string(config), "podman") {
		t.Fatalf("%v: %s", err, config)
	}
	if !bytes.Equal(s.get(address), program) {
		t.Error("another program is served")
	}
	for e := s.event(serve.EventDone); e.Item != "ironworks-agent"; e = s.event(serve.EventDone) { //nolint:revive // the ISO comes first
	}
	s.end()

	d.want(cli.ExitUsage, "--agent-url is missing", "build", "--host", "192.0.2.5", "--agent", "builtin", "--agent-binary", "/agent")
	d.want(cli.ExitUsage, "--agent-binary", "serve", "--iso", "/live.iso", "--host", "192.0.2.5", "--agent", "builtin", "--agent-binary", "/none")
	d.want(cli.ExitUsage, "--pull-secret is not used by the builtin agent", "build", "--host", "192.0.2.5", "--agent", "builtin", "--agent-binary", "/agent",
		"--agent-embed", "--pull-secret", "/agent")
	text := d.want(cli.ExitOK, "", "build", "--host", "192.0.2.5", "--agent", "builtin", "--agent-binary", "/agent", "--agent-url", "http://192.0.2.9/a")
	if !strings.Contains(text, `"source":"http://192.0.2.9/a","verification":{"hash":"sha512-`) {
		t.Errorf("%s", text)
	}
}

func TestIgnitionServeKeepsTheEmbeddedConfiguration(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := d.want(cli.ExitOK, "", "build", "--host", "192.0.2.5")
	d.put("a.ign", []byte(config))
	d.want(cli.ExitOK, "", "embed", "/live.iso", "/a.ign")
	s := d.serve("--iso", "/live.iso")
	if !bytes.Equal(s.get(s.first.Targets[0].ISO), d.get("live.iso")) {
		t.Error("it is not served as it is")
	}
	s.end()
	d.want(cli.ExitRefused, "pass --force to replace the", "serve", "--iso", "/live.iso", "--ignition", "/a.ign")

	s = d.serve("--iso", "/live.iso", "--pxe", "--config-url", "--karg-append", "rd.neednet=1")
	target := s.first.Targets[0]
	if got := string(s.get(target.Kernel)); got != "a kernel\n" {
		t.Errorf("%q", got)
	}
	if got := string(s.get(target.Initrd)); got != "an initramfs\n" {
		t.Errorf("%q", got)
	}
	words := map[string]string{}
	for word := range strings.FieldsSeq(target.Params) {
		key, value, _ := strings.Cut(word, "=")
		words[key] = value
	}
	if got := s.get(words["ignition.config.url"]); string(got) != strings.TrimSpace(config) && string(got) != config {
		t.Errorf("%s", got)
	}
	if got := s.get(words["coreos.live.rootfs_url"]); len(got) == 0 || words["rd.neednet"] != "1" || words["ignition.platform.id"] != "metal" {
		t.Errorf("%d bytes, %s", len(got), target.Params)
	}
	s.end()
	d.want(cli.ExitFailed, "not the initramfs", "serve", "--iso", "/live.iso", "--pxe")
}
