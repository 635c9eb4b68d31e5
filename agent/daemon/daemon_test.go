package daemon

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/agent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// config writes a temporary configuration file with the given content and returns its path.
func config(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "agent.conf")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestFilesBeforeParameters checks the precedence of ironic-python-agent: options on the kernel's command line are
// used only if no configuration file sets them.
func TestFilesBeforeParameters(t *testing.T) {
	t.Parallel()
	first := config(t, `# written by Ignition
[DEFAULT]
api_url = http://192.0.2.1:6385,
  http://192.0.2.2:6385
collect_lldp = True
inspection-collectors = default, logs,pci-devices
global_request_id = "req-$$1"

[disk_utils]
insecure = true
`)
	second := config(t, "[DEFAULT]\ncollect_lldp: no\ntls_min_version = 1.3\n")
	s, err := ReadSettings([]string{first, second}, map[string]string{
		"ipa-api-url": "http://192.0.2.9", "ipa-lookup-timeout": "5", "ipa-agent-token": "secret", "ipa-insecure": "1", "ipa-ip-lookup-timeout": "0.5",
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Agent.IronicURL != "http://192.0.2.1:6385,\nhttp://192.0.2.2:6385" || s.Agent.GlobalRequestID != "req-$1" || s.Agent.Token != "secret" {
		t.Errorf("texts are %+v", s)
	}
	if s.Linux.CollectLLDP || !s.Insecure || s.Agent.MinTLS != tls.VersionTLS13 || s.Agent.Listen != ":9999" {
		t.Errorf("flags and numbers are %+v", s)
	}
	if s.Agent.LookupTimeout != 5*time.Second || s.LookupSleep != time.Second/2 || s.Linux.LLDPTimeout != 30*time.Second {
		t.Errorf("times are %+v", s)
	}
	if !slices.Equal(s.Agent.Collectors, []string{"default", "logs", "pci-devices"}) {
		t.Errorf("collectors are %q", s.Agent.Collectors)
	}
}

// TestImageSettings checks the options for images, and that their defaults are the same as in ironic-python-agent.
func TestImageSettings(t *testing.T) {
	t.Parallel()
	given := map[string]string{"ipa-api-url": "http://a"}
	s, err := ReadSettings(nil, given)
	if want := (agent.ImageOptions{Tries: 10, Pause: 10 * time.Second, Silence: time.Minute}); err != nil || !reflect.DeepEqual(s.Agent.Images, want) {
		t.Errorf("by default %+v, %v", s.Agent.Images, err)
	}
	given["ipa-image-download-connection-retries"] = "2"
	name := config(t, `[DEFAULT]
image_download_connection_retry_interval = 0
image_download_connection_timeout = 5
image_download_max_duration = 3600
image_server_auth_strategy = http_basic
image_server_user = u
image_server_password = p
md5_enabled = true
disable_deep_image_inspection = true
permitted_image_formats = raw, vmdk
`)
	s, err = ReadSettings([]string{name}, given)
	want := agent.ImageOptions{
		Tries: 3, Pause: 1, Silence: 5 * time.Second, MaxDuration: time.Hour,
		BasicAuth: true, User: "u", Password: "p", MD5: true, Uninspected: true, Formats: []string{"raw", "vmdk"},
	}
	if err != nil || !reflect.DeepEqual(s.Agent.Images, want) {
		t.Errorf("got %+v, %v", s.Agent.Images, err)
	}
}

// TestInspectionNeedsToBeRequested checks that the agent inspects the machine only if an option requests it. See
// is_enabled in ironic_python_agent/inspector.py.
func TestInspectionNeedsToBeRequested(t *testing.T) {
	t.Parallel()
	for params, want := range map[string][]string{
		"":                          nil,
		"ipa-inspection-collectors": {"default"},
		"ipa-inspection-callback-url": {
			"default", "logs",
		},
	} {
		given := map[string]string{"ipa-api-url": "http://a"}
		if params != "" {
			given[params] = map[bool]string{true: "http://b", false: "default"}[strings.HasSuffix(params, "url")]
		}
		s, err := ReadSettings(nil, given)
		if err != nil || !slices.Equal(s.Agent.Collectors, want) {
			t.Errorf("with %q the collectors are %q, %v", params, s.Agent.Collectors, err)
		}
	}
}

func TestInvalidSettings(t *testing.T) {
	t.Parallel()
	name := config(t, "[DEFAULT]\napi_url = mdns\nlisten_port = 70000\ninsecure = perhaps\ncertfile = x.pem\n")
	_, err := ReadSettings([]string{name}, map[string]string{"ipa-lookup-timeout": "soon", "ipa-standalone": "true"})
	if err == nil {
		t.Fatal("an invalid configuration was accepted")
	}
	for _, want := range []string{
		`option api_url is "mdns" in ` + name + `, line 2: want a URL`, "a number from 0 to 65535", `"perhaps"`,
		`option lookup_timeout is "soon" on the kernel's command line: want a number of seconds`, "certfile and keyfile belong together", "standalone",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
	if _, err := ReadSettings([]string{config(t, "[DEFAULT]\napi_url\n")}, nil); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line without a value: %v", err)
	}
	if _, err := ReadSettings(nil, nil); err == nil || !strings.Contains(err.Error(), "ipa-api-url") {
		t.Errorf("no address of Ironic: %v", err)
	}
}

func TestConfigFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"b.conf", "a.conf", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := configFiles([]string{"/first.conf"}, []string{folder})
	if want := []string{"/first.conf", filepath.Join(folder, "a.conf"), filepath.Join(folder, "b.conf")}; err != nil || !slices.Equal(files, want) {
		t.Errorf("the files are %q, %v", files, err)
	}
	if _, err := configFiles(nil, []string{filepath.Join(folder, "none")}); err == nil {
		t.Error("a missing folder was accepted")
	}
}

func TestOneAgentPerHost(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "lock")
	release, err := lock(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock(file); !errors.Is(err, ErrRunning) || ExitCode(err) != 2 {
		t.Errorf("a second agent: %v", err)
	}
	release()
	again, err := lock(file)
	if err != nil {
		t.Fatal(err)
	}
	again()

	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test's listener
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if err := portFree(t.Context(), listener.Addr().String()); !errors.Is(err, ErrRunning) {
		t.Errorf("another agent's port: %v", err)
	}
}

func TestLogHidesTokens(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := &logWriter{to: &out, debug: true}
	w.entry(agent.Entry{Unit: agent.Unit, Text: "GET /v1/commands/?wait=true&agent_token=abc-def&x=1 - 200"})
	w.entry(agent.Entry{Unit: agent.Unit, Text: "x DEBUG y {'config': {'agent_token': 'abc-def', 'a': 1}}"})
	w.entry(agent.Entry{Unit: "init.scope", Text: "Started"})
	w.debug = false
	w.entry(agent.Entry{Unit: agent.Unit, Text: "x DEBUG y"})
	want := "GET /v1/commands/?wait=true&agent_token=***&x=1 - 200\nx DEBUG y {'config': {'agent_token': '***', 'a': 1}}\n"
	if out.String() != want {
		t.Errorf("the log is %q", out.String())
	}
}

func TestAdvertise(t *testing.T) {
	t.Parallel()
	s := Settings{Agent: agent.Options{IronicURL: "http://127.0.0.1:6385"}, AdvertisePort: 9999, LookupAttempts: 1}
	if host, port, err := advertise(t.Context(), s); err != nil || host != "127.0.0.1" || port != 9999 {
		t.Errorf("got %s %d %v", host, port, err)
	}
	s.AdvertiseHost = "192.0.2.5"
	if host, _, err := advertise(t.Context(), s); err != nil || host != "192.0.2.5" {
		t.Errorf("got %s %v", host, err)
	}
	s.AdvertiseHost, s.Agent.IronicURL = "", "http://[::1%none]:1"
	if _, _, err := advertise(t.Context(), s); !errors.Is(err, errNoAddress) {
		t.Errorf("without a route: %v", err)
	}
}

func TestClient(t *testing.T) {
	t.Parallel()
	if _, err := client(Settings{CAFile: config(t, "nothing")}); err == nil || !strings.Contains(err.Error(), "no certificate in PEM format") {
		t.Errorf("a CA without certificates: %v", err)
	}
	if _, err := client(Settings{CertFile: "/none", KeyFile: "/none"}); err == nil {
		t.Error("a missing client certificate was accepted")
	}
}
