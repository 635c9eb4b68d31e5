package viewstate

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func opened(t *testing.T) (*File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state", "view-rack7.json")
	return Open(path), path
}

func text(s string) *string { return &s }

func TestSavedStateIsLoaded(t *testing.T) {
	t.Parallel()
	f, path := opened(t)
	if s, err := f.Load(); err != nil || !reflect.DeepEqual(s, State{}) {
		t.Fatalf("without a file: %+v, %v", s, err)
	}
	want := State{
		Sort: text("-name"), Filter: text(""), Wide: true, Marks: []string{"u2", "u1"}, Node: "u1", Tab: "log",
		Entered: map[string][]string{"reason": {"broken fan", "new disk"}},
	}
	if err := f.Save(1, want); err != nil {
		t.Fatal(err)
	}
	if got, err := Open(path).Load(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): os.ModeDir | 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, mode)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("files: %v", left)
	}
}

func TestOlderStateDoesNotReplaceANewerOne(t *testing.T) {
	t.Parallel()
	f, _ := opened(t)
	for _, number := range []int{2, 1, 2, 3, 2} {
		if err := f.Save(number, State{Node: fmt.Sprint(number)}); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := f.Load(); err != nil || s.Node != "3" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestUnusableFilesAreIgnored(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		make func(path string) error
		want string
	}{
		"empty":         {write(""), "unexpected end"},
		"cut":           {write(`{"sort":"na`), "unexpected end"},
		"another type":  {write(`["sort"]`), "cannot unmarshal array"},
		"another field": {write(`{"marks":"all"}`), "cannot unmarshal string"},
		"trailing":      {write(`{} {}`), "invalid character"},
		"nested":        {write(strings.Repeat("[", 100_000)), "max depth"},
		"escape":        {write(`{"filter":"\u001b]52;c;eA==\u0007"}`), "unprintable text"},
		"escape mark":   {write(`{"marks":["u1","\u009b2J"]}`), "unprintable text"},
		"huge":          {func(path string) error { return os.WriteFile(path, make([]byte, maxSize+1), 0o600) }, "at most"},
		"folder":        {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"pipe":          {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "view.json")
			if err := test.make(path); err != nil {
				t.Fatal(err)
			}
			s, err := Open(path).Load()
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path+" ignored") {
				t.Errorf("%v, want %q", err, test.want)
			}
			if !reflect.DeepEqual(s, State{}) {
				t.Errorf("%+v", s)
			}
		})
	}
}

func write(data string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(data), 0o600) }
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "view.json")
	if err := write(`{"wide":true,"layout":{"of":["a","later"]},"marks":null}`)(path); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(path).Load(); err != nil || !reflect.DeepEqual(s, State{Wide: true}) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWriteErrorsAreReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "view.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := write("")(filepath.Join(dir, "file")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "view.json"), filepath.Join(dir, "file", "view.json"), filepath.Join(dir, strings.Repeat("x", 300))} {
		if err := Open(path).Save(1, State{}); err == nil || !strings.HasPrefix(err.Error(), "view not saved: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("files: %v", left)
	}
}

func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	f, _ := opened(t)
	var s State
	for i := range maxMarks + 10 {
		s.Marks = append(s.Marks, fmt.Sprintf("%08d-0000-4000-8000-000000000000", i))
	}
	if err := f.Save(1, s); err != nil {
		t.Fatal(err)
	}
	got, err := f.Load()
	if err != nil || len(got.Marks) != maxMarks || got.Marks[0] != s.Marks[10] || len(s.Marks) != maxMarks+10 {
		t.Errorf("%d marks, %v", len(got.Marks), err)
	}
}

// TestSeveralWriters checks that a reader sees one of the written states, never a mixture.
func TestSeveralWriters(t *testing.T) {
	t.Parallel()
	_, path := opened(t)
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			f := Open(path)
			for i := range 50 {
				if err := f.Save(i+1, State{Node: fmt.Sprint(w), Marks: strings.Split(strings.Repeat(fmt.Sprint(w), 500), "")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		s, err := Open(path).Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range s.Marks {
			if m != s.Node {
				t.Fatalf("marks of %s in the state of %s", m, s.Node)
			}
		}
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	f, _ := opened(t)
	if err := f.Reset(); err != nil {
		t.Error(err)
	}
	if err := f.Save(1, State{Wide: true}); err != nil {
		t.Fatal(err)
	}
	if err := f.Reset(); err != nil {
		t.Error(err)
	}
	if s, err := f.Load(); err != nil || s.Wide {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestNoFile(t *testing.T) {
	t.Parallel()
	f := Open("")
	if err := f.Reset(); err != nil {
		t.Error(err)
	}
	if err := f.Save(1, State{Wide: true}); err != nil {
		t.Error(err)
	}
	if s, err := f.Load(); err != nil || s.Wide {
		t.Errorf("%+v, %v", s, err)
	}
}
