package image_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

func fileT(tb testing.TB, content []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "live.iso")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func contentT(tb testing.TB, path string) []byte {
	tb.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

func TestEditFile(t *testing.T) {
	t.Parallel()
	live := coreosinstaller.X86()
	path := fileT(t, live.Image)
	change := image.Change{Ignition: []byte(config), Kargs: image.KargsEdit{Append: []string{"console=ttyS0"}}}
	patch, err := image.EditFile(path, change)
	if err != nil || patch.Kargs != coreosinstaller.Kargs+" console=ttyS0" {
		t.Fatalf("%v, %v", patch, err)
	}
	if !bytes.Equal(contentT(t, path), editT(t, live.Image, change)) {
		t.Error("the file is another one")
	}
	if _, err := image.EditFile(path, change); !errors.Is(err, image.ErrInUse) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if _, err := image.EditFile(path, image.Change{RemoveIgnition: true, Kargs: image.KargsEdit{Reset: true}}); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(contentT(t, path), live.Image) {
		t.Error("the file is not as it was made")
	}
	before := fileT(t, coreosinstaller.Plain())
	for path, want := range map[string]error{before: image.ErrNoArea, path + "x": fs.ErrNotExist, filepath.Dir(path): nil} {
		if _, err := image.EditFile(path, change); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%v", err)
		}
	}
	if !bytes.Equal(contentT(t, before), coreosinstaller.Plain()) {
		t.Error("an image that is refused was written")
	}
}

func TestWriteTo(t *testing.T) {
	t.Parallel()
	live := coreosinstaller.X86()
	path := fileT(t, live.Image)
	change := image.Change{Ignition: []byte(config), Kargs: image.KargsEdit{Append: []string{"console=ttyS0"}}}
	var out bytes.Buffer
	patch, err := image.WriteTo(&out, path, change)
	if err != nil || patch.Kargs != coreosinstaller.Kargs+" console=ttyS0" {
		t.Fatalf("%v, %v", patch, err)
	}
	if !bytes.Equal(out.Bytes(), editT(t, live.Image, change)) {
		t.Error("what is written is another one")
	}
	if !bytes.Equal(contentT(t, path), live.Image) {
		t.Error("the image itself was written")
	}
	used := fileT(t, out.Bytes())
	out.Reset()
	if _, err := image.WriteTo(&out, used, change); !errors.Is(err, image.ErrInUse) || !strings.Contains(err.Error(), used) || out.Len() > 0 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	live := coreosinstaller.X86()
	path := fileT(t, live.Image)
	output := filepath.Join(filepath.Dir(path), "node.iso")
	change := image.Change{Ignition: []byte(config)}
	if _, err := image.WriteFile(t.Context(), path, output, change); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contentT(t, output), editT(t, live.Image, change)) || !bytes.Equal(contentT(t, path), live.Image) {
		t.Error("the files are others")
	}
	if info, err := os.Stat(output); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, taken := range []string{output, path, filepath.Dir(path)} {
		if _, err := image.WriteFile(t.Context(), path, taken, image.Change{Ignition: []byte("{}")}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v", err)
		}
	}
	if got := showT(t, contentT(t, output)); got != config {
		t.Errorf("a file that was there is replaced: %q", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := image.WriteFile(ended, path, output+"2", change); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := image.WriteFile(t.Context(), path, output+"3", image.Change{Ignition: noise(65 << 20)}); err == nil {
		t.Error("too much is embedded")
	}
	stream := strings.NewReader("a stream")
	if err := image.WriteStream(t.Context(), output+"4", stream, false); err != nil || string(contentT(t, output+"4")) != "a stream" {
		t.Errorf("%v", err)
	}
	if err := image.WriteStream(t.Context(), output+"4", stream, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(left) != 3 {
		t.Errorf("%q are left, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) != 0 {
		t.Errorf("%q are left, %v", left, err)
	}
}

// unwell is a file whose n-th write fails halfway, where n is the initial value of left.
type unwell struct {
	memory
	left int
}

var errDisk = errors.New("no space left on device")

func (u *unwell) WriteAt(p []byte, at int64) (int, error) {
	if u.left--; u.left == 0 {
		n, _ := u.memory.WriteAt(p[:len(p)/2], at)
		return n, errDisk
	}
	return u.memory.WriteAt(p, at)
}

// TestApplyFails checks that a failed write leaves the image unchanged, and that Apply does not write to an image
// that another program has changed.
func TestApplyFails(t *testing.T) {
	t.Parallel()
	live := coreosinstaller.X86()
	embedded := editT(t, live.Image, image.Change{Ignition: []byte("{}")})
	patch, err := readT(t, embedded).Edit(image.Change{Ignition: noise(200_000), Kargs: image.KargsEdit{Append: []string{"a"}}, Force: true})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		file := &unwell{memory: bytes.Clone(embedded), left: n}
		if err := patch.Apply(file); !errors.Is(err, errDisk) || !bytes.Equal(file.memory, embedded) {
			t.Errorf("write %d: %v", n, err)
		}
	}
	file := &unwell{memory: bytes.Clone(embedded), left: 4}
	if err := patch.Apply(file); err != nil {
		t.Errorf("%v", err)
	}
	changed := bytes.Clone(file.memory)
	if err := patch.Apply(memory(changed)); err != nil || !bytes.Equal(changed, file.memory) {
		t.Errorf("applying it twice: %v", err)
	}
	other := memory(editT(t, live.Image, image.Change{Ignition: []byte("[]")}))
	before := bytes.Clone(other)
	if err := patch.Apply(other); !errors.Is(err, image.ErrChanged) || !bytes.Equal(other, before) {
		t.Errorf("%v", err)
	}
	if err := patch.Apply(memory(embedded[:live.Area])); !errors.Is(err, image.ErrTruncated) {
		t.Errorf("%v", err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	path := fileT(t, coreosinstaller.S390X().Image)
	iso, err := image.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := iso.File(image.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(file); err != nil || string(got) != "a kernel\n" {
		t.Errorf("%q, %v", got, err)
	}
	if err := iso.Close(); err != nil {
		t.Error(err)
	}
	if _, err := file.ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%v", err)
	}
}
