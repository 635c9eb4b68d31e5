// Package sshd provides machines for tests. A machine consists of the real sshd of OpenSSH and a real journal, which
// systemd-journal-remote writes and journalctl reads. Only the entries are invented.
package sshd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// programs holds the paths of the unpacked programs.
type programs struct {
	sshd, ssh, keygen, journalctl, journalRemote, nssWrapper string
	libraries                                                string // the value of LD_LIBRARY_PATH
}

// find downloads the programs on first use. Where Debian's packages are not available, the test is skipped, except in
// CI.
func find(tb testing.TB) programs {
	tb.Helper()
	_, self, _, _ := runtime.Caller(0)
	cmd := exec.CommandContext(tb.Context(), "python3", filepath.Join(filepath.Dir(self), "install.py"))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 && os.Getenv("CI") == "" {
		tb.Skipf("no sshd and no journalctl: %s", complaints.String())
	}
	if err != nil {
		tb.Fatalf("downloading sshd and journalctl: %v\n%s", err, complaints.String())
	}
	root := strings.TrimSpace(string(out))
	p := programs{
		sshd: glob(tb, root, "usr/sbin/sshd"), ssh: glob(tb, root, "usr/bin/ssh"), keygen: glob(tb, root, "usr/bin/ssh-keygen"),
		journalctl:    glob(tb, root, "bin/journalctl"),
		journalRemote: glob(tb, root, "lib/systemd/systemd-journal-remote"), nssWrapper: glob(tb, root, "lib/*/libnss_wrapper.so*"),
	}
	for _, pattern := range []string{"usr/lib/*-linux-gnu*", "lib/*-linux-gnu*", "usr/lib/*-linux-gnu*/systemd", "lib/*-linux-gnu*/systemd"} {
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		p.libraries = strings.Trim(p.libraries+":"+strings.Join(found, ":"), ":")
	}
	return p
}

// Clients holds the paths of OpenSSH's clients, and the environment in which they run.
type Clients struct {
	SSH, Keygen string
	Env         []string
}

// FindClients returns OpenSSH's clients from Debian's packages. Where these are not available, the test is skipped,
// except in CI.
func FindClients(tb testing.TB) Clients {
	tb.Helper()
	p := find(tb)
	return Clients{SSH: p.ssh, Keygen: p.keygen, Env: []string{"LD_LIBRARY_PATH=" + p.libraries, "PATH=/usr/bin:/bin", "TERM=xterm-256color"}}
}

// glob returns the file that matches pattern below root or, since Debian 13, below root/usr.
func glob(tb testing.TB, root, pattern string) string {
	tb.Helper()
	for _, below := range []string{root, filepath.Join(root, "usr")} {
		if found, _ := filepath.Glob(filepath.Join(below, pattern)); len(found) > 0 {
			return found[0]
		}
	}
	tb.Fatalf("%s is not in %s", pattern, root)
	return ""
}
