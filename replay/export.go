package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// Source provides the data for a recording. *journal.Journal implements it.
type Source interface {
	Pictures(ctx context.Context, uuid string, from, to time.Time) ([]models.Picture, error)
	Transitions(ctx context.Context, uuid string, since time.Time) ([]models.Event, error)
	OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error)
	Lines(ctx context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error]
}

// maxWorks limits the number of operations that a recording contains for each node.
const maxWorks = 10_000

// Export makes a recording of the nodes in Header, for the time between From and To.
type Export struct {
	Header   Header
	Source   Source
	From, To time.Time

	pictures, events, works, lines int
}

// FileName returns the default file name of a recording. It consists of the node's label and the time now.
func FileName(label string, now time.Time) string {
	name := printable.FileName(strings.TrimLeft(label, ".-"), "-_.~", '-')
	return name + "-" + now.Format("20060102-150405") + ".ironworks"
}

// WriteFile writes the recording atomically to path, as a file that only its owner can read. An existing file is
// replaced only if force is set; otherwise, the error matches [os.ErrExist]. size is in bytes.
func (x *Export) WriteFile(ctx context.Context, path string, force bool) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".ironworks-export-*") // 0600
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // renamed, or of no use
	err = x.Write(ctx, f)
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	if force {
		return info.Size(), os.Rename(f.Name(), path)
	}
	return info.Size(), os.Link(f.Name(), path)
}

// Write writes the recording to out. It returns an error if the period has no states, events and log lines.
func (x *Export) Write(ctx context.Context, out io.Writer) error {
	w, err := NewWriter(out, x.Header)
	if err != nil {
		return err
	}
	for _, n := range x.Header.Nodes {
		if err := x.node(ctx, w, n.UUID); err != nil {
			return err
		}
	}
	if x.pictures+x.events+x.lines == 0 {
		return errors.New("no records in this period; see ironworks journal info")
	}
	return w.Close()
}

func (x *Export) node(ctx context.Context, w *Writer, uuid string) error {
	pictures, err := x.Source.Pictures(ctx, uuid, x.From, x.To)
	if err != nil {
		return err
	}
	for i := range pictures {
		if p := &pictures[i]; p.At.Before(x.From) {
			p.At = x.From // the state at the start of the recording
		}
		if err := w.Picture(&pictures[i]); err != nil {
			return err
		}
		x.pictures++
	}
	events, err := x.Source.Transitions(ctx, uuid, x.From)
	if err != nil {
		return err
	}
	for i := range events {
		if events[i].Time.After(x.To) {
			break
		}
		if err := w.Event(&events[i]); err != nil {
			return err
		}
		x.events++
	}
	works, err := x.Source.OfNode(ctx, uuid, maxWorks)
	if err != nil {
		return err
	}
	for i := range works {
		if works[i].Begin.After(x.To) {
			continue
		}
		if err := w.Work(&works[i]); err != nil {
			return err
		}
		x.works++
	}
	for l, err := range x.Source.Lines(ctx, uuid, x.From, x.To) {
		if err != nil {
			return err
		}
		if err := w.Line(&l); err != nil {
			return err
		}
		x.lines++
	}
	return nil
}

// String summarizes the written records.
func (x *Export) String() string {
	return fmt.Sprintf("%s, %s, %s, %s, %s", models.Counted(len(x.Header.Nodes), "node"), models.Counted(x.pictures, "state"), models.Counted(x.events, "event"),
		models.Counted(x.works, "operation"), models.Counted(x.lines, "log line"))
}
