package agentlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"ironworks/models"
	"ironworks/printable"
)

// archivePause is the interval at which the folder is checked for a newer archive.
const archivePause = 10 * time.Second

type archiveSource struct {
	*sourceOutput
	done string // the name of the last archive that was read
}

// follow checks for new archives repeatedly, because a conductor stores a log whenever an operation ends.
func (s *archiveSource) follow(ctx context.Context) {
	for {
		status, over := s.readNewest(ctx)
		if ctx.Err() != nil {
			return
		}
		status.Address = models.MaskURL(s.follower.options.Archive)
		once := s.follower.options.Once
		switch {
		case once && status.State == StateConnecting:
			status.State = StateFailed
		case once && status.State != StateFailed:
			status.State = StateEnded
		}
		s.status(ctx, status)
		if over || once || !wait(ctx, archivePause) {
			return
		}
	}
}

// readNewest reads the newest archive, unless it was read before. If over is true, no further archive will follow.
func (s *archiveSource) readNewest(ctx context.Context) (status Status, over bool) {
	archive := s.follower.options.Archive
	var opened *openArchive
	var err error
	if remote, ok := strings.CutPrefix(archive, "ssh://"); ok {
		opened, err = newestRemote(ctx, s.follower.options.SSH, remote, s.follower.node, s.done)
	} else {
		opened, err = newestLocal(archive, s.follower.node, s.done)
	}
	switch {
	case errors.Is(err, errNoArchive):
		return Status{
			State: StateWaiting, Reason: "no archived logs of this node",
			Remedy: "conductors archive the logs of failed operations only; set [agent]deploy_logs_collect = always to archive all logs",
		}, false
	case err != nil:
		return archiveFault(err), false
	case opened == nil:
		return Status{State: StateWaiting, Reason: s.done + " was read"}, false
	}
	defer func() { _ = opened.content.Close() }()
	lines, notes, err := archiveLines(opened.content, opened.name, opened.storedAt, s.follower.node, time.Now)
	if broken, ok := errors.AsType[*fetchError](err); ok && len(lines) == 0 {
		return archiveFault(broken.err), false // once lines have been delivered, a retry would repeat them
	}
	if err != nil {
		notes = append(notes, truncate(printable.Line(err.Error()), 300))
	}
	for len(lines) > 0 {
		n := min(len(lines), 512)
		if !s.lines(ctx, lines[:n]) {
			return Status{}, true
		}
		lines = lines[n:]
	}
	s.done = opened.name
	if opened.single {
		return Status{State: StateEnded, Reason: strings.Join(notes, "; ")}, true
	}
	notes = append([]string{s.done + " was read"}, notes...)
	return Status{State: StateWaiting, Reason: strings.Join(notes, "; ")}, false
}

func archiveFault(err error) Status {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Status{State: StateFailed, Reason: "no such file or directory", Remedy: "set the context's logs.archive to a conductor's [agent]deploy_logs_local_path"}
	case errors.Is(err, fs.ErrPermission):
		return Status{State: StateFailed, Reason: "permission denied", Remedy: "give this user read access to the conductor's files"}
	}
	if command, ok := errors.AsType[*commandError](err); ok {
		var m masker
		return Status{State: StateFailed, Reason: "cannot read the archive: " + truncate(m.line(strings.TrimSpace(command.stderr)), 300), Remedy: "give the SSH user read access to the conductor's files"}
	}
	return faultStatus(err)
}

// fetchError reports that the transfer of an archive from another host was incomplete.
type fetchError struct{ err error }

func (e *fetchError) Error() string { return e.err.Error() }
func (e *fetchError) Unwrap() error { return e.err }

var errNoArchive = errors.New("no archived logs of this node")

type openArchive struct {
	name     string
	storedAt time.Time
	single   bool // whether the operator named a single file
	content  io.ReadCloser
}

// newestLocal opens the newest archive of the node in a local folder, or a single file. It returns nil for done.
func newestLocal(path string, node models.NodeRef, done string) (*openArchive, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	single := !info.IsDir()
	if !single {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("reading the archive: %w", err)
		}
		names := make([]string, 0, len(entries))
		for _, e := range entries {
			if e.Type().IsRegular() {
				names = append(names, e.Name())
			}
		}
		name := newestArchive(names, node)
		switch name {
		case "":
			return nil, errNoArchive
		case done:
			return nil, nil //nolint:nilnil // nothing newer than done
		}
		path = filepath.Join(path, name)
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading the archive: %s is neither a file nor a directory", path)
	}
	f, err := os.Open(path) //nolint:gosec // the user names it
	if err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	o := &openArchive{name: filepath.Base(path), single: single, content: f, storedAt: info.ModTime()}
	if _, at, ok := parseArchiveName(path); ok {
		o.storedAt = at
	}
	return o, nil
}

// newestRemote is like newestLocal, but for another host. The address has the form [user@]host[:port]/path. It
// connects as ssh would, and ignores the settings for ramdisks, because a conductor's host key does not change.
func newestRemote(ctx context.Context, o SSHOptions, address string, node models.NodeRef, done string) (*openArchive, error) {
	hostPart, where, found := strings.Cut(address, "/")
	if !found {
		return nil, errors.New("the archive's address has no path: use ssh://HOST/PATH")
	}
	where = "/" + where
	login, host, port, err := splitHost(hostPart)
	if err != nil {
		return nil, fmt.Errorf("the archive's address: %w", err)
	}
	o.User, o.Port, o.HostKeys, o.Jump = login, port, nil, ""
	conn, err := dialSSH(ctx, &o, models.NodeRef{}, host, false)
	if err != nil {
		return nil, err
	}
	name, single, err := findRemote(ctx, conn, where, node)
	if err != nil || name == done && !single {
		conn.close()
		return nil, err
	}
	file := where
	if !single {
		file = path.Join(where, name)
	}
	opened := &openArchive{name: name, single: single, content: readRemote(ctx, conn, "cat -- "+shellescape.Quote(file))}
	_, opened.storedAt, _ = parseArchiveName(name)
	return opened, nil
}

// maxListing is the maximum size of the output of ls, in bytes: about 180 000 archives.
const maxListing = 16 << 20

// findRemote lists the folder at the given path and returns the name of the node's newest archive. The single result
// reports whether the path names a file instead of a folder.
func findRemote(ctx context.Context, conn *sshConn, where string, node models.NodeRef) (name string, single bool, err error) {
	var names []string
	// If the path names a file, ls prints it unchanged.
	err = conn.run(ctx, "ls -1 -- "+shellescape.Quote(where), nil, func(stdout io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(stdout, maxListing+1))
		if err == nil && len(text) > maxListing {
			return fmt.Errorf("the listing of %s is larger than %d MiB: use a directory with fewer files, or one file", printable.Line(where), maxListing>>20)
		}
		names = strings.Split(strings.TrimSpace(string(text)), "\n")
		return err
	})
	if err != nil {
		return "", false, err
	}
	if len(names) == 1 && names[0] == where {
		return path.Base(where), true, nil
	}
	if name = newestArchive(names, node); name == "" {
		return "", false, errNoArchive
	}
	return path.Base(name), false, nil
}

// readRemote returns the output of a command; closing the reader ends the command and the connection.
func readRemote(ctx context.Context, conn *sshConn, command string) io.ReadCloser {
	r, w := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := conn.run(ctx, command, nil, func(stdout io.Reader) error {
			_, err := io.Copy(w, stdout)
			return err
		})
		if err != nil {
			err = &fetchError{err}
		}
		_ = w.CloseWithError(err)
	}()
	return &remoteFile{PipeReader: r, close: func() { conn.close(); <-ended }}
}

type remoteFile struct {
	*io.PipeReader
	close func()
}

// Close stops reading and closes the connection.
func (f *remoteFile) Close() error {
	err := f.PipeReader.Close()
	f.close()
	return err
}

// archiveName matches the names of a conductor's log archives:
// UUID[_NAME][_INSTANCE][_cleaning|_inspect]_2026-11-22-13-00-00.tar.gz.
var archiveName = regexp.MustCompile(`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})(?:_.*)?_(\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)\.tar\.gz$`)

// parseArchiveName returns the node's UUID, in lower case, and when the conductor stored the archive, by its own clock.
func parseArchiveName(name string) (node string, at time.Time, ok bool) {
	m := archiveName.FindStringSubmatch(path.Base(name))
	if m == nil {
		return "", at, false
	}
	at, err := time.Parse("2006-01-02-15-04-05", m[2])
	return strings.ToLower(m[1]), at, err == nil
}

// newestArchive returns the name of the node's newest archive among names, or "" if there is none.
func newestArchive(names []string, node models.NodeRef) string {
	newest, at := "", time.Time{}
	for _, name := range names {
		of, stored, ok := parseArchiveName(name)
		if ok && of == strings.ToLower(node.UUID) && (newest == "" || stored.After(at) || stored.Equal(at) && name > newest) {
			newest, at = name, stored
		}
	}
	return newest
}
