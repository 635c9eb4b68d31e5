package cmd

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"ironworks/test/embedded"
)

// TestServeCheck checks what serve --check reports for valid and invalid configurations. No server is started.
func TestServeCheck(t *testing.T) {
	t.Parallel()
	ironic := httptest.NewServer(embedded.New(t, time.Now).Handler)
	t.Cleanup(ironic.Close)
	files := newUserFiles(t)
	files.write("none.yaml", "keys: {}\n")
	files.write("config.yaml", "serve:\n  users:\n    ben: {role: operator, nodes: \"owner:a\"}\n")
	files.write("file", "")
	if err := os.Mkdir(files.path("closed"), 0o500); err != nil {
		t.Fatal(err)
	}
	url := ironic.URL
	check := func(code int, says string, args ...string) {
		t.Helper()
		args = append([]string{"serve", "--check", "--config", files.path("config.yaml"), "--authorized-keys", files.path("keys"), "--host-key", files.path("host_key")}, args...)
		got, out, complaints := inLab(t, url, files.dir, args...)
		if got != code || !strings.Contains(out+complaints, says) {
			t.Errorf("%q: exit code %d, want %d and %q:\n%s%s", args[8:], got, code, says, out, complaints)
		}
	}
	check(0, "users: ben (operator, owner:a)\n")
	check(0, "users: ben (operator, owner:a)\n", "--listen", "127.0.0.1:0", "--record", files.path("new/folder"))
	check(2, "cannot log in: ben: no role", "--config", files.path("none.yaml"))
	check(2, "no user can log in", "--config", files.path("none.yaml"))
	check(2, "--listen nonsense: ", "--listen", "nonsense")
	check(2, "invalid port", "--listen", "127.0.0.1:99999")
	check(2, "missing port", "--listen", "127.0.0.1")
	check(2, "--record: ", "--record", files.path("file"))
	if os.Getuid() != 0 { // root may write everywhere
		check(2, "--record: ", "--record", files.path("closed"))
	}
	check(1, "not a file", "--host-key", files.dir)
	check(2, "no such file", "--authorized-keys", files.path("missing"))
	url = "http://127.0.0.1:1"
	check(4, "connection refused", "--listen", ":2222")
}
