package e2e

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/cast"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// These are the texts that anna types in TestServeTogether. They occur nowhere else.
const (
	canaryFilter  = "c4n4ry-filter"
	canaryPalette = "c4n4ry-palette"
	canaryLog     = "c4n4ry-log"
	canarySecret  = "c4n4ry-S3cret"
	// canaryWatched is a secret that is typed while another user watches.
	canaryWatched = "c4n4ry-W4tched"
)

// TestServeTogether covers two users at the same time. What one of them types, copies, marks and filters must not
// reach the other's terminal, except for messages. A follower sees the followed screen, with secrets masked.
func TestServeTogether(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		records := t.TempDir()
		node, uuid, _ := redfishNode(t, s, "ok")
		v := served(t, s, "nobody", "--record", records)
		anna, ben := v.screen("anna"), v.screen("ben")
		anna.typesCanaries(node, uuid)
		ben.filterFor(node)
		ben.rowSays(node, "@anna")
		if row := ben.row(node); strings.Contains(ben.Text(), "1 marked") {
			t.Errorf("anna's mark is on ben's screen: %s", row)
		}
		anna.says(t, v, ben)
		ben.pastesTooMuch()
		ben.follows(anna, node)
		v.noCanaries(t, ben, canaryFilter, canaryPalette, canaryLog, canarySecret, canaryWatched)
		if copied := anna.Clipboard(); len(copied) < 2 || copied[0] != uuid {
			t.Errorf("anna copied %q", copied)
		}
		v.killed(anna, "anna")
		ben.quits()
		v.eventually("vera alone is connected", func() bool { return !strings.Contains(v.as("vera", 0, "who").stdout, "ben") })
		checkRecordings(t, records)
		v.noSecretOnDisk(t)
	})
}

// typesCanaries types each canary where the console reads text: in a filter, the palette, the log's filter and the
// BMC's password. It also copies the UUID and marks the node, and ends on the node's screen.
func (s *screenConsole) typesCanaries(node, uuid string) {
	s.t.Helper()
	s.filter(canaryFilter)
	s.press(terminal.Esc)
	s.filterFor(node)
	if got := s.copyEntry("uuid"); got != uuid {
		s.t.Errorf("copied %q, want %q", got, uuid)
	}
	s.press(" ")
	s.until("1 marked")
	s.list(":", paletteTitle)
	s.press(canaryPalette)
	s.until(canaryPalette)
	s.press(terminal.Esc)
	s.gone("╭─ " + paletteTitle)
	s.press(terminal.Enter)
	s.until("› " + node)
	s.press("L")
	s.until("[Log]")
	s.press("&", canaryLog, terminal.Enter)
	s.until(canaryLog)
	s.typesPassword(canarySecret)
}

// typesPassword types a password for the node's BMC, and does not send it.
func (s *screenConsole) typesPassword(password string) {
	s.t.Helper()
	s.pick("?", helpTitle, "bmc")
	s.until("[BMC]", " logs in")
	s.pick("?", helpTitle, "bmc-login")
	s.until("╭─ Log in to the BMC", "Password")
	s.press(terminal.Down, password)
	s.until("••••")
	s.lacks(password)
}

// says sends a message from the console to the other users, and one from a command to all users.
func (s *screenConsole) says(t *testing.T, v *servedConsole, other *screenConsole) {
	t.Helper()
	s.press(terminal.Esc)
	s.gone("╭─")
	s.pick(":", paletteTitle, "say")
	s.until("Message")
	s.press("rebooting rack 7", terminal.Enter)
	other.until("anna: rebooting rack 7")
	v.as("vera", 0, "say", "from", "a", "command")
	other.until("vera: from a command")
	s.until("vera: from a command")
	if o := v.as("vera", 0, "who"); !strings.Contains(o.stdout, "anna") || !strings.Contains(o.stdout, "ben") || strings.Contains(o.stdout, "vera") {
		t.Errorf("who: %s", o.stdout)
	}
}

// pastesTooMuch pastes 16 MiB into the filter, and checks that the console refuses the text and continues.
func (s *screenConsole) pastesTooMuch() {
	s.t.Helper()
	s.press("/", terminal.CtrlU)
	s.Paste(strings.Repeat("p4ste", 16<<20/5))
	s.until("paste refused: more than 256 KiB")
	s.lacks("p4ste")
	s.Paste("name:redfish")
	s.until("/ name:redfish")
	s.press(terminal.Esc)
}

// follows watches another user's session, in which a password is typed and a text is copied. It checks that no key
// but esc has an effect, and that esc returns to the user's own console.
func (s *screenConsole) follows(other *screenConsole, node string) {
	s.t.Helper()
	s.pick(":", paletteTitle, "who")
	s.until("╭─ Connected users", "anna")
	s.press("anna", terminal.Enter)
	s.until("Following anna")
	other.press("1")
	s.until("Following anna", "1 marked", node)
	other.press(terminal.Enter)
	s.until("Following anna", "› "+node)
	other.typesPassword(canaryWatched)
	s.until("Following anna", "╭─ Log in to the BMC", "••••")
	other.press(terminal.Esc)
	other.gone("╭─")
	other.copyEntry("name")
	s.until("copied the name: ")
	s.press("q", "x", "d")
	s.until("Following anna")
	s.press(terminal.Esc)
	s.gone("Following anna")
	s.until("› fleet")
}

// noCanaries checks that a terminal has received none of the texts, and nothing for its clipboard.
func (v *servedConsole) noCanaries(t *testing.T, one *screenConsole, canaries ...string) {
	t.Helper()
	raw := string(one.Raw())
	if int64(len(raw)) != one.Bytes() {
		t.Fatalf("only %d of %d bytes are known", len(raw), one.Bytes())
	}
	for _, c := range canaries {
		if strings.Contains(raw, c) {
			t.Errorf("the other terminal received %q", c)
		}
	}
	if strings.Contains(raw, "\x1b]52;") || len(one.Clipboard()) > 0 {
		t.Errorf("the other terminal received a clipboard: %q", one.Clipboard())
	}
}

// killed kills a user's ssh client, and waits until the user leaves the list of connected users.
func (v *servedConsole) killed(one *screenConsole, user string) {
	v.t.Helper()
	_ = one.Signal(syscall.SIGKILL)
	v.eventually(user+" has left", func() bool { return !strings.Contains(v.as("vera", 0, "who").stdout, user) })
}

// checkRecordings checks that the server has recorded both consoles, without secrets or clipboard contents.
func checkRecordings(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.cast"))
	if err != nil || len(files) != 2 {
		t.Fatalf("recordings %q, %v", files, err)
	}
	all := ""
	for _, name := range files {
		shown := castOutput(t, name)
		if strings.Contains(strings.ReplaceAll(shown, "\r\n", ""), "\n") {
			t.Errorf("%s has line feeds without carriage returns, which no player adds", name)
		}
		if !strings.Contains(shown, "ironworks") {
			t.Errorf("%s shows no console", name)
		}
		if strings.Contains(name, "-ben-") && strings.Contains(shown, canaryFilter) {
			t.Errorf("%s has what anna typed", name)
		}
		all += shown
	}
	if !strings.Contains(all, canaryFilter) {
		t.Error("anna's recording does not show her filter")
	}
	for _, secret := range []string{canarySecret, canaryWatched, "\x1b]52;"} {
		if strings.Contains(all, secret) {
			t.Errorf("the recordings have %q", secret)
		}
	}
}

// castOutput returns all the output in a recording.
func castOutput(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	r, err := cast.NewReader(file)
	if err != nil {
		t.Fatal(name, err)
	}
	var shown strings.Builder
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return shown.String()
		}
		if err != nil {
			t.Fatal(name, err)
		}
		if e.Kind == cast.Output {
			shown.WriteString(e.Data)
		}
	}
}

// noSecretOnDisk checks that none of the server's files contains a secret. The files include the audit log, the
// journal, the views and the tasks.
func (v *servedConsole) noSecretOnDisk(t *testing.T) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(v.c.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		for _, secret := range []string{canarySecret, canaryWatched} {
			for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
				if strings.Contains(string(data), form) {
					t.Errorf("%s has %q", path, form)
				}
			}
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files were read: %v", files, err)
	}
}

// TestServeKilled kills the server during a deployment, and checks that the next server resumes it for the same user.
func TestServeKilled(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		v := served(t, s, "nobody")
		node, _, _ := redfishNode(t, s, "ok")
		v.as("ben", 0, "manage", node, "--wait", "--timeout", "3m")
		v.as("ben", 0, "provide", node, "--wait", "--timeout", "3m")
		deploy := v.command("anna", "127.0.0.1", "deploy", node, "--yes", "--wait", "--user-data", "-", "--root-device", `'{"serial": "x"}'`, "--override", "inventory", "--confirm", node)
		deploy.Stdin = strings.NewReader(hostButane)
		if err := deploy.Start(); err != nil {
			t.Fatal(err)
		}
		v.eventually("the deployment runs", func() bool {
			state, _ := apiNode(t, s, node)["provision_state"].(string)
			return strings.HasPrefix(state, "deploy") || state == "wait call-back"
		})
		_ = v.running.cmd.Process.Kill()
		_ = v.running.cmd.Wait()
		_ = deploy.Wait()
		if code := deploy.ProcessState.ExitCode(); code != 255 {
			t.Errorf("the client ended with %d", code)
		}
		v.start("127.0.0.1:" + v.port)
		v.running.says("resumed the deployments of 1 node (anna)")
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		if err := ironic.Poll(ctx, 200*time.Millisecond, func(context.Context) (bool, error) {
			state := apiNode(t, s, node)["provision_state"]
			return state == "active" || state == "deploy failed", nil
		}); err != nil {
			t.Errorf("the node is %v", apiNode(t, s, node)["provision_state"])
		}
	})
}

// TestServeKilledRecording covers the recording of a killed server. When the next server starts, the audit log must
// report that the recording has ended, but only once. It must not report this while another server still writes the
// recording.
func TestServeKilledRecording(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		records := t.TempDir()
		v := served(t, s, "nobody", "--record", records)
		v.screen("anna")
		first, port := v.running, v.port
		v.start("127.0.0.1:0") // with the same files
		const incomplete = "is incomplete: the server was killed"
		if said := v.running.stderr.String(); strings.Contains(said, incomplete) {
			t.Errorf("a running recording was ended: %s", said)
		}
		results := func() (of []any) {
			for _, line := range v.c.auditLines() {
				if line["verb"] == "record the terminal" {
					of = append(of, line["result"])
				}
			}
			return of
		}
		_ = first.cmd.Process.Kill()
		_ = first.cmd.Wait()
		for _, said := range []bool{true, false} {
			v.start("127.0.0.1:" + port)
			if strings.Contains(v.running.stderr.String(), incomplete) != said || !slices.Equal(results(), []any{"sending", "unknown"}) {
				t.Errorf("%v, want %v said: %s", results(), said, v.running.stderr.String())
			}
			_ = v.running.cmd.Process.Kill()
			_ = v.running.cmd.Wait()
		}
	})
}
