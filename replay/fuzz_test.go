package replay

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"ironworks/printable"
)

// FuzzRead checks that random input is either refused or safe to show, and that accepted input can be written and
// read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(head))
	f.Add([]byte(head + `{"line":{"node":{"uuid":"u"},"text":"a\u001b[2Jb password=hunter2","level":99}}` + "\n"))
	f.Add([]byte(head + `{"event":{"time":"2026-03-14T14:00:00Z","node":{"uuid":"u"},"kind":"provision-state","from":"active","to":"deleting"}}` + "\n"))
	f.Add([]byte(head + `{"work":{"node":{"uuid":"u"}}}` + "\n" + `{"picture":{"node":{"uuid":"u"}}}` + "\n"))
	f.Add(unpacked(f, aDeployment()))
	f.Fuzz(func(t *testing.T, text []byte) {
		small := limits{bytes: 1 << 20, line: 64 << 10, lines: 200, others: 200}
		got, err := read(bytes.NewReader(packed(t, string(text))), small)
		if err != nil {
			if got != nil || printable.Lines(err.Error()) != err.Error() {
				t.Errorf("recording %v with error %q", got, err)
			}
			return
		}
		for _, l := range got.Lines {
			if printable.Line(l.Text) != l.Text || printable.Line(l.Unit) != l.Unit {
				t.Errorf("not safe to show: %q %q", l.Unit, l.Text)
			}
		}
		for _, e := range got.Events {
			if printable.Line(e.Reason) != e.Reason || printable.Line(e.Node.Name) != e.Node.Name {
				t.Errorf("not safe to show: %+v", e)
			}
		}
		again, err := read(bytes.NewReader(written(t, got)), defaultLimits())
		if err != nil || len(again.Lines) != len(got.Lines) || len(again.Events) != len(got.Events) || len(again.Pictures) != len(got.Pictures) {
			t.Errorf("what was read cannot be written and read: %v", err)
		}
	})
}

// unpacked writes the lines and events of r as a recording, and returns its uncompressed content.
func unpacked(f *testing.F, r *Recording) []byte {
	f.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, r.Header)
	if err != nil {
		f.Fatal(err)
	}
	for i := range r.Lines {
		if err := w.Line(&r.Lines[i]); err != nil {
			f.Fatal(err)
		}
	}
	for i := range r.Events {
		if err := w.Event(&r.Events[i]); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	z, err := gzip.NewReader(strings.NewReader(b.String()))
	if err != nil {
		f.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		f.Fatal(err)
	}
	return text
}
