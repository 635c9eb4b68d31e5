package sshd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/lab/real"
)

// Machine is a machine with a journal, and with an sshd that listens on the loopback interface and accepts
// [Machine.Key] for the user core.
type Machine struct {
	tb       testing.TB
	programs programs
	// Dir is the folder with all files of the machine. Home is the home directory of the user core.
	Dir, Home string
	// Key is the path of the private key that sshd accepts.
	Key string
	// Port is the TCP port of sshd.
	Port int

	sshd *real.Process

	mu    sync.Mutex
	files int
	boot  string
	ticks uint64
}

// New creates a machine, boots it, and stops it when the test ends.
func New(tb testing.TB) *Machine {
	tb.Helper()
	m := &Machine{tb: tb, programs: find(tb), Dir: tb.TempDir()}
	m.Home = filepath.Join(m.Dir, "home")
	m.Key, _ = m.newKey("user")
	reserved, err := real.Reserve(tb.Context())
	m.must(err)
	tb.Cleanup(reserved.Release)
	m.Port = reserved.Port
	for _, dir := range []string{"home", "bin"} {
		m.must(os.MkdirAll(filepath.Join(m.Dir, dir), 0o755))
	}
	// When sshd runs as root, it needs this folder, which the Debian package would have created.
	if os.Getuid() == 0 {
		m.must(os.MkdirAll("/run/sshd", 0o755))
	}
	m.writePrograms()
	m.sshd = &real.Process{
		Argv: []string{m.programs.sshd, "-D", "-e", "-f", filepath.Join(m.Dir, "sshd_config")},
		Env: []string{
			"LD_LIBRARY_PATH=" + m.programs.libraries, "LD_PRELOAD=" + m.programs.nssWrapper, "PATH=/usr/bin:/bin",
			"NSS_WRAPPER_PASSWD=" + filepath.Join(m.Dir, "passwd"), "NSS_WRAPPER_GROUP=" + filepath.Join(m.Dir, "group"),
		},
		Log: filepath.Join(m.Dir, "sshd.log"),
	}
	m.Reboot()
	tb.Cleanup(m.Stop)
	return m
}

func (m *Machine) must(err error) {
	m.tb.Helper()
	if err != nil {
		m.tb.Fatal(err)
	}
}

// newKey writes a key pair to files and returns the private key's path and the public key.
func (m *Machine) newKey(name string) (path, public string) {
	m.tb.Helper()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	m.must(err)
	block, err := ssh.MarshalPrivateKey(private, "")
	m.must(err)
	path = filepath.Join(m.Dir, name)
	m.must(os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	key, err := ssh.NewPublicKey(pub)
	m.must(err)
	public = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	m.must(os.WriteFile(path+".pub", []byte(public+"\n"), 0o600))
	return path, public
}

// writePrograms writes the users, sshd's configuration, and a journalctl that reads the machine's journal and
// treats the machine's boot as the current one.
func (m *Machine) writePrograms() {
	uid, gid := os.Getuid(), os.Getgid()
	files := map[string]string{
		"passwd": fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\ncore:x:%d:%d:core:%s:/bin/sh\nsshd:x:65534:65534::/run/sshd:/usr/sbin/nologin\n", uid, gid, m.Home),
		"group":  fmt.Sprintf("root:x:0:\ncore:x:%d:\nnogroup:x:65534:\n", gid),
		"sshd_config": strings.Join([]string{
			"Port " + strconv.Itoa(m.Port), "ListenAddress 127.0.0.1", "HostKey " + filepath.Join(m.Dir, "host"), "PidFile none",
			"AuthorizedKeysFile " + filepath.Join(m.Dir, "user.pub"), "StrictModes no", "UsePAM no", "PasswordAuthentication no",
			"KbdInteractiveAuthentication no", "LogLevel VERBOSE", "SetEnv PATH=" + filepath.Join(m.Dir, "bin") + ":/usr/bin:/bin", "",
		}, "\n"),
	}
	for name, text := range files {
		m.must(os.WriteFile(filepath.Join(m.Dir, name), []byte(text), 0o644))
	}
	m.Program("journalctl", m.Journalctl())
}

// Program installs a shell script as a program on the machine; an empty script removes the program.
func (m *Machine) Program(name, script string) {
	m.tb.Helper()
	path := filepath.Join(m.Dir, "bin", name)
	if script == "" {
		m.must(os.Remove(path))
		return
	}
	m.must(os.WriteFile(path+".new", []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	m.must(os.Rename(path+".new", path))
}

// Journalctl returns the script that runs the real journalctl on the machine's journal.
func (m *Machine) Journalctl() string {
	return fmt.Sprintf(`for a do
  shift
  [ "$a" = -b ] && a="--boot=$(cat '%[1]s/boot')"
  set -- "$@" "$a"
done
LD_LIBRARY_PATH='%[2]s' exec '%[3]s' -D '%[1]s/journal' "$@"`, m.Dir, m.programs.libraries, m.programs.journalctl)
}

// Reboot restarts sshd with a new host key, a new boot ID and an empty journal.
func (m *Machine) Reboot() {
	m.tb.Helper()
	m.Stop()
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	m.mu.Lock()
	m.boot, m.ticks = hex.EncodeToString(id), 0
	m.mu.Unlock()
	m.must(os.RemoveAll(filepath.Join(m.Dir, "journal")))
	m.must(os.MkdirAll(filepath.Join(m.Dir, "journal"), 0o755))
	m.must(os.WriteFile(filepath.Join(m.Dir, "boot"), []byte(m.boot), 0o600))
	m.Kernel("Linux version 6.11.0-" + m.boot[:8])
	m.NewHostKey()
	m.Start()
}

// NewHostKey creates a host key that sshd uses from its next start, and returns the public key.
func (m *Machine) NewHostKey() string {
	m.tb.Helper()
	_, public := m.newKey("host")
	return public
}

// HostKey returns the public host key.
func (m *Machine) HostKey() string {
	m.tb.Helper()
	text, err := os.ReadFile(filepath.Join(m.Dir, "host.pub"))
	m.must(err)
	return strings.TrimSpace(string(text))
}

// Start starts sshd and waits until it listens.
func (m *Machine) Start() {
	m.tb.Helper()
	m.must(m.sshd.Start())
	m.must(m.sshd.Await(m.tb.Context(), 20*time.Second, func(ctx context.Context) bool { return real.Accepts(ctx, m.Address()) }))
}

// Address returns the address of sshd.
func (m *Machine) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(m.Port)) }

// Stop kills sshd and its sessions immediately, like a power failure.
func (m *Machine) Stop() {
	m.Break()
	m.sshd.Kill()
}

// Break kills all sessions, leaves sshd listening and returns the number of killed processes.
func (m *Machine) Break() int {
	pid, _, ok := m.sshd.Running()
	if !ok {
		return 0
	}
	sessions := children(pid)
	kill(sessions, syscall.SIGKILL)
	return len(sessions)
}

// Freeze stops sshd and its sessions with SIGSTOP, so that the machine no longer responds.
func (m *Machine) Freeze() {
	if pid, _, ok := m.sshd.Running(); ok {
		kill(append(children(pid), pid), syscall.SIGSTOP)
	}
}

func kill(pids []int, signal syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, signal) // the process may have exited
	}
}

// children returns the descendants of a process.
func children(pid int) []int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	var all []int
	for word := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(word); err == nil {
			all = append(append(all, child), children(child)...)
		}
	}
	return all
}

// Entry holds the fields of a journal entry; Write adds times and IDs.
type Entry map[string]string

// Write appends entries to the journal, one after the other.
func (m *Machine) Write(entries ...Entry) {
	m.tb.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	var b bytes.Buffer
	for _, e := range entries {
		m.ticks++
		fmt.Fprintf(&b, "__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%s\n_MACHINE_ID=%032x\n", uint64(time.Now().UnixMicro()), m.ticks, m.boot, 1)
		for name, value := range e {
			if !strings.ContainsAny(value, "\n\x00") && len(value) < 1000 {
				fmt.Fprintf(&b, "%s=%s\n", name, value)
				continue
			}
			// In the journal export format, a field whose value is not a single line of text consists of its name,
			// the length of the value and the value.
			fmt.Fprintf(&b, "%s\n", name)
			length := make([]byte, 8)
			for i := range length {
				length[i] = byte(len(value) >> (8 * i))
			}
			b.Write(length)
			b.WriteString(value + "\n")
		}
		b.WriteByte('\n')
	}
	file := filepath.Join(m.Dir, "journal", fmt.Sprintf("system%d.journal", m.files))
	cmd := exec.CommandContext(m.tb.Context(), m.programs.journalRemote, "-o", file, "-")
	cmd.Env = []string{"LD_LIBRARY_PATH=" + m.programs.libraries, "PATH=/usr/bin:/bin"}
	cmd.Stdin = &b
	if out, err := cmd.CombinedOutput(); err != nil {
		m.tb.Fatalf("systemd-journal-remote: %v\n%s", err, out)
	}
}

// Rotate makes later entries go to another journal file.
func (m *Machine) Rotate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files++
}

// Agent writes lines to the journal as entries of the agent's unit.
func (m *Machine) Agent(lines ...string) {
	m.tb.Helper()
	entries := make([]Entry, len(lines))
	for i, line := range lines {
		entries[i] = Entry{"MESSAGE": line, "PRIORITY": "6", "_SYSTEMD_UNIT": "ironic-agent.service", "SYSLOG_IDENTIFIER": "podman"}
	}
	m.Write(entries...)
}

// Kernel writes a line to the journal as an entry of the kernel.
func (m *Machine) Kernel(line string) {
	m.tb.Helper()
	m.Write(Entry{"MESSAGE": line, "PRIORITY": "5", "_TRANSPORT": "kernel", "SYSLOG_IDENTIFIER": "kernel"})
}
