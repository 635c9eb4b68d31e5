package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/term"

	"ironworks/audit"
	"ironworks/cast"
	"ironworks/cmd/cli"
	"ironworks/printable"
	"ironworks/sshserver"
	"ironworks/ui"
)

// record starts recording a console's terminal to a file. The end function stops the recording.
func (a *app) record(flags *consoleFlags, to *ui.Terminal) (end func(), err error) {
	file, is := a.Stdout.(*os.File)
	if !is {
		return nil, cli.Usagef("--record: standard output is not a terminal")
	}
	width, height, err := term.GetSize(int(file.Fd())) //nolint:gosec // file descriptors are small
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	recording, err := cast.Record(flags.record, cast.Header{
		Version: flags.castVersion, Width: width, Height: height, Term: a.Options.Env("TERM"), Title: "ironworks",
	}, 0)
	if errors.Is(err, os.ErrExist) {
		return nil, cli.Usagef("--record: %s exists; give the name of a new file", flags.record)
	}
	if err != nil {
		return nil, cli.Usagef("--record: %w", err)
	}
	log := &audit.LazyFile{Path: a.Files.Audit}
	finish, err := auditRecording(log, audit.Record{Verb: verbRecord, Object: printable.Line(flags.record)})
	if err != nil {
		log.Close()
		return nil, errors.Join(err, recording.Close())
	}
	to.Record = recording
	return func() {
		err := recording.Close()
		finish(err)
		log.Close()
		if err != nil {
			a.PrintMessage("the recording is incomplete: %v", err)
		}
	}, nil
}

const verbRecord = "record the terminal"

// auditRecording writes an audit log entry for the start of a recording, and finish one for its end.
func auditRecording(log audit.Writer, rec audit.Record) (finish func(err error), err error) {
	rec.Time, rec.ID, rec.Result = time.Now().UTC(), fmt.Sprintf("%x", time.Now().UnixNano()), audit.Sending
	if err := log.Write(rec); err != nil {
		return nil, err
	}
	return func(err error) {
		rec.Time, rec.Result = time.Now().UTC(), audit.Accepted
		if err != nil {
			rec.Result, rec.Reason = audit.Unknown, printable.Line(err.Error())
		}
		_ = log.Write(rec) // best effort: the recording has ended anyway
	}, nil
}

// recordSession records a session of a served console; without a folder it records nothing.
func (s *consoleServer) recordSession(one *sshserver.Session, actor audit.Actor) (to ui.Recorder, end func(), err error) {
	if s.recordings == "" {
		return nil, func() {}, nil
	}
	if err := cast.Prune(s.recordings, cast.FolderLimit); err != nil {
		s.app.PrintMessage("%v", err)
	}
	name := fmt.Sprintf("%s-%s-%d.cast", time.Now().UTC().Format("20060102T150405Z"), printable.FileName(actor.User, "-_", '_'), one.ID)
	path := filepath.Join(s.recordings, name)
	recording, err := cast.Record(path, cast.Header{
		Version: 2, Width: one.Size.Width, Height: one.Size.Height, Title: "ironworks " + s.cfg.Current.Name + " " + actor.User,
	}, cast.PartLimit)
	if err != nil {
		return nil, nil, err
	}
	finish, err := auditRecording(s.audit, audit.Record{Context: s.cfg.Current.Name, Verb: verbRecord, Object: name, Actor: actor})
	if err != nil {
		return nil, nil, errors.Join(err, recording.Close())
	}
	return recording, s.endsOf(recording, name, finish), nil
}

// endAbandoned writes audit log entries for the ends of the recordings that a killed server left behind.
func (s *consoleServer) endAbandoned() {
	if s.recordings == "" {
		return
	}
	records, err := audit.Unfinished(s.app.Files.Audit, s.cfg.Current.Name, verbRecord)
	if err != nil {
		s.app.PrintMessage("%v", err)
	}
	for _, r := range records {
		if r.Actor == (audit.Actor{}) || !cast.Abandoned(filepath.Join(s.recordings, r.Object)) {
			continue
		}
		r.Time, r.Result, r.Reason = time.Now().UTC(), audit.Unknown, "the server was killed during this recording"
		if err := s.audit.Write(r); err != nil {
			s.app.PrintMessage("%v", err)
			return
		}
		s.app.PrintMessage("recording %s is incomplete: %s", r.Object, r.Reason)
	}
}

// endsOf returns a function that ends a recording and reports the end. The end is reported only once: in the audit
// log and, if the recording is incomplete, also on stderr. A failed recording is reported immediately, because its
// session may last for days.
func (s *consoleServer) endsOf(recording *cast.Recording, name string, finish func(err error)) (end func()) {
	var once sync.Once
	ended := func(err error) {
		once.Do(func() {
			if finish(err); err != nil {
				s.app.PrintMessage("recording %s is incomplete: %v", name, err)
			}
		})
	}
	recording.OnFailure(ended)
	return func() { ended(recording.Close()) }
}

func isCast(path string) bool {
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	start := make([]byte, 64<<10)
	n, _ := file.Read(start)
	return cast.IsRecording(start[:n])
}
