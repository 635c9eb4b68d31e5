package agentlog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
	"ironworks/printable"
)

const (
	bootOne = "11111111-2222-3333-4444-555555555555"
	bootTwo = "66666666-2222-3333-4444-555555555555"
)

// shellNode is the node that onceOf follows.
var shellNode = models.NodeRef{UUID: testUUID}

// booted returns a function that acts as the SSH server of a machine with the given boot ID. The run function handles
// all commands except the query of the boot ID.
func booted(boot string, run func(command string, ch ssh.Channel) int) func(*sshServer, string, ssh.Channel) int {
	return func(_ *sshServer, command string, ch ssh.Channel) int {
		if command == "cat "+bootIDFile {
			_, _ = io.WriteString(ch, boot+"\n")
			return 0
		}
		return run(command, ch)
	}
}

func idle(string, ssh.Channel) int { return 0 }

// openShell opens a shell on a machine that listens on a loopback address.
func openShell(t *testing.T, o SSHOptions, trust *Trust) (*Shell, error) {
	t.Helper()
	s, err := OpenShell(t.Context(), ShellOptions{SSH: o, Trust: trust, Address: localhost(shellNode)}, shellNode)
	if err == nil {
		t.Cleanup(s.Close)
	}
	return s, err
}

func mustOpen(t *testing.T, o SSHOptions) *Shell {
	t.Helper()
	s, err := openShell(t, o, NewTrust())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestShellCommand(t *testing.T) {
	t.Parallel()
	machine, key := newSSHServer(t, booted(bootOne, func(command string, ch ssh.Channel) int {
		input, _ := io.ReadAll(ch)
		_, _ = io.WriteString(ch, command+": "+strings.ToUpper(string(input)))
		_, _ = io.WriteString(ch.Stderr(), "to stderr \x1b[31m")
		return 42
	}))
	s := mustOpen(t, machine.listen(t, key))
	if !strings.HasPrefix(s.Target(), "core@127.0.0.1:") || !strings.Contains(s.Note(), "is trusted for this boot (first seen)") {
		t.Errorf("%q, note %q", s.Target(), s.Note())
	}
	var out, complaints bytes.Buffer
	status, err := s.Run(t.Context(), ShellSession{Command: "upper 'a  b'", In: strings.NewReader("text"), Out: &out, Err: &complaints})
	if err != nil || status != 42 || out.String() != "upper 'a  b': TEXT" || complaints.String() != "to stderr \x1b[31m" {
		t.Errorf("%d %v %q %q", status, err, out.String(), complaints.String())
	}
	if status, err = s.Run(t.Context(), ShellSession{Command: "again", Out: &out, Err: &complaints}); err != nil || status != 42 {
		t.Errorf("a second session without input: %d %v", status, err)
	}
}

func TestShellTerminal(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	machine, key := newSSHServer(t, booted(bootOne, func(command string, ch ssh.Channel) int {
		if command != "" {
			return 99
		}
		_, _ = io.WriteString(ch, "\x1b[?1049h$ ")
		<-asked
		return 0
	}))
	s := mustOpen(t, machine.listen(t, key))
	sizes := make(chan WindowSize)
	ended := make(chan error, 1)
	var out bytes.Buffer
	go func() {
		status, err := s.Run(t.Context(), ShellSession{Out: &out, Err: &out, PTY: &PTY{Term: "foot-extra", Size: WindowSize{Width: 80, Height: 24}, Resized: sizes}})
		if err == nil && status != 0 {
			err = errors.New("another exit status")
		}
		ended <- err
	}()
	for _, want := range []string{"foot-extra 80x24", "200x50", "79x23"} {
		switch want {
		case "200x50":
			sizes <- WindowSize{Width: 200, Height: 50}
		case "79x23":
			sizes <- WindowSize{Width: 79, Height: 23}
		}
		if got := <-machine.sizes; got != want {
			t.Errorf("the machine got %q, want %q", got, want)
		}
	}
	close(asked)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if out.String() != "\x1b[?1049h$ " {
		t.Errorf("the output is %q", out.String())
	}
}

// TestShellFaults checks that failures have the same reasons and remedies as in the log, and that they contain
// nothing unsafe that the machine sent.
func TestShellFaults(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, o SSHOptions, r ShellSession) error {
		t.Helper()
		s, err := openShell(t, o, NewTrust())
		if err != nil {
			return err
		}
		r.Out, r.Err = io.Discard, io.Discard
		_, err = s.Run(t.Context(), r)
		return err
	}
	for name, test := range map[string]struct {
		answer func(*sshServer, string, ssh.Channel) int
		change func(t *testing.T, s *sshServer, o *SSHOptions)
		run    ShellSession
		reason string
		remedy string
	}{
		"another key": {booted(bootOne, idle), func(t *testing.T, _ *sshServer, o *SSHOptions) {
			t.Helper()
			_, private := newSigner(t)
			o.Keys = []string{filepath.Join(t.TempDir(), "other")}
			putText(t, o.Keys[0], string(private))
		}, ShellSession{}, "accepted no key: 1 key was offered", "set logs.ssh.keys in the context, or use ssh-add"},
		"changed host key": {booted(bootOne, idle), func(t *testing.T, s *sshServer, o *SSHOptions) {
			t.Helper()
			other, _ := newSigner(t)
			putText(t, filepath.Join(o.Home, ".ssh/known_hosts"), s.known(other.PublicKey()))
		}, ShellSession{}, "it differs from the key in known_hosts", "ssh-keygen -R 127.0.0.1"},
		"nothing listens": {booted(bootOne, idle), func(t *testing.T, _ *sshServer, o *SSHOptions) {
			t.Helper()
			listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			o.Port = listener.Addr().(*net.TCPAddr).Port
			_ = listener.Close()
		}, ShellSession{}, "SSH connection refused", "check that the ramdisk runs sshd"},
		"unknown jump host": {booted(bootOne, idle), func(_ *testing.T, s *sshServer, o *SSHOptions) {
			o.Jump = "core@127.0.0.1:" + o.address(s)
		}, ShellSession{}, "it is not in known_hosts", "compare the fingerprint, then log in once: ssh core@127.0.0.1"},
		"lost": {booted(bootOne, func(string, ssh.Channel) int { return -1 }), nil, ShellSession{}, "connection lost", ""},
		"cut": {func(s *sshServer, command string, ch ssh.Channel) int {
			if strings.HasPrefix(command, "cat ") {
				return 1
			}
			_, _ = io.WriteString(ch, "half a li")
			s.drop()
			return 0
		}, nil, ShellSession{}, "connection lost", ""},
		"no terminal": {booted(bootOne, idle), func(_ *testing.T, s *sshServer, _ *SSHOptions) { s.noTerminals = true }, ShellSession{PTY: &PTY{Term: "xterm"}}, "requesting a terminal", ""},
		"hostile reason": {booted(bootOne, idle), func(_ *testing.T, s *sshServer, _ *SSHOptions) {
			s.reject = "no\x1b]0;pwned\a\r\nironworks: all is well\u202e"
		}, ShellSession{}, "opening a session", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			machine, key := newSSHServer(t, test.answer)
			o := machine.listen(t, key)
			if test.change != nil {
				test.change(t, machine, &o)
			}
			err := run(t, o, test.run)
			failed, is := errors.AsType[*ShellError](err)
			if !is || !strings.Contains(failed.Reason, test.reason) || !strings.Contains(failed.Remedy, test.remedy) || !strings.HasPrefix(failed.Error(), "ssh core@127.0.0.1") {
				t.Fatalf("%v, want %q (%q)", err, test.reason, test.remedy)
			}
			if text := failed.Error(); text != printable.Line(text) {
				t.Errorf("control characters: %q", text)
			}
		})
	}
}

// address returns the port of the given server, as text.
func (*SSHOptions) address(s *sshServer) string {
	return strings.TrimPrefix(strings.Fields(s.known(s.key.PublicKey()))[0], "[127.0.0.1]:")
}

// TestShellHostKeys checks that shells and logs share the trusted host keys of a boot.
func TestShellHostKeys(t *testing.T) {
	t.Parallel()
	boot := bootOne
	machine, key := newSSHServer(t, func(s *sshServer, command string, ch ssh.Channel) int {
		return booted(boot, func(command string, ch ssh.Channel) int {
			_, _ = io.WriteString(ch, entryOf(1, strings.ReplaceAll(boot, "-", ""), "line"))
			return 0
		})(s, command, ch)
	})
	o := machine.listen(t, key)
	trust := NewTrust()
	// Following the log pins the host key of the first boot.
	b := onceOf(t, Options{Sources: []models.LogSource{models.LogSSH}, Once: true, Address: localhost, SSH: o, Trust: trust})
	if len(b.Lines) == 0 {
		t.Fatalf("the log has no line: %+v", b)
	}
	newKey := func() {
		machine.drop()
		machine.mu.Lock()
		machine.key, _ = newSigner(t)
		machine.mu.Unlock()
	}
	newKey()
	_, err := openShell(t, o, trust)
	if refused, is := errors.AsType[*HostKeyError](err); !is || !strings.Contains(refused.Reason, "it changed without a reboot") {
		t.Errorf("another key in the same boot: %v", err)
	}
	boot = bootTwo
	if _, err := openShell(t, o, trust); err != nil {
		t.Errorf("another key in another boot: %v", err)
	}
	boot = "not an ID"
	newKey()
	if _, err := openShell(t, o, trust); err == nil {
		t.Error("another key in an unknown boot is accepted")
	}
}

// TestShellOfInstance checks that the key in the ramdisk's Ignition configuration is not expected from the instance.
func TestShellOfInstance(t *testing.T) {
	t.Parallel()
	machine, key := newSSHServer(t, booted(bootOne, idle))
	o := machine.listen(t, key)
	other, _ := newSigner(t)
	o.HostKeys = func(context.Context, models.NodeRef) ([]string, bool) {
		return []string{string(ssh.MarshalAuthorizedKey(other.PublicKey()))}, true
	}
	for _, instance := range []bool{false, true} {
		s, err := OpenShell(t.Context(), ShellOptions{SSH: o, Trust: NewTrust(), Address: "127.0.0.1", Instance: instance}, shellNode)
		if (err == nil) != instance {
			t.Errorf("instance %v: %v", instance, err)
		}
		if err == nil {
			s.Close()
		}
	}
}

func TestShellWithoutAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "https://-oProxyCommand=x", "a b"} {
		o := ShellOptions{Trust: NewTrust(), Address: address}
		_, err := OpenShell(t.Context(), o, shellNode)
		if _, is := errors.AsType[*ShellError](err); !is || o.Target() != "" {
			t.Errorf("%q: %v, target %q", address, err, o.Target())
		}
		if address != "" && !strings.Contains(err.Error(), strconv.Quote(address)+" is not a host name or an IP address") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestShellTarget checks that the target shows the login, port and host that ssh_config selects.
func TestShellTarget(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config")
	putText(t, config, "Host 10.0.0.1\n  User lab\n  Port 2222\nHost 10.0.0.2\n  Port none\n")
	for address, want := range map[string]string{
		"https://10.0.0.1:9999": "lab@10.0.0.1:2222", "https://10.0.0.2:9999": "10.0.0.2", "https://10.0.0.3:9999": "core@10.0.0.3",
	} {
		if got := (&ShellOptions{SSH: SSHOptions{Config: config}, Address: address}).Target(); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// TestShellIsCanceled checks that the error is that of the context, not one about the connection.
func TestShellIsCanceled(t *testing.T) {
	t.Parallel()
	machine, key := newSSHServer(t, booted(bootOne, idle))
	o := ShellOptions{SSH: machine.listen(t, key), Trust: NewTrust(), Address: localhost(shellNode)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := OpenShell(ctx, o, shellNode); err != ctx.Err() || s != nil { //nolint:errorlint // not wrapped in a ShellError
		t.Errorf("error %v", err)
	}
}

// TestShellOfMuteMachine checks that a session with a machine that does not answer ends when the context is canceled.
func TestShellOfMuteMachine(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	machine, key := newSSHServer(t, booted(bootOne, nil))
	machine.answer = booted(bootOne, func(string, ssh.Channel) int {
		close(started)
		<-machine.gone
		return 0
	})
	s := mustOpen(t, machine.listen(t, key))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		machine.mute.Store(true)
		cancel()
	}()
	reader, keys := io.Pipe() // the keys are never pressed
	defer keys.Close()        //nolint:errcheck // ends the goroutine that waits for keys, if the session has begun
	if _, err := s.Run(ctx, ShellSession{In: reader, Out: io.Discard, Err: io.Discard}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// TestShellOutputFails checks that a failure to write ends a command that would never stop producing output.
func TestShellOutputFails(t *testing.T) {
	t.Parallel()
	machine, key := newSSHServer(t, booted(bootOne, func(_ string, ch ssh.Channel) int {
		for {
			if _, err := io.WriteString(ch, "y\n"); err != nil {
				return -1
			}
		}
	}))
	s := mustOpen(t, machine.listen(t, key))
	broken := errors.New("broken pipe")
	ended := make(chan error, 1)
	go func() {
		_, err := s.Run(t.Context(), ShellSession{Command: "yes", Out: full{broken}, Err: io.Discard})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}
