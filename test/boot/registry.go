package boot

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"ironworks/lab/real"
	"ironworks/lab/vm"
)

// registryStart limits the time that the registry may take to start.
const registryStart = 20 * time.Second

const registryConfig = `version: 0.1
log: {level: info}
storage:
  filesystem: {rootdirectory: %s}
  maintenance: {readonly: {enabled: true}}
http:
  addr: 127.0.0.1:%d
`

// Credentials for a registry with RegistryOptions.Login.
const (
	registryUser     = "puller"
	registryPassword = "correct horse"
)

// RegistryOptions configures a registry.
type RegistryOptions struct {
	// TLS makes the registry serve HTTPS with a certificate from a CA that exists only for this registry. Login makes
	// it require a user name and a password.
	TLS, Login bool
}

// Registry is a running, read-only docker-registry that listens on 127.0.0.1.
type Registry struct {
	Port int
	// CA is the path of a PEM file with the registry's CA certificate, or "" without TLS.
	CA  string
	log string // path of the log file
}

// StartRegistry starts a registry that serves the storage folder until the test ends.
func StartRegistry(tb testing.TB, storage string, options RegistryOptions) *Registry {
	tb.Helper()
	reserved, err := real.Reserve(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(reserved.Release)
	folder := tb.TempDir()
	r := &Registry{Port: reserved.Port, log: filepath.Join(folder, "registry.log")}
	config := filepath.Join(folder, "registry.yml")
	text := fmt.Sprintf(registryConfig, storage, r.Port)
	if options.TLS {
		paths, err := real.MakeCertificates(folder, vm.HostAddress.AsSlice())
		if err != nil {
			tb.Fatal(err)
		}
		r.CA = paths.CA
		text += fmt.Sprintf("  tls: {certificate: %s, key: %s}\n", paths.Cert, paths.Key)
	}
	if options.Login {
		text += fmt.Sprintf("auth: {htpasswd: {realm: bed, path: %s}}\n", registryLogin(tb, folder))
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	process := &real.Process{Argv: []string{"docker-registry", "serve", config}, Log: r.log}
	if err := process.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(process.Kill)
	err = process.Await(tb.Context(), registryStart, func(ctx context.Context) bool {
		return real.Accepts(ctx, net.JoinHostPort("127.0.0.1", r.port()))
	})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// registryLogin writes the credentials to a file in htpasswd format and returns the file's path.
func registryLogin(tb testing.TB, folder string) string {
	tb.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(registryPassword), bcrypt.MinCost)
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(folder, "htpasswd")
	if err := os.WriteFile(path, fmt.Appendf(nil, "%s:%s\n", registryUser, hash), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// PullSecret writes the credentials for the registry at address to a file in podman's format, and returns the file's
// path.
func PullSecret(tb testing.TB, address string) string {
	tb.Helper()
	auth := base64.StdEncoding.EncodeToString([]byte(registryUser + ":" + registryPassword))
	path := filepath.Join(tb.TempDir(), "auth.json")
	if err := os.WriteFile(path, fmt.Appendf(nil, `{"auths": {%q: {"auth": %q}}}`, address, auth), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// responseBytes matches the length of a response in the registry's log.
var responseBytes = regexp.MustCompile(`http.response.written=(\d+)`)

// Sent returns the number of bytes that the registry sent.
func (r *Registry) Sent(tb testing.TB) int64 {
	tb.Helper()
	log, err := os.ReadFile(r.log)
	if err != nil {
		tb.Fatal(err)
	}
	var sum int64
	for _, found := range responseBytes.FindAllSubmatch(log, -1) {
		n, _ := strconv.ParseInt(string(found[1]), 10, 64)
		sum += n
	}
	return sum
}

func (r *Registry) port() string { return strconv.Itoa(r.Port) }

// Asked reports whether a client has requested the manifest of the agent's image.
func (r *Registry) Asked() bool {
	log, err := os.ReadFile(r.log)
	return err == nil && bytes.Contains(log, []byte("/ironic-agent/manifests/"))
}
