package boot

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"ironworks/lab/real"
)

// registryStart bounds the start of the registry.
const registryStart = 20 * time.Second

const registryConfig = `version: 0.1
log: {level: info}
storage:
  filesystem: {rootdirectory: %s}
  maintenance: {readonly: {enabled: true}}
http: {addr: 127.0.0.1:%d}
`

// Registry is a running docker-registry on loopback, without TLS, that is only read.
type Registry struct {
	Port int
	log  logBuffer
}

// logBuffer keeps what a process writes.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) contains(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Contains(b.text.Bytes(), []byte(text))
}

// StartRegistry serves a registry's storage until the test ends.
func StartRegistry(tb testing.TB, storage string) *Registry {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	r := &Registry{Port: listener.Addr().(*net.TCPAddr).Port}
	_ = listener.Close()
	config := filepath.Join(tb.TempDir(), "registry.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, registryConfig, storage, r.Port), 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command("docker-registry", "serve", config) //nolint:noctx // killed by the cleanup
	cmd.Stdout, cmd.Stderr = &r.log, &r.log
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	ctx, cancel := context.WithTimeout(tb.Context(), registryStart)
	defer cancel()
	err = real.Poll(ctx, 50*time.Millisecond, func(ctx context.Context) (bool, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(r.Port)))
		if err != nil {
			return false, nil //nolint:nilerr // not yet
		}
		return true, conn.Close()
	})
	if err != nil {
		tb.Fatalf("docker-registry does not listen: %v", err)
	}
	return r
}

// Asked says whether somebody asked for the manifest of the agent's image.
func (r *Registry) Asked() bool { return r.log.contains("/ironic-agent/manifests/") }
