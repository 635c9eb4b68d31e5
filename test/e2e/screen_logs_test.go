package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/ignition"
	"ironworks/ignition/sshkey"
	"ironworks/journal"
	"ironworks/lab"
	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// newSSHKey generates an SSH key and returns its authorized_keys line and its private key in OpenSSH format.
func newSSHKey(t *testing.T) (line string, private []byte) {
	t.Helper()
	public, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))), pem.EncodeToMemory(block)
}

// sshLogNode creates a node and a console. The node's machine boots a ramdisk that the operator can log in to over
// SSH, and the console is configured with the operator's key.
func sshLogNode(t *testing.T, s *ironic.Server, scenario string) (c *console, name string, m *lab.Machine) {
	t.Helper()
	line, private := newSSHKey(t)
	built, err := ignition.Ramdisk{IronicURLs: []string{s.URL}, SSHKeys: []sshkey.Key{{Line: line}}}.WithDefaults().Build()
	if err != nil {
		t.Fatal(err)
	}
	iso, err := lab.LiveISO(built.JSON)
	if err != nil {
		t.Fatal(err)
	}
	port := sshPort(t)
	name, _, m = redfishNodeWith(t, s, scenario, lab.Options{Ramdisk: bytes.NewReader(iso), SSHPort: port})
	return sshLogConsole(t, s, private, port, ""), name, m
}

// sshLogConsole returns a console whose context reads logs over SSH with the given private key. more is appended to
// the context's logs settings.
func sshLogConsole(t *testing.T, s *ironic.Server, private []byte, port int, more string) *console {
	t.Helper()
	c := newConsole(t)
	c.file("id", private)
	config := c.file("config.yaml", []byte("contexts:\n  e2e:\n    url: "+s.URL+
		"\n    logs: {ssh: {port: "+strconv.Itoa(port)+", keys: [~/id], config: none}"+more+"}\n"))
	c.env = append(c.env, "IRONWORKS_CONFIG="+config)
	return c
}

// sshPort returns a free TCP port on 127.18.0.1, the network of the machines. It skips the test where that address is
// not local, except in CI.
func sshPort(t *testing.T) int {
	t.Helper()
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.18.0.1:0")
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("127.18.0.1 is not this machine: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// TestScreenLog checks that the Log tab, the Watch screen and `ironworks logs` show the lines of install_coreos while
// it installs.
func TestScreenLog(t *testing.T) {
	t.Parallel()
	inTheNewest(t, func(t *testing.T, server *ironic.Server) {
		c, name, m := sshLogNode(t, server, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		command := c.background("logs", name, "-f", "-o", "json")
		s := c.fleet(roomy)
		s.filterFor(name)
		s.press(terminal.Enter)
		s.until("[Overview]")
		s.press("L")
		s.until("[Log]", "No lines: no ramdisk in state available")
		waits := c.atTerminal("deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name,
			"--root-device", `{"serial": "`+m.Disks()[0].Serial+`"}`)
		s.within(5*time.Minute, "the installer's lines", func() bool {
			return s.Contains("coreos-installer") && s.Contains("%)") && s.Contains("following")
		})
		waits.until("%")
		s.press("/", "Read disk", terminal.Enter)
		s.until("/ Read disk", "paused", "❯")
		s.press("7")
		s.until("› watch", name)
		s.press("1")
		s.rowSays(name, "active")
		waits.exits(0)
		if !regexp.MustCompile(`install_coreos \d+%`).MatchString(waits.text()) {
			t.Errorf("deploy --wait does not show the installer's progress: %s", waits.text())
		}
		if line := command.line(`"text":"[^"]*coreos-installer`); line == nil {
			t.Error("the command printed no line of the installer")
		}
		command.interrupt()
		installed, printed := 0, []models.LogLine{}
		for _, text := range strings.Split(strings.TrimSpace(command.stdout.String()), "\n") {
			var l models.LogLine
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			// Status lines may come before the journal is readable.
			if l.Node.Name != name || l.Source != models.LogSSH && l.Source != models.LogStatus {
				t.Errorf("%+v", l)
			}
			if l.Source == models.LogSSH {
				printed = append(printed, l)
			}
			if l.Progress != nil {
				installed = max(installed, l.Progress.Percent)
			}
		}
		if installed < 90 {
			t.Errorf("the command saw the installer at %d %% at most", installed)
		}
		if strings.Contains(command.stdout.String(), "agent_token=") && !strings.Contains(command.stdout.String(), "agent_token=*") {
			t.Error("a token is printed")
		}
		s.quits()
		checkRecordedOnce(t, c, printed)
	})
}

// checkRecordedOnce checks that the journal contains each printed line exactly once, although a console followed the
// node at the same time.
func checkRecordedOnce(t *testing.T, c *console, printed []models.LogLine) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.home, ".local/state/ironworks/journal-*.db"))
	if err != nil || len(files) != 1 {
		t.Fatalf("journals: %v %v", files, err)
	}
	kept := journal.Open(t.Context(), journal.Options{Path: files[0]})
	defer kept.Close()
	count := map[string]int{}
	key := func(l *models.LogLine) string { return l.Cursor + " " + l.Text }
	for l, err := range kept.Lines(t.Context(), printed[0].Node.UUID, time.Time{}, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		count[key(&l)]++
	}
	want := map[string]int{}
	for i := range printed {
		want[key(&printed[i])]++
	}
	for line, n := range want {
		if count[line] != n {
			t.Errorf("%d times in the journal, printed %d times: %s", count[line], n, line)
		}
	}
}

// journalPushNode returns a console that listens for pushed journals, and an available node. The node's ramdisk
// pushes its journal to the console and allows logging in over SSH. deploy is the command line that deploys the node.
func journalPushNode(t *testing.T, server *ironic.Server) (c *console, name, uuid, address string, m *lab.Machine, deploy []string) {
	t.Helper()
	line, private := newSSHKey(t)
	port := sshPort(t)
	address = "127.0.0.1:" + strconv.Itoa(sshPort(t))
	c = sshLogConsole(t, server, private, port, `, listen: "`+address+`"`)
	c.ok("ignition", "build", "--journal-push", "https://"+address, "--ssh-host-key", "--ssh-key", line, "-o", "ramdisk.ign")
	built, err := os.ReadFile(filepath.Join(c.home, "ramdisk.ign"))
	if err != nil {
		t.Fatal(err)
	}
	iso, err := lab.LiveISO(built)
	if err != nil {
		t.Fatal(err)
	}
	name, uuid, m = redfishNodeWith(t, server, "ok", lab.Options{Ramdisk: bytes.NewReader(iso), SSHPort: port})
	c.ok("manage", name, "--wait", "--timeout", "6m")
	c.ok("provide", name, "--wait", "--timeout", "6m")
	return c, name, uuid, address, m, []string{
		"deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name,
		"--root-device", `{"serial": "` + m.Disks()[0].Serial + `"}`,
	}
}

// TestConsoleRecordsPushedLogs checks that the console records pushed lines while no screen shows them.
func TestConsoleRecordsPushedLogs(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		c, name, uuid, _, _, deploy := journalPushNode(t, server)
		s := c.fleet(roomy)
		s.filterFor(name)
		c.background(deploy...)
		s.within(5*time.Minute, "the installer's lines in the journal", func() bool {
			kept := journal.Open(t.Context(), journal.Options{Path: filepath.Join(c.home, ".local/state/ironworks/journal-e2e.db")})
			defer kept.Close()
			for l, err := range kept.Lines(t.Context(), uuid, time.Time{}, time.Time{}) {
				if err == nil && l.Source == models.LogPush && l.Unit == "coreos-installer" {
					return true
				}
			}
			return false
		})
		s.quits()
	})
}

// TestLogsListen deploys a machine whose ramdisk pushes its journal and allows logging in over SSH. `ironworks logs`
// must print every entry once, although it reads both sources and is restarted.
func TestLogsListen(t *testing.T) {
	t.Parallel()
	inTheNewest(t, func(t *testing.T, server *ironic.Server) {
		c, name, _, address, m, deploy := journalPushNode(t, server)
		listening := c.background("logs", "--listen", address)
		listening.says("receiving pushed journals at " + address)
		deploys := c.background(deploy...)
		listening.line(name + " .*coreos-installer")
		listening.interrupt()
		again := c.background("logs", name, "--listen", address, "-o", "json")
		again.says(name + ": push 127.")
		again.says(name + ": ssh core@127.")
		deploys.line(name + ".*done")
		var wrong string
		again.when("every line of the journal", func() bool {
			wrong = compareJournal(again.stdout.String(), m)
			return wrong == ""
		}, &wrong)
		again.interrupt()
		s := c.fleet(roomy)
		s.filterFor(name)
		s.press(terminal.Enter)
		s.until("[Overview]")
		s.press("L")
		s.until("[Log]", "coreos-installer: ")
		s.quits()
	})
}

// compareJournal compares printed log lines with the machine's journal. Every entry must be printed once, with its
// time, from either source. It returns the first difference or "".
func compareJournal(printed string, m *lab.Machine) string {
	var times []time.Time
	by, last := map[models.LogSource]int{}, ""
	for text := range strings.Lines(printed) {
		var l models.LogLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			return fmt.Sprintf("%q: %v", text, err)
		}
		if l.Source == models.LogStatus || l.Cursor == last { // lines of one entry share its cursor
			continue
		}
		last = l.Cursor
		by[l.Source]++
		times = append(times, l.Time)
	}
	slices.SortStableFunc(times, time.Time.Compare) // two sources may interleave
	journal := m.Journal()
	for i := range journal {
		if want := journal[i].Time.Truncate(time.Microsecond); i >= len(times) || !times[i].Equal(want) {
			return fmt.Sprintf("entry %d of %d is missing, %v: %s (got %v)", i, len(journal), want, journal[i].Text, by)
		}
	}
	if len(times) != len(journal) || by[models.LogPush] == 0 {
		return fmt.Sprintf("%d entries (%v), the machine wrote %d", len(times), by, len(journal))
	}
	return ""
}

// TestLogsOfANodeWithoutLogs checks messages and exit codes when a node has no log.
func TestLogsOfANodeWithoutLogs(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, uuid, _ := redfishNode(t, server, "ok")
		if o := c.fails(1, "logs", name); !strings.Contains(o.stderr, name+": no source has log lines") || !strings.Contains(o.stderr, "ssh: ") {
			t.Error(o.stderr)
		}
		if o := c.fails(1, "logs", "nobody"); !strings.Contains(o.stderr, "nobody") {
			t.Error(o.stderr)
		}
		if o := c.fails(2, "logs"); !strings.Contains(o.stderr, "give a NODE") {
			t.Error(o.stderr)
		}
		c.fails(2, "logs", name, "--source", "tape")
		c.fails(2, "logs", name, "-o", "name")
		if o := newConsole(t, "IRONWORKS_URL="+nowhere).run("logs", name); o.code != 4 {
			t.Errorf("no Ironic is there: %d %s", o.code, o.stderr)
		}
		journal := "Nov 22 14:00:00 n1 ironic-agent[1]: 2026-11-22 14:00:00.000 1 ERROR ironic_python_agent.agent [-] it failed agent_token=secret-of-it\n"
		file := c.file(uuid+"_"+name+"_2026-11-22-14-00-00.tar.gz", tarball(t, "journal", journal))
		o := c.ok("logs", name, "--archive", file, "--source", "archive")
		if !strings.Contains(o.stdout, "it failed") || strings.Contains(o.stdout, "secret-of-it") {
			t.Error(o.stdout)
		}
	})
}

// tarball returns a tar.gz archive with one file.
func tarball(t *testing.T, name, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text)), Typeflag: tar.TypeReg})
	if _, writeErr := w.Write([]byte(text)); err == nil {
		err = writeErr
	}
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// installing matches a node's row on the Watch screen while the installer reports progress.
var installing = regexp.MustCompile(`r7-n\d+ .*install_coreos \d+%`)

// TestScreenLogInTheLab checks that the lab's console shows logs on the Watch screen and in the Log tab without any
// configuration.
func TestScreenLogInTheLab(t *testing.T) {
	t.Parallel()
	sshPort(t) // skips the test if the machines' addresses are not local
	c := newConsole(t)
	s := c.screen(roomy, "--lab", "--lab-speed", "6")
	s.until("r7-n01", "r7-n12")
	s.press("*", "7")
	s.until("› watch", "running", "logs of ")
	s.within(5*time.Minute, "an installer's lines below the nodes", func() bool { return s.Contains("│ ironic-agent: ") || s.Contains("coreos-installer") })
	s.press(terminal.Tab, "&", "node:r7-n01", terminal.Enter)
	s.until("& node:r7-n01")
	// Any node will do, because the first one may be done already.
	s.within(5*time.Minute, "an installer's percentage in the list", func() bool {
		return slices.ContainsFunc(s.Lines(), installing.MatchString)
	})
	s.press(terminal.Esc)
	s.gone("& node:r7-n01")
	s.press(terminal.Esc)
	s.until("tab log")
	s.pick(":", paletteTitle, "r7-n05")
	s.until("› r7-n05")
	s.press("L")
	s.until("[Log]")
	s.quits()
}
