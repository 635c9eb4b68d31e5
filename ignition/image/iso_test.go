package image_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

// memory is an in-memory image that can be edited.
type memory []byte

func (m memory) ReadAt(p []byte, at int64) (int, error) { return bytes.NewReader(m).ReadAt(p, at) }

func (m memory) WriteAt(p []byte, at int64) (int, error) { return copy(m[at:], p), nil }

func readT(tb testing.TB, content []byte) *image.ISO {
	tb.Helper()
	iso, err := image.Read(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		tb.Fatal(err)
	}
	return iso
}

// editT returns the edited image, and checks that editing in place and streaming have the same result.
func editT(tb testing.TB, content []byte, change image.Change) []byte {
	tb.Helper()
	patch, err := readT(tb, content).Edit(change)
	if err != nil {
		tb.Fatal(err)
	}
	edited := memory(bytes.Clone(content))
	if err := patch.Apply(edited); err != nil {
		tb.Fatal(err)
	}
	stream, err := patch.Stream(bytes.NewReader(content))
	if err != nil {
		tb.Fatal(err)
	}
	streamed, err := io.ReadAll(stream)
	if err != nil || !bytes.Equal(streamed, edited) {
		tb.Fatalf("the stream has %d bytes, the file %d: %v", len(streamed), len(edited), err)
	}
	return edited
}

func showT(tb testing.TB, content []byte) string {
	tb.Helper()
	found, err := readT(tb, content).Ignition()
	if err != nil {
		tb.Fatal(err)
	}
	return string(found)
}

func TestEmbedAndRemove(t *testing.T) {
	t.Parallel()
	for name, live := range coreosinstaller.Images() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			iso := readT(t, live.Image)
			if _, err := iso.Ignition(); !errors.Is(err, image.ErrNotEmbedded) || iso.Look().Used != 0 || iso.Look().Capacity != coreosinstaller.AreaSize || iso.Look().Volume != coreosinstaller.Volume {
				t.Fatalf("%v, %d, %d, %q", err, iso.Look().Used, iso.Look().Capacity, iso.Look().Volume)
			}
			embedded := editT(t, live.Image, image.Change{Ignition: []byte(config)})
			if got := showT(t, embedded); got != config {
				t.Errorf("%q", got)
			}
			if readT(t, embedded).Look().Used == 0 {
				t.Error("the image is as it was made")
			}
			outside := bytes.Clone(embedded)
			clear(outside[live.Area:][:coreosinstaller.AreaSize])
			if !bytes.Equal(outside, live.Image) {
				t.Error("something else than the area has changed")
			}
			if got := editT(t, embedded, image.Change{RemoveIgnition: true}); sha256.Sum256(got) != sha256.Sum256(live.Image) {
				t.Error("after remove the image is another one")
			}
			if got := editT(t, live.Image, image.Change{RemoveIgnition: true}); !bytes.Equal(got, live.Image) {
				t.Error("removing nothing changes the image")
			}
		})
	}
}

func TestForce(t *testing.T) {
	t.Parallel()
	live := coreosinstaller.X86()
	embedded := editT(t, live.Image, image.Change{Ignition: []byte(config)})
	if _, err := readT(t, embedded).Edit(image.Change{Ignition: []byte("{}")}); !errors.Is(err, image.ErrInUse) {
		t.Errorf("%v", err)
	}
	again := editT(t, embedded, image.Change{Ignition: []byte("{}"), Force: true})
	if got := showT(t, again); got != "{}" {
		t.Errorf("%q", got)
	}
	if got := editT(t, again, image.Change{RemoveIgnition: true}); !bytes.Equal(got, live.Image) {
		t.Error("after remove the image is another one")
	}
	garbage := live.Clone().Image
	copy(garbage[live.Area:], "\x1f\x8bgarbage")
	if _, err := readT(t, garbage).Edit(image.Change{Ignition: []byte("{}")}); err == nil || errors.Is(err, image.ErrInUse) {
		t.Errorf("an area that cannot be read: %v", err)
	}
	if got := showT(t, editT(t, garbage, image.Change{Ignition: []byte("{}"), Force: true})); got != "{}" {
		t.Errorf("%q", got)
	}
	if _, err := readT(t, garbage).Kargs(); err != nil {
		t.Errorf("kernel arguments of an image with garbage in its area: %v", err)
	}
	if _, err := readT(t, live.Image).Edit(image.Change{Force: true}); err == nil {
		t.Error("a change of nothing is one")
	}
}

// noise returns pseudo-random bytes, which cannot be compressed. They are the same in every run.
func noise(length int) []byte {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in every run
	b := make([]byte, length)
	for i := range b {
		b[i] = byte(random.IntN(256))
	}
	return b
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	iso := readT(t, coreosinstaller.X86().Image)
	// On s390x, the area is a part of another file and cannot be moved.
	_, err := readT(t, coreosinstaller.S390X().Image).Edit(image.Change{Ignition: noise(300_000), Force: true})
	var large *image.TooLargeError
	if !errors.As(err, &large) || large.Capacity != 262144 || large.Size < 300_000 || large.Size > 301_000 || !strings.Contains(err.Error(), "262144") {
		t.Errorf("%v", err)
	}
	patch, err := iso.Edit(image.Change{Ignition: noise(261_700)})
	if err != nil || patch.Used > iso.Look().Capacity {
		t.Errorf("%v, %v", patch, err)
	}
	// Compressible content may be larger than the area.
	patch, err = iso.Edit(image.Change{Ignition: bytes.Repeat([]byte("much of the same "), 100_000)})
	if err != nil || patch.Used > 20_000 {
		t.Errorf("%v, %v", patch, err)
	}
}

func TestFilesOfAnImage(t *testing.T) {
	t.Parallel()
	iso := readT(t, coreosinstaller.X86().Image)
	for path, want := range map[string]string{
		image.Kernel: "a kernel\n", image.Initrd: "an initramfs\n", "/zipl.prm": "nothing", "a.folder/./of.names/README.1": "nothing",
	} {
		file, err := iso.File(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got, err := io.ReadAll(file); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"", "/", "images", "images/none", "zipl.prm/x", "images/../zipl.prm", "../../etc/passwd", strings.Repeat("a/", 40) + "b", strings.Repeat("a", 2000)} {
		if _, err := iso.File(path); !errors.Is(err, image.ErrNoFile) {
			t.Errorf("%.50s: %v", path, err)
		}
	}
}
