package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/sshd"
	"ironworks/test/terminal"
)

// servedConsole is a server of consoles whose users connect with OpenSSH's own clients.
type servedConsole struct {
	t       *testing.T
	c       *console
	clients sshd.Clients
	dir     string
	running *running
	port    string
	// flags holds additional flags for the server.
	flags []string
}

// usersOfTheServer configures the users with keys: an admin, an operator, an operator who can see only some nodes,
// and a viewer.
const usersOfTheServer = "serve:\n  users:\n    anna: {role: admin}\n    ben: {role: operator}\n    otto: {role: operator, nodes: \"owner:%s\"}\n    vera: {role: viewer}\n"

// served starts a server for a test, with additional flags. otto can see only the nodes of the given owner.
func served(t *testing.T, s *ironic.Server, owner string, flags ...string) *servedConsole {
	t.Helper()
	return servedAt(t, s.URL, owner, flags...)
}

// servedAt is like served, but for the Ironic at url.
func servedAt(t *testing.T, url, owner string, flags ...string) *servedConsole {
	t.Helper()
	v := &servedConsole{t: t, c: newConsole(t), clients: sshd.FindClients(t), dir: t.TempDir(), flags: flags}
	v.c.write(".config/ironworks/config.yaml", "contexts:\n  rack:\n    url: %s\n"+usersOfTheServer, url, owner)
	var lines strings.Builder
	for _, user := range []string{"anna", "ben", "otto", "vera", "eve"} {
		v.keygen("-q", "-t", "ed25519", "-N", "", "-C", user, "-f", v.path(user))
		public, err := os.ReadFile(v.path(user + ".pub"))
		if err != nil {
			t.Fatal(err)
		}
		if user != "eve" {
			lines.Write(public)
		}
	}
	v.file("keys", lines.String())
	v.keygen("-q", "-t", "ed25519", "-N", "", "-f", v.path("ca"))
	v.file("revoked", "")
	v.start("127.0.0.1:0")
	return v
}

// start starts the server, which is interrupted when the test ends.
func (v *servedConsole) start(listen string) {
	v.t.Helper()
	v.running = v.c.background(append([]string{
		"serve", "--listen", listen, "--authorized-keys", v.path("keys"), "--user-ca", v.path("ca.pub"), "--revoked-keys", v.path("revoked"),
	}, v.flags...)...)
	v.running.says("listening on ")
	_, after, _ := strings.Cut(v.running.stderr.String(), "listening on 127.0.0.1:")
	v.port, _, _ = strings.Cut(after, ",")
}

func (v *servedConsole) path(name string) string { return filepath.Join(v.dir, name) }

func (v *servedConsole) file(name, text string) {
	v.t.Helper()
	if err := os.WriteFile(v.path(name), []byte(text), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

func (v *servedConsole) keygen(args ...string) {
	v.t.Helper()
	cmd := exec.CommandContext(v.t.Context(), v.clients.Keygen, args...)
	cmd.Env = v.clients.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		v.t.Fatalf("ssh-keygen %q: %v\n%s", args, err, out)
	}
}

// command returns an ssh command for a user. args holds its options, the host and the remote command.
func (v *servedConsole) command(user string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), v.clients.SSH, append([]string{
		"-F", "none", "-p", v.port, "-i", v.path(user), "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "UserKnownHostsFile=" + v.path("known_hosts"),
		"-o", "StrictHostKeyChecking=accept-new", "-o", "LogLevel=ERROR", "-o", "ConnectTimeout=30",
	}, args...)...)
	cmd.Env = append([]string{"HOME=" + v.dir}, v.clients.Env...)
	return cmd
}

// ssh runs an ssh command for a user, with stdin as its input.
func (v *servedConsole) ssh(user, stdin string, args ...string) outcome {
	v.t.Helper()
	return v.finish(v.command(user, args...), stdin)
}

func (v *servedConsole) finish(cmd *exec.Cmd, stdin string) outcome {
	v.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	began := time.Now()
	timer := time.AfterFunc(3*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		v.t.Fatalf("%q: %v", cmd.Args, err)
	}
	return outcome{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), took: time.Since(began)}
}

// as runs a command for a user and checks that it exits with the given code.
func (v *servedConsole) as(user string, code int, args ...string) outcome {
	v.t.Helper()
	o := v.ssh(user, "", append([]string{"127.0.0.1"}, args...)...)
	if o.code != code {
		v.t.Errorf("%s: %q: exit code %d, want %d\n%s%s", user, args, o.code, code, o.stdout, o.stderr)
	}
	return o
}

// screen opens a user's console at an emulated terminal.
func (v *servedConsole) screen(user string) *screenConsole {
	v.t.Helper()
	s := terminal.StartT(v.t, terminal.Options{Command: v.command(user, "-t", "127.0.0.1"), Width: roomy.w, Height: roomy.h, Modern: true})
	one := &screenConsole{Screen: s, t: v.t, c: v.c}
	one.until("updated ≤")
	return one
}

// TestServeWithOpenSSH connects in the ways that OpenSSH's client offers: with keys and certificates, over a shared
// connection, through a jump host, and with and without a terminal.
func TestServeWithOpenSSH(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		name := unique("served")
		s.CreateNode(t, map[string]any{"name": name})
		v := served(t, s, "nobody")
		if o := v.as("anna", 0, "nodes", "-o", "name"); !strings.Contains(o.stdout, name+"\n") {
			t.Errorf("nodes: %s%s", o.stdout, o.stderr)
		}
		if o := v.as("eve", 255, "nodes"); !strings.Contains(o.stderr, "Permission denied (publickey)") || strings.Contains(o.stderr, "ironworks") {
			t.Errorf("an unknown key: %s", o.stderr)
		}
		v.as("anna", 1, "node", "no-such-node")
		v.as("anna", 2, "fly")
		v.as("anna", 2)
		if o := v.ssh("anna", "", "-t", "-t", "127.0.0.1", "nodes", "-o", "name"); o.code != 0 || !strings.Contains(o.stdout, name) {
			t.Errorf("with a terminal of 0×0: %d, %s%s", o.code, o.stdout, o.stderr)
		}
		for _, args := range [][]string{
			{"-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:1", "127.0.0.1", "who"}, {"-W", "127.0.0.1:" + v.port, "127.0.0.1"}, {"-s", "127.0.0.1", "sftp"},
		} {
			if o := v.ssh("anna", "", args...); o.code == 0 {
				t.Errorf("%q: exit code 0", args)
			}
		}
		t.Run("certificates", v.certificates)
		t.Run("the key of another", func(t *testing.T) { v.borrowedKey(t, name) })
		t.Run("shared connection", v.sharedConnection)
		t.Run("jump host", func(t *testing.T) {
			m := sshd.New(t)
			v.file("config", fmt.Sprintf("Host jump\n  HostName 127.0.0.1\n  User core\n  Port %d\n  IdentityFile %s\nHost *\n  UserKnownHostsFile %s\n  StrictHostKeyChecking accept-new\n  IdentityFile %s\n  IdentitiesOnly yes\n  LogLevel ERROR\n", m.Port, m.Key, v.path("known_hosts"), v.path("anna")))
			jump := exec.CommandContext(t.Context(), v.clients.SSH, "-F", v.path("config"), "-J", "jump", "-p", v.port, "127.0.0.1", "nodes", "-o", "name")
			jump.Env = append([]string{"HOME=" + v.dir}, v.clients.Env...)
			if o := v.finish(jump, ""); o.code != 0 || !strings.Contains(o.stdout, name) {
				t.Errorf("%d, %s%s", o.code, o.stdout, o.stderr)
			}
		})
		t.Run("changed role", func(t *testing.T) { v.changedRole(t, s.URL, name) })
		t.Run("stop", func(t *testing.T) {
			one := v.screen("vera")
			_ = v.running.cmd.Process.Signal(syscall.SIGTERM)
			one.until("the server is shutting down; running tasks resume when it restarts")
			one.Ends(t, 75)
		})
	})
}

// certificates logs in with certificates that ssh-keygen has signed.
func (v *servedConsole) certificates(t *testing.T) {
	sign := func(args ...string) {
		v.t.Helper()
		v.keygen(append(append([]string{"-q", "-s", v.path("ca")}, args...), v.path("eve.pub"))...)
	}
	for name, tt := range map[string]struct {
		args []string
		code int
		out  string
	}{
		"viewer":      {[]string{"-I", "eve", "-n", "eve,ironworks-viewer"}, 3, ""},
		"operator":    {[]string{"-I", "eve", "-n", "eve,ironworks-operator"}, 1, ""},
		"expired":     {[]string{"-I", "eve", "-n", "eve,ironworks-admin", "-V", "-2d:-1d"}, 255, ""},
		"not yet":     {[]string{"-I", "eve", "-n", "eve,ironworks-admin", "-V", "+1d:+2d"}, 255, ""},
		"elsewhere":   {[]string{"-I", "eve", "-n", "eve,ironworks-admin", "-O", "source-address=192.0.2.0/24"}, 255, ""},
		"from here":   {[]string{"-I", "eve", "-n", "eve,ironworks-admin", "-O", "source-address=127.0.0.0/8"}, 1, ""},
		"forced":      {[]string{"-I", "eve", "-n", "eve,ironworks-admin", "-O", "force-command=sh"}, 255, ""},
		"anyone":      {[]string{"-I", "eve"}, 255, ""},
		"host":        {[]string{"-h", "-I", "eve", "-n", "eve,ironworks-admin"}, 255, ""},
		"role of ben": {[]string{"-I", "eve", "-n", "ben"}, 1, ""},
	} {
		sign(tt.args...)
		if o := v.ssh("eve", "", "127.0.0.1", "power", "on", "no-such-node"); o.code != tt.code {
			t.Errorf("%s: exit code %d, want %d: %s", name, o.code, tt.code, o.stderr)
		}
	}
	sign("-I", "lost laptop", "-n", "eve,ironworks-viewer")
	v.as("eve", 0, "nodes", "-o", "name")
	v.file("revoked", "id: lost laptop\n")
	defer v.file("revoked", "")
	v.eventually("the certificate is revoked", func() bool { return v.ssh("eve", "", "127.0.0.1", "nodes").code == 255 })
	_ = os.Remove(v.path("eve-cert.pub"))
}

func (v *servedConsole) eventually(what string, is func() bool) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := ironic.Poll(ctx, 300*time.Millisecond, func(context.Context) (bool, error) { return is(), nil }); err != nil {
		v.t.Fatalf("not: %s\n%s", what, v.running.stderr.String())
	}
}

// borrowedKey offers an admin's public key without its private key, followed by a viewer's key, and checks that the
// user gets the viewer's role.
func (v *servedConsole) borrowedKey(t *testing.T, node string) {
	public, err := os.ReadFile(v.path("anna.pub"))
	if err != nil {
		t.Fatal(err)
	}
	v.file("borrowed.pub", string(public))
	o := v.ssh("borrowed", "", "-i", v.path("vera"), "127.0.0.1", "maintenance", "on", node)
	if o.code != 3 || !strings.Contains(o.stderr, "requires the operator role; your role is viewer") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}

// changedRole makes an operator a viewer in the configuration, without a restart. The open console must end, and the
// user's next command must be refused because of the new role.
func (v *servedConsole) changedRole(t *testing.T, url, node string) {
	ben := v.screen("ben")
	v.c.write(".config/ironworks/config.yaml", "contexts:\n  rack:\n    url: %s\n"+strings.Replace(usersOfTheServer, "ben: {role: operator}", "ben: {role: viewer}", 1), url, "nobody")
	ben.until("session ended: your role has changed; connect again")
	ben.Ends(t, 1)
	if o := v.as("ben", 3, "maintenance", "on", node); !strings.Contains(o.stderr, "your role is viewer") {
		t.Errorf("%s", o.stderr)
	}
}

// sharedConnection runs commands over one connection. Once the user's key has been removed, later commands over this
// connection must be refused.
func (v *servedConsole) sharedConnection(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	through := []string{"-o", "ControlMaster=auto", "-o", "ControlPath=" + socket, "-o", "ControlPersist=60"}
	for range 3 {
		if o := v.ssh("ben", "", append(through, "127.0.0.1", "who")...); o.code != 0 {
			t.Fatalf("%d: %s", o.code, o.stderr)
		}
	}
	if n := strings.Count(v.running.stderr.String(), "of ben (operator)"); n < 3 {
		t.Errorf("%d sessions", n)
	}
	keys, err := os.ReadFile(v.path("keys"))
	if err != nil {
		t.Fatal(err)
	}
	v.file("keys", strings.Join(strings.SplitAfter(string(keys), "\n")[:1], ""))
	v.eventually("ben's sessions are refused", func() bool {
		o := v.ssh("ben", "", append(through, "127.0.0.1", "who")...)
		return o.code != 0
	})
	v.file("keys", string(keys))
	v.eventually("vera's key is back", func() bool { return v.ssh("vera", "", "127.0.0.1", "who").code == 0 })
	_ = v.ssh("ben", "", append(through, "-O", "exit", "127.0.0.1")...)
}
