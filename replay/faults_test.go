package replay

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

var errDisk = errors.New("no space left on device")

// fullDisk is a writer that fails when the disk is full. room is the remaining space, in bytes.
type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

// TestWriterOnAFullDisk checks, for each kind of record, that the writer returns the disk's error.
func TestWriterOnAFullDisk(t *testing.T) {
	t.Parallel()
	l, p := line(0, "text"), picture(0, models.StateActive)
	e, w := changed(0, models.StateActive, models.StateDeleting, ""), aDeployment().Works[0]
	for name, write := range map[string]func(x *Writer) error{
		"picture": func(x *Writer) error { return x.Picture(&p) },
		"event":   func(x *Writer) error { return x.Event(&e) },
		"work":    func(x *Writer) error { return x.Work(&w) },
		"line":    func(x *Writer) error { return x.Line(&l) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, err := NewWriter(&fullDisk{}, Header{})
			for i := 0; err == nil && i < 100; i++ {
				err = write(x)
			}
			if !errors.Is(err, errDisk) || !strings.HasPrefix(err.Error(), "write the recording: ") {
				t.Errorf("error %v, want %v", err, errDisk)
			}
		})
	}
	for name, room := range map[string]int{"no room": 0, "room for the header of gzip": 10} {
		t.Run("close with "+name, func(t *testing.T) {
			t.Parallel()
			x, err := NewWriter(&fullDisk{room: room}, Header{})
			if err != nil {
				t.Fatal(err)
			}
			if err := x.Close(); !errors.Is(err, errDisk) || !strings.HasPrefix(err.Error(), "write the recording: ") {
				t.Errorf("error %v, want %v", err, errDisk)
			}
		})
	}
}

// TestErrorsAreMasked checks that secrets are masked in To and Reason, which both hold the text of an error event.
func TestErrorsAreMasked(t *testing.T) {
	t.Parallel()
	rec := &Recording{Events: []models.Event{{Time: after(0), Node: node, Kind: models.EventError, To: "password=hunter2", Reason: "password=hunter2"}}}
	got, err := Read(strings.NewReader(string(written(t, rec))))
	if err != nil {
		t.Fatal(err)
	}
	if e := got.Events[0]; e.To != "password=******" || e.Reason != "password=******" {
		t.Errorf("%+v", e)
	}
}

var errPast = errors.New("the journal is broken")

// brokenPast is a journal with one failing method.
type brokenPast struct {
	pastOf

	method string
}

func (p brokenPast) fails(method string) error {
	if p.method == method {
		return errPast
	}
	return nil
}

func (p brokenPast) Pictures(ctx context.Context, uuid string, from, to time.Time) ([]models.Picture, error) {
	all, _ := p.pastOf.Pictures(ctx, uuid, from, to)
	return all, p.fails("Pictures")
}

func (p brokenPast) Transitions(context.Context, string, time.Time) ([]models.Event, error) {
	return p.Events, p.fails("Transitions")
}

func (p brokenPast) OfNode(context.Context, string, int) ([]models.Work, error) {
	return p.Works, p.fails("OfNode")
}

func (p brokenPast) Lines(ctx context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error] {
	if err := p.fails("Lines"); err != nil {
		return func(yield func(models.LogLine, error) bool) { yield(models.LogLine{}, err) }
	}
	return p.pastOf.Lines(ctx, uuid, from, to)
}

// TestExportOfABrokenJournal checks that a failed export leaves no file behind.
func TestExportOfABrokenJournal(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"Pictures", "Transitions", "OfNode", "Lines"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			r, dir := aDeployment(), t.TempDir()
			x := &Export{Header: r.Header, Source: brokenPast{pastOf{r}, method}, From: began, To: after(time.Hour)}
			if _, err := x.WriteFile(t.Context(), filepath.Join(dir, "a.ironworks"), true); !errors.Is(err, errPast) {
				t.Errorf("error %v, want %v", err, errPast)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestExportOnAFullDisk checks that an export returns the disk's error, whichever part of the recording does not fit
// on the disk.
func TestExportOnAFullDisk(t *testing.T) {
	t.Parallel()
	many := aDeployment()
	for name, r := range map[string]*Recording{
		"header":   {Header: Header{Context: strings.Repeat("x", 1<<14)}},
		"pictures": {Header: many.Header, Pictures: repeated(many.Pictures)},
		"events":   {Header: many.Header, Events: repeated(many.Events)},
		"works":    {Header: many.Header, Works: repeated(many.Works)},
		"lines":    {Header: many.Header, Lines: repeated(many.Lines)},
		"the end":  aDeployment(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &Export{Header: r.Header, Source: pastOf{r}, From: began, To: after(time.Hour)}
			if err := x.Write(t.Context(), &fullDisk{}); !errors.Is(err, errDisk) {
				t.Errorf("error %v, want %v", err, errDisk)
			}
		})
	}
}

func repeated[T any](some []T) []T {
	var all []T
	for len(all) < 100 {
		all = append(all, some...)
	}
	return all
}

func TestExportIntoNoFolder(t *testing.T) {
	t.Parallel()
	r := aDeployment()
	x := &Export{Header: r.Header, Source: pastOf{r}, From: began, To: after(time.Hour)}
	dir := filepath.Join(t.TempDir(), "none")
	if _, err := x.WriteFile(t.Context(), filepath.Join(dir, "a.ironworks"), false); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want that %s does not exist", err, dir)
	}
}

// TestExportCounts checks that an export contains and counts the records that started before its end. A snapshot from
// before its start is moved to its start.
func TestExportCounts(t *testing.T) {
	t.Parallel()
	r := aDeployment()
	x := &Export{Header: r.Header, Source: pastOf{r}, From: after(time.Second), To: after(90 * time.Second)}
	r.Works = append(r.Works, models.Work{Node: node, Kind: models.StateCleaning, Begin: after(time.Hour)})
	path := filepath.Join(t.TempDir(), "a.ironworks")
	size, err := x.WriteFile(t.Context(), path, false)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != size || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, size %d, error %v", info, size, err)
	}
	if got, want := x.String(), "1 node, 4 states, 1 event, 2 operations, 1 log line"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	player, got, err := Open(path, 4)
	if err != nil {
		t.Fatal(err)
	}
	if first := got.Pictures[0].At; !first.Equal(x.From) {
		t.Errorf("the first picture is of %v, want %v", first, x.From)
	}
	if s := player.State(); s.Speed != 4 || !s.From.Equal(x.From) || len(got.Events) != 1 || len(got.Works) != 2 || len(got.Lines) != 1 {
		t.Errorf("%+v of %+v", s, got)
	}
}

// TestOpenRefuses checks that the errors of Open name the file.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tt := range map[string]struct {
		path string
		want error
	}{
		"no file":      {filepath.Join(dir, "none"), fs.ErrNotExist},
		"a folder":     {dir, ErrNotRecording},
		"a text":       {put("text", []byte("hello\n")), ErrNotRecording},
		"a head alone": {put("head", packed(t, head)), ErrEmpty},
		"cut short":    {put("cut", written(t, aDeployment())[:100]), io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			player, rec, err := Open(tt.path, 1)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.path) {
				t.Errorf("error %v, want %v with the path", err, tt.want)
			}
			if player != nil || rec != nil {
				t.Errorf("player %v and recording %v with an error", player, rec)
			}
		})
	}
}
