package replay

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"ironworks/models"
)

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	want := aDeployment()
	got, err := Read(bytes.NewReader(written(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v, written\n%+v", got, want)
	}
}

const head = `{"format":"ironworks recording","version":1,"context":"x","nodes":[]}` + "\n"

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	small := limits{bytes: 4096, line: 1024, lines: 2, others: 4}
	aLine := `{"line":{"node":{"uuid":"u"},"text":"x"}}` + "\n"
	anEvent := `{"event":{"time":"2026-03-14T14:00:00Z","node":{"uuid":"u"}}}` + "\n"
	short := aDeployment()
	short.Lines, short.Pictures, short.Works = short.Lines[:1], nil, nil
	whole := written(t, short)
	tests := map[string]struct {
		data []byte
		want string
	}{
		"empty":            {nil, ErrNotRecording.Error()},
		"text":             {[]byte("hello\n"), ErrNotRecording.Error()},
		"nothing packed":   {packed(t, ""), ErrNotRecording.Error()},
		"something packed": {packed(t, `{"format":"tar"}`), ErrNotRecording.Error()},
		"newer":            {packed(t, `{"format":"ironworks recording","version":2}`), "has version 2, but this ironworks supports 1"},
		"broken line":      {packed(t, head+"{"), "line 2: damaged"},
		"cut short":        {whole[:len(whole)-20], "truncated or damaged after line"},
		"a line too long":  {packed(t, head+strings.Repeat("x", 1500)), "line 2: the recording has more than 1024 bytes in a line"},
		"too long":         {packed(t, head+strings.Repeat("\n", 5000)), "more than 4096 bytes"},
		"too many lines":   {packed(t, head+strings.Repeat(aLine, 3)), "more than 2 lines of logs"},
		"too many others":  {packed(t, head+strings.Repeat(anEvent, 5)), "more than 4 states, events"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(bytes.NewReader(tt.data), small)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestRecordingsAreNotTrusted checks that text from a recording is made safe to show, because anyone may have made
// the recording.
func TestRecordingsAreNotTrusted(t *testing.T) {
	t.Parallel()
	rec := aDeployment()
	rec.Lines = []models.LogLine{{
		Node: node, Source: "made up", Level: 99, Received: after(0), Known: "made-up",
		Text: "a\x1b[2Jb password=hunter2", Unit: "u\x1b]0;x\x07", Progress: &models.InstallProgress{Percent: 4000},
	}}
	got, err := Read(bytes.NewReader(written(t, rec)))
	if err != nil {
		t.Fatal(err)
	}
	l := got.Lines[0]
	if strings.ContainsAny(l.Text+l.Unit, "\x1b\x07") || strings.Contains(l.Text, "hunter2") || l.Level != models.LogDebug ||
		l.Known != "" || l.Progress != nil || l.Source != models.LogArchive {
		t.Errorf("%+v", l)
	}
}

func TestEmptyRecording(t *testing.T) {
	t.Parallel()
	if _, err := New(&Recording{}, 1); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v", err)
	}
}
