package lab_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/agentlog"
	"ironworks/ignition"
	"ironworks/ignition/sshkey"
	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/models"
	"ironworks/test/receiver"
)

// logRig is a machine that has booted a ramdisk with the Ignition configuration of ironworks, but without an Ironic
// server.
type logRig struct {
	*testing.T
	lab      *lab.Lab
	machine  *lab.Machine
	identity agentlog.Identity
	key      ssh.Signer
	port     int
}

var logNode = models.NodeRef{UUID: "11111111-1111-4111-8111-111111111111", Name: "n1"}

// newLogRig boots a machine. The machine pushes its journal to console unless console is empty.
func newLogRig(t *testing.T, images *agentlog.Images, console string) *logRig {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r := &logRig{T: t, port: freePort(t)}
	if r.key, err = ssh.NewSignerFromKey(private); err != nil {
		t.Fatal(err)
	}
	if r.identity, err = images.Make(agentlog.IdentityOrder{Push: console != "", HostKey: true}); err != nil {
		t.Fatal(err)
	}
	ramdisk := ignition.Ramdisk{
		IronicURLs: []string{"http://127.0.0.1:9"}, SSHHostKey: r.identity.HostKey,
		SSHKeys: []sshkey.Key{{Line: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(r.key.PublicKey())))}},
	}
	if console != "" {
		ramdisk.JournalPush = ignition.JournalPush{URL: "https://" + console, Certificate: r.identity.Certificate, Token: r.identity.Token}
	}
	built, err := ramdisk.WithDefaults().Build()
	if err != nil {
		t.Fatal(err)
	}
	iso, err := lab.LiveISO(built.JSON)
	if err != nil {
		t.Fatal(err)
	}
	r.lab, err = lab.Start(t.Context(), lab.Options{Speed: 40, Ramdisk: bytes.NewReader(iso), SSHPort: r.port, Dir: t.TempDir()}, []lab.Member{{Name: "n1", MACs: []string{"52:54:00:00:00:01"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.lab.Close)
	r.machine, _ = r.lab.Machine("n1")
	r.boot()
	return r
}

func freePort(t *testing.T) int {
	t.Helper()
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.18.0.1:0")
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("127.18.0.1 is not this machine: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	number, _ := strconv.Atoi(port)
	return number
}

// boot boots the ramdisk, or reboots it.
func (r *logRig) boot() {
	r.Helper()
	how := machine.ResetOn
	if r.machine.Power() != machine.Off {
		how = machine.ForceRestart
	}
	if err := r.machine.Insert(machine.VirtualMedia{URL: r.lab.RamdiskURL(), Inserted: true}); err != nil && how == machine.ResetOn {
		r.Fatal(err)
	}
	if err := r.machine.SetOverride(machine.BootOverride{Target: machine.Cd, Enabled: machine.Once}); err != nil {
		r.Fatal(err)
	}
	if err := r.machine.Reset(how); err != nil {
		r.Fatal(err)
	}
}

// dial logs in over SSH as soon as the machine is reachable.
func (r *logRig) dial(user string, key ssh.Signer) (*ssh.Client, error) {
	r.Helper()
	want, _, _, _, err := ssh.ParseAuthorizedKey([]byte(r.identity.HostKeyPublic))
	if err != nil {
		r.Fatal(err)
	}
	config := &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.FixedHostKey(want), Timeout: 5 * time.Second,
	}
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	for {
		client, err := ssh.Dial("tcp", net.JoinHostPort(r.machine.AgentHost(), strconv.Itoa(r.port)), config)
		var refused *net.OpError
		if !errors.As(err, &refused) {
			return client, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// written is a line of journalctl's output.
type written struct {
	Cursor string `json:"__CURSOR"`
	Time   string `json:"__REALTIME_TIMESTAMP"`
	Boot   string `json:"_BOOT_ID"`
	Unit   string `json:"_SYSTEMD_UNIT"`
	Text   string `json:"MESSAGE"`
}

// runs executes a command, waits until it has ended, and returns its output.
func (r *logRig) runs(client *ssh.Client, command string) (lines []written, stderr string, err error) {
	r.Helper()
	session, err := client.NewSession()
	if err != nil {
		r.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	var out, complaints strings.Builder
	session.Stdout, session.Stderr = &out, &complaints
	err = session.Run(command)
	for text := range strings.Lines(out.String()) {
		var line written
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			r.Fatalf("%q: %v", text, err)
		}
		lines = append(lines, line)
	}
	return lines, complaints.String(), err
}

func TestJournalOverSSH(t *testing.T) {
	t.Parallel()
	images, err := agentlog.OpenImages(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := newLogRig(t, images, "")
	client, err := r.dial("core", r.key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	out, err := session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Start("sudo -n journalctl --no-pager -o json --follow --no-tail -b"); err != nil {
		t.Fatal(err)
	}
	var followed []written
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var line written
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		followed = append(followed, line)
		if strings.Contains(line.Text, "Starting ironic-python-agent") {
			break
		}
	}
	journal := r.machine.Journal()
	for i, line := range followed {
		if line.Text != journal[i].Text || line.Time != strconv.FormatInt(journal[i].Time.UnixMicro(), 10) || len(line.Boot) != 32 || line.Cursor == "" {
			t.Fatalf("line %d is %+v, want %+v", i, line, journal[i])
		}
	}
	middle := followed[5]
	after, _, err := r.runs(client, "journalctl -b -o json --after-cursor='"+middle.Cursor+"' --no-pager --all --quiet")
	if err != nil || len(after) < 3 || after[0] != followed[6] {
		t.Errorf("behind the cursor: %v, %v", after, err)
	}
	kernel, _, err := r.runs(client, "journalctl -o json --output-fields=MESSAGE _TRANSPORT=kernel + _PID=1 UNIT=ironic-agent.service")
	if err != nil || len(kernel) < 3 || !strings.HasPrefix(kernel[0].Text, "Linux version") || !strings.HasPrefix(kernel[2].Text, "Starting ironic-agent.service") || kernel[0].Unit != "" {
		t.Errorf("the kernel and systemd of the agent: %+v, %v", kernel, err)
	}
	last, _, err := r.runs(client, "journalctl -o json -n 1 -u ironic-agent")
	if err != nil || len(last) != 1 {
		t.Errorf("the last line: %+v, %v", last, err)
	}
	for command, want := range map[string]string{
		"cat /etc/passwd":                       "cat: command not found",
		"journalctl -o json; id":                "journalctl: command not found",
		"journalctl -o json $(id)":              "journalctl: command not found",
		"journalctl -o json --vacuum-size=1":    "unrecognized option '--vacuum-size=1'",
		"journalctl -o json --file=/etc/shadow": "unrecognized option '--file=/etc/shadow'",
		"journalctl":                            "only -o json",
		"journalctl -o json 'x":                 "looking for matching quote",
	} {
		var ended *ssh.ExitError
		lines, stderr, err := r.runs(client, command)
		if !errors.As(err, &ended) || ended.ExitStatus() == 0 || len(lines) > 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %v, %q", command, err, stderr)
		}
	}
	for name, who := range map[string]struct {
		user string
		key  ssh.Signer
	}{"root": {"root", r.key}, "another key": {"core", hostKeyOf(t)}} {
		if other, err := r.dial(who.user, who.key); err == nil {
			_ = other.Close()
			t.Errorf("%s may log in", name)
		}
	}
	if err := r.machine.Reset(machine.ForceOff); err != nil {
		t.Fatal(err)
	}
	if err := client.Wait(); err == nil {
		t.Error("the connection outlives the machine")
	}
}

func hostKeyOf(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(pem.EncodeToMemory(block))
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// await waits until one of the received lines contains text, and returns the lines.
func await(c *receiver.Console, text string) []models.LogLine {
	return c.Lines(logNode, func(lines []models.LogLine) bool {
		return slices.ContainsFunc(lines, func(l models.LogLine) bool { return strings.Contains(l.Text, text) })
	})
}

// interrupted returns a machine and its console. The machine could not reach the console for some time, but the
// console is available again.
func interrupted(t *testing.T) (*receiver.Console, *logRig) {
	t.Helper()
	c := receiver.Start(t, agentlog.Machine{Node: logNode, MACs: []string{"52:54:00:00:00:01"}})
	r := newLogRig(t, c.Images(), c.Address)
	await(c, "Switching root")
	c.Stop()
	// The agent cannot reach Ironic, and logs this repeatedly.
	waitFor(t, func() bool { return strings.Contains(fmt.Sprint(r.machine.Journal()), "cannot reach the console") })
	c.Start()
	return c, r
}

func TestMachinesPushTheirJournal(t *testing.T) {
	t.Parallel()
	c, r := interrupted(t)
	lines := await(c, "the console takes the journal")
	journal := r.machine.Journal()
	for i, line := range lines {
		if line.Source != models.LogPush || line.Node != logNode || len(line.Boot) != 32 || !line.Time.Equal(journal[i].Time.Truncate(time.Microsecond)) {
			t.Fatalf("line %d of %d is %+v, want %+v", i, len(lines), line, journal[i])
		}
	}
	boot := lines[0].Boot
	r.boot()
	waitFor(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		for batch := range c.Subscribe(ctx, logNode) {
			for _, line := range batch.Lines {
				if line.Boot != boot {
					return true
				}
			}
		}
		return false
	})
}

// TestShutdownSendsTheRest checks that after a shutdown, the console has all lines that the machine has written.
func TestShutdownSendsTheRest(t *testing.T) {
	t.Parallel()
	c, r := interrupted(t)
	// The machine's next regular attempt to push is seconds away.
	if err := r.machine.Reset(machine.GracefulShutdown); err != nil {
		t.Fatal(err)
	}
	c.Lines(logNode, func(lines []models.LogLine) bool { return len(lines) == len(r.machine.Journal()) })
}

// waitFor waits until met returns true, for at most 30 seconds.
func waitFor(t *testing.T, met func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for !met() {
		select {
		case <-deadline:
			t.Fatal("it never came to it")
		case <-time.After(50 * time.Millisecond):
		}
	}
}
