package agentlog

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
)

func archiveAt(at string) string { return testUUID + "_r7-n01_" + at + ".tar.gz" }

// conductorWith returns a function that acts as the SSH server of a host. The host stores the given files in a folder
// with an unusual name.
func conductorWith(files map[string]string) func(*sshServer, string, ssh.Channel) int {
	const dir = `'/var/log/it'"'"'s here'`
	return func(_ *sshServer, command string, ch ssh.Channel) int {
		if command == "ls -1 -- "+dir {
			for name := range files {
				_, _ = io.WriteString(ch, name+"\n")
			}
			return 0
		}
		for name, content := range files {
			path := `'/var/log/it'"'"'s here/` + name + `'`
			switch command {
			case "ls -1 -- " + path:
				_, _ = io.WriteString(ch, "/var/log/it's here/"+name+"\n")
				return 0
			case "cat -- " + path:
				_, _ = io.WriteString(ch, content)
				return 0
			}
		}
		_, _ = io.WriteString(ch.Stderr(), "no such command: "+command+" password="+planted+"\n")
		return 2
	}
}

// archiveOnce reads the archive at the given address once. It returns all lines and the last status.
func archiveOnce(t *testing.T, archive string, o SSHOptions) (Batch, Status) {
	t.Helper()
	b := onceOf(t, Options{Archive: archive, Once: true, Sources: []models.LogSource{models.LogArchive}, SSH: o})
	return b, b.Status[len(b.Status)-1]
}

// conductor starts an SSH server and returns options whose ssh_config accepts the server's host key.
func conductor(t *testing.T, answer func(*sshServer, string, ssh.Channel) int) (*sshServer, SSHOptions) {
	t.Helper()
	s, key := newSSHServer(t, answer)
	o := s.listen(t, key)
	o.Config = filepath.Join(o.Home, "config")
	putText(t, o.Config, fmt.Sprintf("Host *\n  StrictHostKeyChecking accept-new\n  Port %d\n", s.port))
	return s, o
}

func TestArchiveOverSSH(t *testing.T) {
	t.Parallel()
	text := func(line string) string { return string(tarball(t, member{name: "journal", text: line})) }
	files := map[string]string{
		archiveAt("2026-11-22-12-00-00"): text("2026-11-22T12:00:00+0000 h a: old\n"),
		archiveAt("2026-11-22-13-00-00"): text("2026-11-22T13:00:00+0000 h a: one\n2026-11-22T13:00:01+0000 h a: two\n"),
		"readme":                         "x",
	}
	s, full := conductor(t, conductorWith(files))
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		archive string
		lines   []string
		state   State
		why     string
	}{
		"the newest of a folder": {"ssh://core@127.0.0.1/var/log/it's here", []string{"2026-11-22T13:00:00 a 6 one", "2026-11-22T13:00:01 a 6 two"}, StateEnded, archiveAt("2026-11-22-13-00-00") + " was read"},
		"a file":                 {fmt.Sprintf("ssh://core@127.0.0.1:%d/var/log/it's here/%s", s.port, archiveAt("2026-11-22-12-00-00")), []string{"2026-11-22T12:00:00 a 6 old"}, StateEnded, ""},
		"no such file":           {"ssh://core@127.0.0.1/nowhere", []string{}, StateFailed, "cannot read the archive: no such command: ls -1 -- /nowhere password=******"},
		"an odd host":            {"ssh://-x/nowhere", []string{}, StateFailed, "the archive's address: "},
		"no such host":           {"ssh://core@127.0.0.1:1/x", []string{}, StateFailed, "SSH connection refused"},
		"the local user":         {"ssh://127.0.0.1/x", []string{}, StateFailed, me.Username + "@127.0.0.1"},
		"another user":           {"ssh://root@127.0.0.1/x", []string{}, StateFailed, "root@127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, last := archiveOnce(t, tt.archive, full)
			if got := shortLines(b.Lines); !slices.Equal(got, tt.lines) {
				t.Errorf("lines %q, want %q", got, tt.lines)
			}
			if last.State != tt.state || !strings.Contains(last.Reason, tt.why) {
				t.Errorf("%+v", last)
			}
		})
	}
	empty, none := conductor(t, conductorWith(map[string]string{"readme": "x"}))
	if _, last := archiveOnce(t, "ssh://core@127.0.0.1/var/log/it's here", none); last.State != StateEnded || last.Reason != "no archived logs of this node" {
		t.Errorf("nothing of the node: %+v", last)
	}
	if len(empty.asked()) != 1 {
		t.Errorf("commands %q", empty.asked())
	}
}

// TestRemoteFileWithoutYear checks that lines without a year are delivered even if the file's name has no time.
func TestRemoteFileWithoutYear(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	_, o := conductor(t, conductorWith(map[string]string{"journal.txt": now.Format("Jan _2 15:04:05") + " h a: short\n"}))
	b, _ := archiveOnce(t, "ssh://core@127.0.0.1/var/log/it's here/journal.txt", o)
	if got, want := shortLines(b.Lines), []string{now.Format("2006-01-02T15:04:05") + " a 6 short"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
}

// TestIncompleteArchiveIsFetchedAgain checks that an archive counts as read only if its transfer was complete.
func TestIncompleteArchiveIsFetchedAgain(t *testing.T) {
	t.Parallel()
	content := tarball(t, member{name: "journal", text: "2026-11-22T12:00:00+0000 h a: one\n"})
	const single = "/x.tar.gz"
	for name, tt := range map[string]struct {
		cat   func(*sshServer, string, ssh.Channel) int
		state State
		why   string
	}{
		"no permission":    {saying("cat: x: Permission denied\n", 1), StateFailed, "cannot read the archive: cat: x: Permission denied"},
		"the session ends": {saying("", -1), StateFailed, "connection lost"},
		"cut off, and the session ends": {func(_ *sshServer, _ string, ch ssh.Channel) int {
			_, _ = ch.Write(content[:10])
			return -1
		}, StateFailed, "connection lost"},
		"cut off there": {func(_ *sshServer, _ string, ch ssh.Channel) int {
			_, _ = ch.Write(content[:10])
			return 0
		}, StateEnded, "unexpected EOF"},
	} {
		for _, archive := range []string{"/folder", single} {
			t.Run(name+" "+archive, func(t *testing.T) {
				t.Parallel()
				_, o := conductor(t, func(s *sshServer, command string, ch ssh.Channel) int {
					switch command {
					case "ls -1 -- " + single:
						_, _ = io.WriteString(ch, single+"\n")
						return 0
					case "ls -1 -- /folder":
						_, _ = io.WriteString(ch, archiveAt("2026-11-22-12-00-00")+"\n")
						return 0
					}
					return tt.cat(s, command, ch)
				})
				b, last := archiveOnce(t, "ssh://core@127.0.0.1"+archive, o)
				if len(b.Lines) > 0 || last.State != tt.state || !strings.Contains(last.Reason, tt.why) || tt.state == StateFailed && strings.Contains(last.Reason, "was read") {
					t.Errorf("%d lines, %+v", len(b.Lines), last)
				}
			})
		}
	}
}

// TestEndlessListing checks that reading a folder's listing is aborted when it exceeds maxListing.
func TestEndlessListing(t *testing.T) {
	t.Parallel()
	_, o := conductor(t, func(s *sshServer, _ string, ch ssh.Channel) int {
		names := strings.Repeat(strings.Repeat("x", 1023)+"\n", 1024)
		for {
			if _, err := io.WriteString(ch, names); err != nil {
				return -1
			}
		}
	})
	_, last := archiveOnce(t, "ssh://core@127.0.0.1/folder", o)
	if last.State != StateFailed || !strings.Contains(last.Reason, "the listing of /folder is larger than 16 MiB") {
		t.Errorf("%+v", last)
	}
}

// TestLocalArchives checks that a named file is read, and that special files, invalid paths and empty folders are
// reported.
func TestLocalArchives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "any.log"), filepath.Join(dir, "secret")
	putText(t, file, "hello\n")
	if err := os.Mkdir(secret, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		archive string
		lines   int
		state   State
		why     string
	}{
		"a file":           {file, 1, StateEnded, ""},
		"a device":         {"/dev/null", 0, StateFailed, "/dev/null is neither a file nor a directory"},
		"below a file":     {filepath.Join(file, "x"), 0, StateFailed, "not a directory"},
		"an empty folder":  {secret, 0, StateEnded, "no archived logs of this node"},
		"an empty address": {"ssh://", 0, StateFailed, "has no path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, last := archiveOnce(t, tt.archive, SSHOptions{})
			if len(b.Lines) != tt.lines || last.State != tt.state || !strings.Contains(last.Reason, tt.why) {
				t.Errorf("%d lines, %+v", len(b.Lines), last)
			}
		})
	}
	for err, why := range map[error]string{os.ErrPermission: "permission denied", os.ErrNotExist: "no such file or directory"} {
		if s := archiveFault(fmt.Errorf("reading: %w", err)); s.State != StateFailed || s.Reason != why || s.Remedy == "" {
			t.Errorf("%v: %+v", err, s)
		}
	}
}

// TestNewerArchiveIsRead checks that a folder is checked repeatedly, and that only archives newer than the last one
// are read.
func TestNewerArchiveIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := func(at, text string) {
		putText(t, filepath.Join(dir, archiveAt(at)), string(tarball(t, member{name: "journal", text: text})))
	}
	synctest.Test(t, func(t *testing.T) {
		f, err := New(Options{Archive: dir, Sources: []models.LogSource{models.LogArchive}})
		if err != nil {
			t.Fatal(err)
		}
		follow := &following{T: t, batches: f.Follow(t.Context(), models.NodeRef{UUID: testUUID})}
		follow.untilWhy(StateWaiting, "no archived logs of this node")
		keep("2026-11-22-12-00-00", "2026-11-22T12:00:00+0000 h a: one\n")
		follow.untilWhy(StateWaiting, "2026-11-22-12-00-00.tar.gz was read")
		keep("2026-11-22-11-00-00", "2026-11-22T11:00:00+0000 h a: late\n")
		began := time.Now()
		<-time.After(3 * archivePause)
		keep("2026-11-22-13-00-00", "2026-11-22T13:00:00+0000 h a: two\n")
		follow.untilWhy(StateWaiting, "2026-11-22-13-00-00.tar.gz was read")
		if want := []string{"one", "two"}; !slices.Equal(follow.lines, want) || time.Since(began) > 5*archivePause {
			t.Errorf("lines %q after %v, want %q", follow.lines, time.Since(began), want)
		}
	})
}
