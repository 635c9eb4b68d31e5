package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/cast"
	"ironworks/cmd/cli"
	"ironworks/provision"
	"ironworks/sshserver"
	"ironworks/sshserver/access"
	"ironworks/ui/screen"
)

// TestFullDiskSendsNothing checks what happens if the audit log is on a full disk: requests are not sent, the user
// sees the reason, and the server works again once there is space.
func TestFullDiskSendsNothing(t *testing.T) {
	t.Parallel()
	r := newServedRig(t)
	path := r.server.app.Files.Audit
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"clean n1 --step deploy.x --yes", "power on n1", "maintenance on n1", "set n1 extra.a=1", "port create n1 52:54:00:aa:bb:01"} {
		stdout, stderr, code := r.runs(access.Operator, "", strings.Fields(command)...)
		if sent := r.ironic.drain(); code == cli.ExitOK || !strings.Contains(stdout+stderr, "no space left on device") || len(sent) > 0 {
			t.Errorf("%s: %d, %q %q, sent %q", command, code, stdout, stderr, sent)
		}
	}
	if _, stderr, code := r.runs(access.Operator, "", "node", "n1"); code != cli.ExitOK {
		t.Errorf("reading: %d, %q", code, stderr)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := r.runs(access.Operator, "", "maintenance", "on", "n1"); code != cli.ExitOK || len(r.ironic.drain()) != 1 {
		t.Errorf("with space again: %d, %q", code, stderr)
	}
}

// TestFullDiskForTasks checks the message for a task whose file cannot be written. Such a task runs, but cannot be
// resumed after a restart.
func TestFullDiskForTasks(t *testing.T) {
	t.Parallel()
	var said []string
	files := taskFiles{dir: filepath.Join("/dev/full", "tasks"), printMessage: func(format string, args ...any) { said = append(said, format) }}
	one := &screen.Task{Number: 1, Began: time.Now(), Form: &screen.TaskForm{Action: "manage"}, Plan: provision.Batch{}}
	files.Began(one)
	files.Ended(one)
	if len(said) == 0 || !strings.Contains(said[0], "cannot be resumed after a restart") {
		t.Errorf("said %q", said)
	}
}

// TestConsoleThatCannotBeRecorded checks that a console does not start if it cannot be recorded, and that the next
// console tries to record again.
func TestConsoleThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	r := newServedRig(t)
	r.server.recordings = filepath.Join(t.TempDir(), "gone")
	one := &sshserver.Session{Login: access.Login{User: access.User{Name: "anna", Role: access.Admin}}, Env: []string{"TERM=xterm-256color"}, In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
	if err := r.server.console(t.Context(), one); err == nil || !strings.Contains(err.Error(), "this session cannot be recorded: ") {
		t.Errorf("without the folder: %v", err)
	}
	if err := os.Mkdir(r.server.recordings, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = r.server.console(ctx, one)
	if files, err := filepath.Glob(filepath.Join(r.server.recordings, "*.cast")); err != nil || len(files) != 1 {
		t.Errorf("recordings: %q, %v", files, err)
	}
}

// TestRecordingThatFails checks that the failure of a recording is reported immediately, both on stderr and in the
// audit log, rather than at the end of the session.
func TestRecordingThatFails(t *testing.T) {
	t.Parallel()
	r := newServedRig(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "anna-2.cast"), nil, 0o600); err != nil { // the second part cannot begin
		t.Fatal(err)
	}
	recording, err := cast.Record(filepath.Join(folder, "anna.cast"), cast.Header{Version: 2, Width: 80, Height: 24}, 10)
	if err != nil {
		t.Fatal(err)
	}
	var finished []error
	end := r.server.endsOf(recording, "anna.cast", func(err error) { finished = append(finished, err) })
	for range 2 {
		_, _ = recording.Write([]byte("picture"))
		if len(finished) != 1 || !errors.Is(finished[0], os.ErrExist) || strings.Count(r.stderr.String(), "recording anna.cast is incomplete: ") != 1 {
			t.Fatalf("finished with %v, and said %q", finished, r.stderr)
		}
	}
	if end(); len(finished) != 1 || strings.Count(r.stderr.String(), "incomplete") != 1 {
		t.Errorf("finished with %v, and said %q", finished, r.stderr)
	}
}

// TestLongStandardInput checks that standard input above the size limit is refused rather than truncated.
func TestLongStandardInput(t *testing.T) {
	t.Parallel()
	r := newServedRig(t)
	if _, stderr, code := r.runs(access.Operator, strings.Repeat("#", cli.InputMost+1), "enroll", "-f", "-", "--yes"); code == cli.ExitOK || !strings.Contains(stderr, "more than 64 MiB") {
		t.Errorf("%d, %q", code, stderr)
	}
}
