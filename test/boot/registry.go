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
	log  string // a file
}

// StartRegistry serves a registry's storage until the test ends.
func StartRegistry(tb testing.TB, storage string) *Registry {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	folder := tb.TempDir()
	r := &Registry{Port: listener.Addr().(*net.TCPAddr).Port, log: filepath.Join(folder, "registry.log")}
	_ = listener.Close()
	config := filepath.Join(folder, "registry.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, registryConfig, storage, r.Port), 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command("docker-registry", "serve", config) //nolint:noctx // killed by the cleanup
	log, err := os.Create(r.log)
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Start()
	_ = log.Close()
	if err != nil {
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
func (r *Registry) Asked() bool {
	log, err := os.ReadFile(r.log)
	return err == nil && bytes.Contains(log, []byte("/ironic-agent/manifests/"))
}
