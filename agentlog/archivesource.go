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
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"ironworks/models"
)

// archivePause is how long is waited before the folder is looked at again.
const archivePause = 10 * time.Second

// archiveSource gives the newest of what was kept of a node, and again when there is a
// newer one.
type archiveSource struct {
	joint *joint
	out   *outlet
	done  string // the archive that was read
}

// follow looks again and again: a conductor keeps a log when the work is over.
func (s *archiveSource) follow(ctx context.Context) {
	for {
		status, over := s.look(ctx)
		if ctx.Err() != nil {
			return
		}
		if s.joint.options.Once && status.State != StateFailed {
			status.State, over = StateEnded, true
		}
		s.out.status(ctx, status)
		if over || s.joint.options.Once {
			return
		}
		if !wait(ctx, archivePause) {
			return
		}
	}
}

// look reads the newest archive unless it was read; over says that no other will come.
func (s *archiveSource) look(ctx context.Context) (status Status, over bool) {
	place := s.place()
	address := models.Printable(models.MaskURL(s.joint.options.Archive))
	opened, err := place.newest(ctx, s.joint.node, s.done)
	var none *noArchiveError
	switch {
	case errors.As(err, &none):
		return Status{
			State: StateWaiting, Address: address, Why: "nothing of this node was kept there",
			WayOut: "a conductor keeps a log when a work fails, or always with [agent]deploy_logs_collect = always",
		}, false
	case err != nil:
		status, _ := archiveFault(err)
		status.Address = address
		return status, false
	case opened == nil:
		return Status{State: StateWaiting, Address: address, Why: s.done + " was read", WayOut: ""}, false
	}
	defer func() { _ = opened.content.Close() }()
	lines, notes, err := archiveLines(opened.content, opened.name, opened.kept, s.joint.node, s.joint.options.Now)
	if closeErr := opened.content.Close(); err == nil && closeErr != nil && len(lines) == 0 {
		err = closeErr
	}
	if err != nil {
		notes = append(notes, short(models.Printable(err.Error()), 300))
	}
	for len(lines) > 0 {
		n := min(len(lines), 512)
		if !s.out.lines(ctx, lines[:n]) {
			return Status{}, true
		}
		lines = lines[n:]
	}
	s.done = opened.name
	if opened.single {
		return Status{State: StateEnded, Address: address, Why: strings.Join(notes, "; ")}, true
	}
	notes = append([]string{s.done + " was read"}, notes...)
	return Status{State: StateWaiting, Address: address, Why: strings.Join(notes, "; ")}, false
}

func archiveFault(err error) (Status, bool) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Status{State: StateFailed, Why: "there is no such folder or file", WayOut: "logs.archive of the context names it: a conductor's [agent]deploy_logs_local_path"}, true
	case errors.Is(err, fs.ErrPermission):
		return Status{State: StateFailed, Why: "it may not be read", WayOut: "let this user read it: the conductor's files are its own"}, true
	}
	var command *commandError
	if errors.As(err, &command) {
		var m masker
		return Status{State: StateFailed, Why: "it cannot be read there: " + short(m.line(strings.TrimSpace(command.stderr)), 300), WayOut: "let the user read it: the conductor's files are its own"}, true
	}
	return faultStatus(err)
}

// noArchiveError is a folder in which there is nothing of a node.
type noArchiveError struct{}

func (*noArchiveError) Error() string { return "nothing of this node was kept" }

// opened is an archive that is read.
type opened struct {
	name    string
	kept    time.Time
	single  bool // it was named itself
	content io.ReadCloser
}

// archivePlace is where archives lie.
type archivePlace interface {
	// newest opens the newest archive of a node; nil if it is the one that was read.
	newest(ctx context.Context, node models.NodeRef, done string) (*opened, error)
}

func (s *archiveSource) place() archivePlace {
	if rest, ok := strings.CutPrefix(s.joint.options.Archive, "ssh://"); ok {
		return &remoteArchive{options: s.joint.options.SSH, rest: rest}
	}
	return localArchive(s.joint.options.Archive)
}

// localArchive is a folder or a file here.
type localArchive string

func (l localArchive) newest(_ context.Context, node models.NodeRef, done string) (*opened, error) {
	info, err := os.Stat(string(l))
	if err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	path, single := string(l), !info.IsDir()
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
		if name == "" {
			return nil, &noArchiveError{}
		}
		if name == done {
			return nil, nil //nolint:nilnil // there is no newer one
		}
		path = filepath.Join(path, name)
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading the archive: %s is no file and no folder", path)
	}
	f, err := os.Open(path) //nolint:gosec // the user names it
	if err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	o := &opened{name: filepath.Base(path), single: single, content: f, kept: info.ModTime()}
	if a, ok := ParseArchiveName(path); ok {
		o.kept = a.Time
	}
	return o, nil
}

// remoteArchive is a folder or a file on another host: [user@]host[:port]/path.
type remoteArchive struct {
	options SSHOptions
	rest    string
}

func (r *remoteArchive) newest(ctx context.Context, node models.NodeRef, done string) (*opened, error) {
	hostPart, where, found := strings.Cut(r.rest, "/")
	if !found {
		return nil, errors.New("the archive's address has no path: ssh://HOST/PATH")
	}
	where = "/" + where
	conn, err := r.dial(ctx, hostPart)
	if err != nil {
		return nil, err
	}
	name, single, err := r.find(ctx, conn, where, node)
	if err != nil || name == done && !single {
		conn.close()
		return nil, err
	}
	file := where
	if !single {
		file = path.Join(where, name)
	}
	o := &opened{name: name, single: single, content: readRemote(ctx, conn, "cat -- "+shellescape.Quote(file))}
	if a, ok := ParseArchiveName(name); ok {
		o.kept = a.Time
	}
	return o, nil
}

// dial logs in as ssh would: a conductor's host is no ramdisk, and its host key stays.
func (r *remoteArchive) dial(ctx context.Context, hostPart string) (*sshConn, error) {
	login, host, port, err := splitHost(hostPart)
	if err != nil {
		return nil, fmt.Errorf("the archive's address: %w", err)
	}
	o := r.options
	o.User, o.Port, o.HostKeys, o.Jump = login, port, nil, ""
	return dialHost(ctx, &o, host)
}

// find lists the folder and gives the newest name; single says that it is a file.
func (r *remoteArchive) find(ctx context.Context, conn *sshConn, where string, node models.NodeRef) (name string, single bool, err error) {
	var names []string
	// For a file ls gives the path as it was asked for.
	err = conn.run(ctx, "ls -1 -- "+shellescape.Quote(where), nil, func(stdout io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(stdout, 16<<20))
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
		return "", false, &noArchiveError{}
	}
	return path.Base(name), false, nil
}

// readRemote gives what a command prints; closing it ends command and connection.
func readRemote(ctx context.Context, conn *sshConn, command string) io.ReadCloser {
	r, w := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := conn.run(ctx, command, nil, func(stdout io.Reader) error {
			_, err := io.Copy(w, stdout)
			return err
		})
		_ = w.CloseWithError(err)
	}()
	return &remoteFile{PipeReader: r, close: func() { conn.close(); <-ended }}
}

type remoteFile struct {
	*io.PipeReader
	close func()
}

// Close ends the reading.
func (f *remoteFile) Close() error {
	err := f.PipeReader.Close()
	f.close()
	return err
}
