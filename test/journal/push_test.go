package journal_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vincent-petithory/dataurl"

	"ironworks/agentlog"
	"ironworks/ignition"
	"ironworks/models"
	"ironworks/test/receiver"
	"ironworks/test/sshd"
)

const nodeMAC = "52:54:00:00:00:01"

func newConsole(t *testing.T) *receiver.Console {
	t.Helper()
	return receiver.Start(t, agentlog.Machine{Node: node, MACs: []string{nodeMAC}})
}

// unit runs the journal unit from the ramdisk's Ignition configuration on a machine with a real journal.
type unit struct {
	t       *testing.T
	machine *sshd.Machine
	etc     string
	process *exec.Cmd
}

// install writes the files of the Ignition configuration that the console built for the machine, and returns the
// configuration's journal unit.
func install(t *testing.T, c *receiver.Console, m *sshd.Machine) *unit {
	t.Helper()
	identity, err := c.Images().Make(agentlog.IdentityOrder{Push: true})
	if err != nil {
		t.Fatal(err)
	}
	built, err := ignition.Ramdisk{
		IronicURLs: []string{"http://192.0.2.1:6385"}, NoLogin: true,
		JournalPush: ignition.JournalPush{URL: "https://" + c.Address, Certificate: identity.Certificate, Token: identity.Token},
	}.WithDefaults().Build()
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Storage struct {
			Files []struct {
				Path     string
				Contents struct{ Source string }
			}
		}
	}
	if err := json.Unmarshal(built.JSON, &config); err != nil {
		t.Fatal(err)
	}
	u := &unit{t: t, machine: m, etc: t.TempDir()}
	for _, file := range config.Storage.Files {
		if name, ours := strings.CutPrefix(file.Path, "/etc/ironworks-journal/"); ours {
			content, err := dataurl.DecodeString(file.Contents.Source)
			if err != nil {
				t.Fatal(err)
			}
			u.write(filepath.Join(u.etc, name), string(content.Data))
		}
	}
	u.write(filepath.Join(m.Dir, "sys/net/eno1/address"), nodeMAC+"\n")
	u.write(filepath.Join(m.Dir, "sys/net/eno1/device/vendor"), "")
	t.Cleanup(u.kill)
	return u
}

func (u *unit) write(path, content string) {
	u.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		u.t.Fatal(err)
	}
}

// start starts the unit with the machine's journalctl in its PATH.
func (u *unit) start() {
	u.t.Helper()
	dir := u.machine.Dir
	u.process = exec.Command("bash", "push.sh", filepath.Join(dir, "sys"), filepath.Join(dir, "boot")) //nolint:gosec,noctx // it is killed
	u.process.Dir = u.etc
	u.process.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "RUNTIME_DIRECTORY=" + filepath.Join(dir, "run")}
	u.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := u.process.Start(); err != nil {
		u.t.Fatal(err)
	}
}

// kill kills the unit's process group.
func (u *unit) kill() {
	if u.process != nil {
		_ = syscall.Kill(-u.process.Process.Pid, syscall.SIGKILL)
		_ = u.process.Wait()
		u.process = nil
	}
}

// received waits until the console has received at least the given number of lines that do not come from the kernel,
// and returns the text of all such lines.
func received(c *receiver.Console, count int) []string {
	var texts []string
	c.Lines(node, func(lines []models.LogLine) bool {
		texts = texts[:0]
		for i := range lines {
			if lines[i].Unit != "kernel" {
				texts = append(texts, lines[i].Text)
			}
		}
		return len(texts) >= count
	})
	return texts
}

func TestPushedJournalMatchesTheMachine(t *testing.T) {
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") == "" {
			t.Skipf("no %s here", program)
		}
	}
	m := sshd.New(t)
	c := newConsole(t)
	u := install(t, c, m)
	var want []string
	say := func(lines int) {
		var batch []string
		for range lines {
			batch = append(batch, fmt.Sprintf("line %d of the agent", len(want)))
			want = append(want, batch[len(batch)-1])
		}
		m.Agent(batch...)
	}
	say(1100)
	u.start()
	received(c, 600)
	u.kill()
	m.Rotate()
	say(50)
	u.start()
	received(c, len(want))
	c.Stop()
	say(50)
	c.Start()
	m.Agent(strings.Repeat("x", 7000)) // longer than the lines that journalctl prints by default
	want = append(want, strings.Repeat("x", 7000))
	m.Rotate()
	say(50)
	received(c, len(want))
	u.kill()
	if err := os.RemoveAll(filepath.Join(m.Dir, "run")); err != nil {
		t.Fatal(err)
	}
	say(20)
	u.start()
	got := received(c, len(want))
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i, text := range got {
		if text != want[i] {
			t.Fatalf("line %d is %.60q, want %.60q", i, text, want[i])
		}
	}
}

func TestLineFromTwoSourcesIsShownOnce(t *testing.T) {
	m := sshd.New(t)
	c := newConsole(t)
	u := install(t, c, m)
	m.Agent("first", "second")
	u.start()
	f := start(t, agentlog.Options{Sources: []models.LogSource{models.LogSSH, models.LogPush}, SSH: sshOptions(m), Push: c})
	seen := map[string]int{}
	deadline := time.After(60 * time.Second)
	sources := map[models.LogSource]bool{}
	for i := 0; len(sources) < 2 || seen["last"] == 0; i++ {
		select {
		case batch := <-f.from:
			for _, line := range batch.Lines {
				seen[line.Text]++
			}
			for _, status := range batch.Status {
				if status.State == agentlog.StateFollowing && !sources[status.Source] {
					sources[status.Source] = true
					if len(sources) == 2 {
						m.Agent("third", "last")
					}
				}
			}
		case <-deadline:
			t.Fatalf("seen %v by %v", seen, sources)
		}
	}
	received(c, 4)
	for text, times := range seen {
		if times != 1 {
			t.Errorf("%q was shown %d times", text, times)
		}
	}
}
