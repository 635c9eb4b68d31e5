package replay

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

// pastOf makes a recording usable as the source of an export.
type pastOf struct{ *Recording }

func (p pastOf) Pictures(_ context.Context, _ string, _, _ time.Time) ([]models.Picture, error) {
	return p.Recording.Pictures, nil
}

func (p pastOf) Transitions(context.Context, string, time.Time) ([]models.Event, error) {
	return p.Events, nil
}

func (p pastOf) OfNode(context.Context, string, int) ([]models.Work, error) { return p.Works, nil }

func (p pastOf) Lines(_ context.Context, _ string, _, to time.Time) iter.Seq2[models.LogLine, error] {
	return func(yield func(models.LogLine, error) bool) {
		for _, l := range p.Recording.Lines {
			if !l.Time.After(to) && !yield(l, nil) {
				return
			}
		}
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	r := aDeployment()
	whole := &Export{Header: r.Header, Source: pastOf{r}, From: began, To: after(24 * time.Hour)}
	name := FileName("../r7 n01", began)
	if want := "-r7-n01-" + began.Format("20060102-150405") + ".ironworks"; name != want {
		t.Errorf("%s, want %s", name, want)
	}
	path := filepath.Join(t.TempDir(), name)
	size, err := whole.WriteFile(t.Context(), path, false)
	if err != nil || size == 0 {
		t.Fatalf("%d bytes: %v", size, err)
	}
	if _, err := whole.WriteFile(t.Context(), path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("replaced: %v", err)
	}
	if _, err := whole.WriteFile(t.Context(), path, true); err != nil {
		t.Error(err)
	}
	var part bytes.Buffer
	first := &Export{Header: r.Header, Source: pastOf{r}, From: began, To: after(time.Second)}
	if err := first.Write(t.Context(), &part); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&part)
	if err != nil || len(got.Events) >= len(r.Events) || len(got.Pictures) != len(r.Pictures) {
		t.Errorf("%d of %d events, %d of %d pictures, %v", len(got.Events), len(r.Events), len(got.Pictures), len(r.Pictures), err)
	}
	none := &Export{Header: r.Header, Source: pastOf{&Recording{}}, To: began}
	if err := none.Write(t.Context(), &part); err == nil || !strings.Contains(err.Error(), "no records in this period") {
		t.Errorf("%v", err)
	}
}
