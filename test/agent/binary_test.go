package agent_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// mostBytes is the largest permitted size of the agent's program. Ramdisks load the program into memory, and some
// fetch it over slow links.
const mostBytes = 10_000_000

// buildAgent builds the agent for the given architecture, with the flags that the Makefile uses, and returns the
// program's path.
func buildAgent(t *testing.T, arch string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "ironworks-agent")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "ironworks/cmd/ironworks-agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestAgentIsSmall checks that the agent for each architecture is a small, static, stripped program without the
// console's dependencies.
func TestAgentIsSmall(t *testing.T) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		program := buildAgent(t, arch)
		checkStatic(t, program, machine)
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", arch, info.Size())
		if info.Size() > mostBytes {
			t.Errorf("the agent for %s has %d bytes, more than %d", arch, info.Size(), mostBytes)
		}
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "ironworks/cmd/ironworks-agent")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dependency := range strings.Lines(string(out)) {
		for _, console := range []string{"bubbletea", "lipgloss", "viper", "cobra", "gophercloud", "sqlite", "gofish", "ironworks/lab", "ironworks/ui"} {
			if strings.Contains(dependency, console) {
				t.Errorf("the agent depends on %s", strings.TrimSpace(dependency))
			}
		}
	}
}

// checkStatic checks that program is built for machine, needs no loader and no shared library, and contains no
// symbols.
func checkStatic(t *testing.T, program string, machine elf.Machine) {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if file.Machine != machine {
		t.Errorf("the agent is for %v, want %v", file.Machine, machine)
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
			t.Errorf("the agent for %v is linked dynamically: %v", machine, segment.Type)
		}
	}
	if _, err := file.Symbols(); !errors.Is(err, elf.ErrNoSymbols) {
		t.Errorf("the agent for %v has symbols: %v", machine, err)
	}
}

// shortIronic is a minimal server that acts as an Ironic with one node and receives the agent's heartbeats.
type shortIronic struct {
	*httptest.Server
	// version is the API version that the server reports; token is the token that it gives to the agent.
	version string
	token   any

	mu        sync.Mutex
	inventory map[string]any
	requestID string
	beats     chan map[string]any
}

const (
	shortUUID  = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123"
	shortToken = "0123456789abcdef0123456789abcdef0123"
)

func newShortIronic(t *testing.T) *shortIronic {
	t.Helper()
	s := &shortIronic{version: "1.109", token: shortToken, beats: make(chan map[string]any, 10)}
	routes := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, body any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	routes.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"default_version": map[string]any{"id": "v1", "version": s.version}})
	})
	routes.HandleFunc("POST /v1/continue_inspection", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requestID = r.Header.Get("X-OpenStack-Request-ID")
		_ = json.NewDecoder(r.Body).Decode(&s.inventory)
		answer(w, http.StatusAccepted, map[string]any{"uuid": shortUUID})
	})
	routes.HandleFunc("GET /v1/lookup", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{
			"node":   map[string]any{"uuid": shortUUID, "properties": map[string]any{}, "instance_info": map[string]any{}, "driver_internal_info": map[string]any{}},
			"config": map[string]any{"heartbeat_timeout": 300, "agent_token": s.token, "agent_token_required": true},
		})
	})
	routes.HandleFunc("POST /v1/heartbeat/"+shortUUID, func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		answer(w, http.StatusAccepted, nil)
		select {
		case s.beats <- body:
		default:
		}
	})
	s.Server = httptest.NewServer(routes)
	t.Cleanup(s.Close)
	return s
}

// ramdisk returns a folder with an agent's configuration and the programs that the agent may find. None of these
// programs changes the computer.
func ramdisk(t *testing.T, ironicURL string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range []string{"lsblk", "lscpu"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	conf := "[DEFAULT]\napi_url = " + ironicURL + "\ninspection_collectors = default,logs\nlisten_host = 127.0.0.1\nlisten_port = 0\nadvertise_port = 0\nadvertise_host = 127.0.0.1\nglobal_request_id = req-1\ndebug = true\n"
	if err := os.WriteFile(filepath.Join(folder, "agent.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func agentIn(ctx context.Context, program, folder string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, "-config-dir", folder, "-lock", filepath.Join(folder, "lock"))
	cmd.Env = []string{"PATH=" + folder}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// TestAgentProgram runs the built program on this computer. It checks the inspection, lookup, heartbeat, TLS, tokens,
// steps and memory use. It also checks that a second agent refuses to start, and that the first one ends cleanly.
func TestAgentProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("the agent runs on Linux, not on %s", runtime.GOOS)
		return
	}
	server := newShortIronic(t)
	program, folder := buildAgent(t, runtime.GOARCH), ramdisk(t, server.URL)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	first := agentIn(ctx, program, folder)
	var log bytes.Buffer
	first.Stderr = &log
	started := time.Now()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	var beat map[string]any
	select {
	case beat = <-server.beats:
	case <-time.After(time.Minute):
		stop()
		_ = first.Wait()
		t.Fatalf("no heartbeat\n%s", log.String())
	}
	t.Logf("%v to the first heartbeat, %d KiB resident", time.Since(started).Round(time.Millisecond), residentKiB(t, first.Process.Pid))
	if kib := residentKiB(t, first.Process.Pid); kib > 40<<10 {
		t.Errorf("the agent has %d KiB in memory, more than 40 MiB", kib)
	}
	server.checkInspection(t)
	checkService(t, beat)

	second, err := agentIn(t.Context(), program, folder).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(second), "another agent is running on this host") {
		t.Errorf("a second agent: %v, %s", err, second)
	}
	stop()
	if err := first.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("the agent ended with %v\n%s", err, log.String())
	}
	if text := log.String(); !strings.Contains(text, "Lookup succeeded, node UUID is "+shortUUID) || strings.Contains(text, shortToken) {
		t.Errorf("the log lacks the lookup, or has the token:\n%s", text)
	}
}

func (s *shortIronic) checkInspection(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	inventory, _ := s.inventory["inventory"].(map[string]any)
	disks, _ := inventory["disks"].([]any)
	if len(disks) == 0 || s.inventory["error"] != nil || s.inventory["logs"] == nil || s.requestID != "req-1" {
		t.Errorf("the inspection sent error %v, disks %v, request %q", s.inventory["error"], disks, s.requestID)
	}
}

// checkService checks the agent's commands over HTTPS. Like a conductor, it trusts only the certificate from the
// heartbeat.
func checkService(t *testing.T, beat map[string]any) {
	t.Helper()
	authority, _ := beat["agent_verify_ca"].(string)
	url, _ := beat["callback_url"].(string)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(authority)) || !strings.HasPrefix(url, "https://127.0.0.1:") || beat["agent_token"] != shortToken {
		t.Fatalf("the heartbeat was %v", beat)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	const steps = `{"name": "deploy.get_deploy_steps", "params": {"node": {"uuid": "` + shortUUID + `"}, "ports": []}}`
	if status, body := post(t, client, url+"/v1/commands/?wait=true", steps); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d %s", status, body)
	}
	status, body := post(t, client, url+"/v1/commands/?wait=true&agent_token="+shortToken, steps)
	for _, step := range []string{"install_coreos", "write_image", "erase_devices_metadata", "inject_files"} {
		if status != http.StatusOK || !strings.Contains(body, `"`+step+`"`) {
			t.Errorf("the steps lack %s: %d %s", step, status, body)
		}
	}
}

func post(t *testing.T, client *http.Client, url, body string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// residentKiB returns the resident memory (VmRSS) of the process with the given ID, in KiB.
func residentKiB(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = status.Close() }()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		var kib int
		if _, err := fmt.Sscanf(lines.Text(), "VmRSS: %d kB", &kib); err == nil {
			return kib
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
