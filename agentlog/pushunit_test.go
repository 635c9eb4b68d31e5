package agentlog_test

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

	"ironworks/ignition"
	"ironworks/models"
)

// fakeJournalctl, like journalctl, prints the lines after the given cursor. It reads them from a file in its own
// folder. Without --all, it omits large fields.
const fakeJournalctl = `#!/usr/bin/env python3
import json, sys, os
after, whole = None, False
for word in sys.argv[1:]:
    if word.startswith("--after-cursor="):
        after = word.partition("=")[2]
    elif word == "--all":
        whole = True
    elif word not in ("-b", "--quiet", "--no-pager", "--output=json") and not word.startswith("--output-fields="):
        sys.exit("unrecognized option " + word)
try:
    for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "journal")):
        if not line.endswith("\n"):
            break
        entry = json.loads(line)
        if after is not None:
            after = None if entry["__CURSOR"] == after else after
            continue
        if not whole and len(entry["MESSAGE"]) > 4096:
            entry["MESSAGE"] = None
            line = json.dumps(entry) + "\n"
        sys.stdout.write(line)
except BrokenPipeError:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
# What is written after this has read all, and before the unit is told to end.
late = os.path.join(os.path.dirname(os.path.abspath(__file__)), "late")
if os.path.exists(late):
    unit, lines = open(late).read().split("\n", 1)
    os.remove(late)
    with open(os.path.join(os.path.dirname(late), "journal"), "a") as journal:
        journal.write(lines)
    os.kill(int(unit), 15)
`

// spyCurl records the arguments of curl.
const spyCurl = `#!/usr/bin/env bash
printf '%s\n' "$*" >>"$(dirname "$0")/curl-calls"
exec /usr/bin/curl "$@"
`

// unitRig runs the program of the push unit with the files that an Ignition configuration contains.
type unitRig struct {
	*pushRig
	etc, run, bin, sys string
	output             *os.File
	process            *exec.Cmd
}

func newUnitRig(t *testing.T) *unitRig {
	t.Helper()
	for _, program := range []string{"bash", "curl", "python3"} {
		if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") == "" {
			t.Skipf("no %s here", program)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	u := &unitRig{pushRig: newPushRig(t, nil), etc: t.TempDir(), run: t.TempDir(), bin: t.TempDir(), sys: t.TempDir()}
	built, err := ignition.Ramdisk{
		IronicURLs: []string{"http://192.0.2.1:6385"}, NoLogin: true, SSHHostKey: u.identity.HostKey,
		JournalPush: ignition.JournalPush{URL: "https://" + u.console.Address, Certificate: u.identity.Certificate, Token: u.identity.Token},
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
	for _, file := range config.Storage.Files {
		name, ours := strings.CutPrefix(file.Path, "/etc/ironworks-journal/")
		if !ours {
			continue
		}
		content, err := dataurl.DecodeString(file.Contents.Source)
		if err != nil {
			t.Fatal(err)
		}
		u.write(filepath.Join(u.etc, name), string(content.Data), 0o600)
	}
	u.write(filepath.Join(u.bin, "journalctl"), fakeJournalctl, 0o700)
	u.write(filepath.Join(u.bin, "curl"), spyCurl, 0o700)
	u.write(filepath.Join(u.sys, "net/eno1/address"), firstMAC+"\n", 0o600)
	u.write(filepath.Join(u.sys, "net/eno1/device/vendor"), "", 0o600)
	u.write(filepath.Join(u.sys, "net/bond0/address"), secondMAC+"\n", 0o600) // has no device, so its MAC address is not sent
	u.write(filepath.Join(u.sys, "dmi/id/product_uuid"), "aaaaaaaa-0000-4000-8000-000000000001\n", 0o600)
	u.write(filepath.Join(u.sys, "boot"), "01234567-89ab-cdef-0123-456789abcdef\n", 0o600)
	if u.output, err = os.Create(filepath.Join(u.run, "output")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.end(syscall.SIGKILL); _ = u.output.Close() })
	return u
}

func (u *unitRig) write(path, content string, mode os.FileMode) {
	u.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		u.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		u.Fatal(err)
	}
}

// log adds lines to the journal.
func (u *unitRig) log(lines string) {
	u.Helper()
	file, err := os.OpenFile(filepath.Join(u.bin, "journal"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		u.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.WriteString(lines); err != nil {
		u.Fatal(err)
	}
}

// begin starts the unit.
func (u *unitRig) begin() {
	u.Helper()
	u.process = exec.Command("bash", "push.sh", u.sys, filepath.Join(u.sys, "boot")) //nolint:gosec,noctx // it is ended by a signal
	u.process.Dir = u.etc
	u.process.Env = []string{"PATH=" + u.bin + ":" + os.Getenv("PATH"), "RUNTIME_DIRECTORY=" + filepath.Join(u.run, "unit")}
	u.process.Stdout, u.process.Stderr = u.output, u.output
	u.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := u.process.Start(); err != nil {
		u.Fatal(err)
	}
}

// end stops the unit's program. SIGKILL also ends all its children, like a power loss; SIGTERM ends it as systemd
// would.
func (u *unitRig) end(signal syscall.Signal) {
	if u.process == nil {
		return
	}
	pid := u.process.Process.Pid
	if signal == syscall.SIGKILL {
		pid = -pid
	}
	_ = syscall.Kill(pid, signal)
	_ = u.process.Wait()
	u.process = nil
}

// await waits until the receiver has count lines from the node.
func (u *unitRig) await(count int) {
	u.Helper()
	deadline := time.After(30 * time.Second)
	batches := u.console.Subscribe(u.Context(), firstNode)
	for got := 0; got < count; {
		select {
		case batch := <-batches:
			got += len(batch.Lines)
		case <-deadline:
			output, _ := os.ReadFile(u.output.Name())
			u.Fatalf("%d lines of %d; the unit says:\n%s", got, count, output)
		}
	}
}

// awaitOutput waits until the output of the unit contains want.
func (u *unitRig) awaitOutput(want string) {
	u.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for {
		output, _ := os.ReadFile(u.output.Name())
		if strings.Contains(string(output), want) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			u.Fatalf("never %q; the unit says:\n%s", want, output)
		}
	}
}

func TestPushUnitLosesNothing(t *testing.T) {
	u := newUnitRig(t)
	u.log(pushedLines(1, 1200))
	u.begin()
	u.await(600)
	u.end(syscall.SIGKILL)
	u.log(pushedLines(1201, 1300))
	u.begin()
	u.await(1300)

	// The console is unreachable for some time.
	u.stop()
	u.log(pushedLines(1301, 1400))
	u.awaitOutput("cannot reach the console")
	u.start()
	u.await(1400)

	// The machine loses its position, but the console still knows it.
	u.end(syscall.SIGKILL)
	if err := os.RemoveAll(filepath.Join(u.run, "unit")); err != nil {
		t.Fatal(err)
	}
	u.log(pushedLine(1401, strings.Repeat("x", 2_000_000)) + pushedLines(1402, 1500))
	u.begin()
	u.await(1500)

	// Lines logged just before the unit stops are still sent.
	u.log(pushedLines(1501, 1510))
	u.end(syscall.SIGTERM)
	u.stop()
	u.start()
	texts := u.texts(firstNode, 1510)
	for i, text := range texts {
		want := fmt.Sprintf("%s line %d", firstNode.Name, i+1)
		if i == 1400 {
			want = firstNode.Name + " (message omitted by journalctl: too large)"
		}
		if text != want {
			t.Fatalf("line %d is %.80q, want %q", i+1, text, want)
		}
	}
	output, err := os.ReadFile(u.output.Name())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(output), "cannot reach the console"); got != 1 {
		t.Errorf("an absent console is told of %d times:\n%s", got, output)
	}
	calls, err := os.ReadFile(filepath.Join(u.bin, "curl-calls"))
	if err != nil {
		t.Fatal(err)
	}
	secret := u.identity.Token.Reveal()
	for where, text := range map[string]string{"log": string(output), "command lines": string(calls)} {
		if strings.Contains(text, secret) || strings.Contains(text, secret[17:]) {
			t.Errorf("the token is in the %s", where)
		}
	}
}

// TestPushUnitSendsTheLastLines checks that the unit also sends lines that are logged after it has read all others,
// just before it ends.
func TestPushUnitSendsTheLastLines(t *testing.T) {
	u := newUnitRig(t)
	u.log(pushedLines(1, 10))
	u.begin()
	u.await(10)
	late := fmt.Sprintf("%d\n%s", u.process.Process.Pid, pushedLines(11, 20))
	u.write(filepath.Join(u.bin, "late.new"), late, 0o600)
	if err := os.Rename(filepath.Join(u.bin, "late.new"), filepath.Join(u.bin, "late")); err != nil {
		t.Fatal(err)
	}
	_ = u.process.Wait() // fakeJournalctl ends it
	u.process = nil
	u.texts(firstNode, 20)
}

func TestPushUnitSendsOnlyToItsReceiver(t *testing.T) {
	u := newUnitRig(t)
	u.stop()
	if err := os.Remove(filepath.Join(u.console.Options.Dir, "receiver.pem")); err != nil {
		t.Fatal(err)
	}
	u.start() // with another certificate for the same name
	u.log(pushedLines(1, 3))
	u.begin()
	u.awaitOutput("cannot reach the console: curl: (")
	if count, last := u.console.Refusals(); count > 0 {
		t.Errorf("the other console got requests: %s", last)
	}
	select {
	case batch := <-u.console.Subscribe(t.Context(), models.NodeRef{}):
		t.Errorf("the other console got %+v", batch)
	case <-time.After(300 * time.Millisecond):
	}
}
