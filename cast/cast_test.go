package cast_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ironworks/cast"
)

// written returns a recording of some output in the given version of the format.
func written(t *testing.T, version int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := cast.NewWriter(&out, cast.Header{Version: version, Width: 80, Height: 24, Began: time.Now(), Term: "xterm", Title: "prod"})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{
		func() error { _, err := io.WriteString(w, "a\x1b[1mb\xe2\x97"); return err },
		func() error { _, err := io.WriteString(w, "\x8f ok\xff"); return err },
		func() error { return w.Resize(80, 24) },
		func() error { return w.Resize(100, 30) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		<-time.After(1500 * time.Millisecond)
	}
	return out.Bytes()
}

func TestRecordingIsReadAsWritten(t *testing.T) {
	for _, version := range []int{2, 3} {
		synctest.Test(t, func(t *testing.T) {
			data := written(t, version)
			if !cast.IsRecording(data) {
				t.Error("not recognized")
			}
			r, err := cast.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if h := r.Header; h.Version != version || h.Width != 80 || h.Height != 24 || h.Term != "xterm" || h.Title != "prod" {
				t.Errorf("%+v", h)
			}
			want := []cast.Event{
				{At: 0, Kind: cast.Output, Data: "a\x1b[1mb"},
				{At: 1500 * time.Millisecond, Kind: cast.Output, Data: "● ok\ufffd"},
				{At: 4500 * time.Millisecond, Kind: cast.Resize, Data: "100x30"},
			}
			var got []cast.Event
			for {
				e, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d: %q", version, got)
			}
		})
	}
}

func TestInvalidRecordings(t *testing.T) {
	const head = `{"version":2,"width":80,"height":24}` + "\n"
	for name, tt := range map[string]struct{ text, want string }{
		"empty":          {"", "not an asciicast"},
		"version 1":      {`{"version":1,"width":80,"height":24,"stdout":[]}`, "not an asciicast"},
		"no JSON":        {"hello", "not an asciicast"},
		"no size":        {`{"version":3}`, "line 1: a terminal of 0×0 cells"},
		"huge":           {`{"version":2,"width":100000,"height":24}`, "line 1: a terminal of 100000×24 cells"},
		"not a list":     {head + `{}` + "\n" + `[1,"o","x"]`, "line 2"},
		"negative time":  {head + `[-1,"o","x"]` + "\n" + `[1,"o","x"]`, "line 2: time -1"},
		"too few fields": {head + `[1,"o"]` + "\n" + `[1,"o","x"]`, "line 2: want [TIME, TYPE, DATA]"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := cast.NewReader(strings.NewReader(tt.text))
			for err == nil {
				_, err = r.Next()
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
	r, err := cast.NewReader(strings.NewReader(head + `[0.1,"o","x"]` + "\n" + `[0.2,"o","cut o`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Error(err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("a recording that was cut off: %v", err)
	}
}

func TestSafeOutput(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"text":               {"a○世\r\n\t", "a○世\r\n\t"},
		"styles":             {"\x1b[1;38;5;9mx\x1b[m\x1b[38:2::1:2:3m", "\x1b[1;38;5;9mx\x1b[m\x1b[38:2::1:2:3m"},
		"movements":          {"\x1b[2;3Hx\x1b[2K\x1b[1A\x1b[4;9r", "\x1b[2;3Hx\x1b[2K\x1b[1A\x1b[4;9r"},
		"full screen":        {"\x1b[?1049h\x1b[?25l\x1b[?2026h", "\x1b[?1049h\x1b[?25l\x1b[?2026h"},
		"clipboard":          {"a\x1b]52;c;ZXZpbA==\x07b", "ab"},
		"title":              {"a\x1b]0;evil\x1b\\b", "ab"},
		"link":               {"\x1b]8;;http://evil\x07x\x1b]8;;\x07", "x"},
		"device attributes":  {"\x1b[c\x1b[>c\x1b[5n\x1b[6n\x1b[?2026$p", ""},
		"window operations":  {"\x1b[21t\x1b[8;50;200t", ""},
		"DCS":                {"\x1bP+q544e\x1b\\x", "x"},
		"APC":                {"\x1b_Gi=1\x1b\\x", "x"},
		"mouse and paste":    {"\x1b[?1002h\x1b[?1006h\x1b[?2004h", ""},
		"mixed modes":        {"\x1b[?25;1002h", ""},
		"bell, enquiry, NUL": {"\x07\x05\x00", ""},
		"8-bit controls":     {"\u009b31mx", "31mx"},
		"printer":            {"\x1b[5i\x1b[4i", ""},
		"reset":              {"\x1bc", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cast.NewSafe().Filter(tt.in); got != tt.want {
				t.Errorf("%q, not %q", got, tt.want)
			}
			safe, got := cast.NewSafe(), ""
			for i := range len(tt.in) {
				got += safe.Filter(tt.in[i : i+1])
			}
			if got != tt.want {
				t.Errorf("byte by byte: %q, not %q", got, tt.want)
			}
		})
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("a\x1b]52;c;x\x07\x1b[1m\x1b[?1049h")
	f.Add("\x1b[6n\x1bP$q\x1b\\\u009b5n")
	f.Fuzz(func(t *testing.T, text string) {
		got := cast.NewSafe().Filter(text)
		for _, never := range []string{"\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1bc", "\x07", "\x05", "\u009b", "\u009d"} {
			if strings.Contains(got, never) {
				t.Errorf("%q lets %q through: %q", text, never, got)
			}
		}
		if again := cast.NewSafe().Filter(got); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"version":2,"width":80,"height":24}` + "\n" + `[0.5,"o","x"]`))
	f.Add([]byte(`{"version":3,"term":{"cols":80,"rows":24}}` + "\n# a comment\n" + `[0.5,"r","90x20"]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := cast.NewReader(bytes.NewReader(data))
		was := time.Duration(0)
		for err == nil {
			var e cast.Event
			if e, err = r.Next(); err == nil && e.At < was {
				t.Errorf("the time goes back: %s after %s", e.At, was)
			} else if err == nil {
				was = e.At
			}
		}
	})
}

func TestPlay(t *testing.T) {
	recording := `{"version":2,"width":80,"height":24}` + "\n" + `[1,"o","one "]` + "\n" + `[2,"r","90x20"]` + "\n" + `[61,"o","two"]` + "\n"
	for name, tt := range map[string]struct {
		playing cast.Playing
		keys    string
		at      time.Duration
		want    string
		err     error
		took    time.Duration
	}{
		"in its time":  {cast.Playing{Speed: 1}, "", 0, "one two", nil, 61 * time.Second},
		"faster":       {cast.Playing{Speed: 2}, "", 0, "one two", nil, 30500 * time.Millisecond},
		"short idle":   {cast.Playing{Speed: 1, Idle: 2 * time.Second}, "", 0, "one two", nil, 4 * time.Second},
		"quit":         {cast.Playing{Speed: 1}, "q", 10 * time.Second, "one ", cast.ErrQuit, 10 * time.Second},
		"skip":         {cast.Playing{Speed: 1}, ".", 10 * time.Second, "one two", nil, 10 * time.Second},
		"start":        {cast.Playing{Speed: 1, At: 50 * time.Second}, "", 0, "one two", nil, 11 * time.Second},
		"forward":      {cast.Playing{Speed: 1}, "}", 10 * time.Second, "one two", nil, 39 * time.Second},
		"to the end":   {cast.Playing{Speed: 1}, "}}", 10 * time.Second, "one two", nil, 10 * time.Second},
		"back":         {cast.Playing{Speed: 1, At: 50 * time.Second}, "{", time.Second, "one one two", nil, 42 * time.Second},
		"past the end": {cast.Playing{Speed: 1, At: 2 * time.Minute}, "", 0, "one two", cast.ErrTooShort, 0},
		"paused":       {cast.Playing{Speed: 1, Paused: true}, " ", time.Hour, "one two", nil, time.Hour + 61*time.Second},
		"key faster":   {cast.Playing{Speed: 1}, "+", 11 * time.Second, "one two", nil, 36 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				keys := make(chan byte)
				go func() {
					<-time.After(tt.at)
					for i := range len(tt.keys) {
						keys <- tt.keys[i]
					}
					close(keys)
				}()
				again := func() (*cast.Reader, error) { return cast.NewReader(strings.NewReader(recording)) }
				r, err := again()
				if err != nil {
					t.Fatal(err)
				}
				tt.playing.Keys, tt.playing.Reopen = keys, again
				var out strings.Builder
				began := time.Now()
				if err := cast.Play(t.Context(), r, &out, tt.playing); !errors.Is(err, tt.err) {
					t.Errorf("%v", err)
				}
				text := ansi.Strip(out.String())
				if text != tt.want || time.Since(began) != tt.took {
					t.Errorf("%q after %s", text, time.Since(began))
				}
			})
		})
	}
}

func TestRecordingInParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.cast")
	old := filepath.Join(filepath.Dir(path), "old.cast")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(old, cast.FolderLimit); err != nil { // a sparse file
		t.Fatal(err)
	}
	if at := time.Now().Add(-time.Hour); os.Chtimes(old, at, at) != nil {
		t.Fatal("cannot make a file old")
	}
	parts := 0
	r, err := cast.Record(path, cast.Header{Version: 2, Width: 80, Height: 24}, 500)
	if err != nil {
		t.Fatal(err)
	}
	r.OnPart(func() { parts++ })
	for range 10 {
		_, _ = io.WriteString(r, strings.Repeat("x", 200))
		r.Resize(90, 24)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if parts != 3 {
		t.Errorf("%d more parts", parts)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("another part did not make room: %v", err)
	}
	for _, name := range []string{"anna.cast", "anna-2.cast", "anna-3.cast", "anna-4.cast"} {
		file := filepath.Join(filepath.Dir(path), name)
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() > 1200 {
			t.Errorf("%s: %v %v", name, info, err)
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil || !cast.IsRecording(data) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := cast.Record(path, cast.Header{Version: 2, Width: 80, Height: 24}, 0); !errors.Is(err, os.ErrExist) {
		t.Errorf("a recording was replaced: %v", err)
	}
}

// TestPruneKeepsRunningRecordings checks that Prune keeps the first file of a recording that is still being written,
// even if it is the oldest file. Without this file, the recording would count as abandoned.
func TestPruneKeepsRunningRecordings(t *testing.T) {
	folder := t.TempDir()
	running := filepath.Join(folder, "running.cast")
	r, err := cast.Record(running, cast.Header{Version: 3, Width: 80, Height: 24}, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(running, at, at); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "ended.cast"), make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := cast.Prune(folder, 10); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if !slices.Equal(left, []string{running}) || cast.Abandoned(running) {
		t.Errorf("left: %q", left)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cast.Prune(folder, 10); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("left at the end: %q", left)
	}
}

func TestPruneRemovesTheOldest(t *testing.T) {
	folder := t.TempDir()
	for i, name := range []string{"b.cast", "a.cast", "c.cast", "other.txt"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := cast.Prune(folder, 250); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"a.cast", "c.cast", "other.txt"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q %v", names, err)
	}
}
