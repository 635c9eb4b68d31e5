package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ironworks/ignition/image"
	"ironworks/lab/iso9660"
)

// smallImage returns an image with all features. Its areas have only a few KiB.
func smallImage() []byte {
	files := iso9660.Tree{
		"coreos/igninfo.json": []byte(`{"file": "images/ignition.img", "offset": 8, "length": 4000}`),
		"coreos/kargs.json":   []byte(`{"default": "a=1 b", "size": 64, "files": [{"path": "boot.cfg", "offset": 6, "pad": " ", "end": "\n"}]}`),
		"images/ignition.img": make([]byte, 4096),
		"boot.cfg":            []byte("linux a=1 b\n" + strings.Repeat(" ", 100)),
	}
	content, _ := files.Image("small")
	copy(content[32672:], "coreKarg")
	binary.LittleEndian.PutUint64(content[32680:], 64)
	copy(content[32744:], "coreiso+")
	return content
}

// FuzzImage checks that reading a hostile image terminates, and that edits stay within the image, have the requested
// effect and can be undone.
func FuzzImage(f *testing.F) {
	small := smallImage()
	f.Add(small[16*2048:], config, "c=2")
	wrapped, err := image.Wrap([]byte("{}"))
	if err != nil {
		f.Fatal(err)
	}
	used := bytes.Clone(small)
	copy(used[bytes.LastIndex(used, []byte("linux a=1"))-4096+8:], slices.Concat(wrapped, newc("x/y", "z")))
	f.Add(used[16*2048:], "", "a=1")
	f.Add(bytes.ReplaceAll(small, []byte("JSO"), []byte("OTH"))[16*2048:], "x", "")
	f.Fuzz(func(t *testing.T, content []byte, config, arg string) {
		whole := append(bytes.Clone(small[:16*2048]), content...)
		iso, err := image.Read(bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			if !errors.Is(err, image.ErrNotISO) && !errors.Is(err, image.ErrNoArea) && !errors.Is(err, image.ErrNoFile) && !strings.Contains(err.Error(), "more than") && !strings.Contains(err.Error(), "but the limit is") {
				t.Errorf("an error of no kind: %v", err)
			}
			return
		}
		change := image.Change{Ignition: []byte(config), Force: true}
		if _, err := iso.Kargs(); err == nil && strings.TrimSpace(arg) != "" {
			change.Kargs = image.KargsEdit{Append: []string{arg}, Delete: []string{arg}}
		}
		patch, err := iso.Edit(change)
		if err != nil {
			return
		}
		edited := memory(bytes.Clone(whole))
		if err := patch.Apply(edited); err != nil || len(edited) != len(whole) {
			t.Fatal(err)
		}
		// If the area overlaps the ISO's metadata, the result is not a valid image, but the written bytes must be
		// correct anyway.
		for _, r := range patch.Ranges() {
			if r.Offset < 0 || r.Offset+r.Length > int64(len(whole)) || !bytes.HasPrefix(edited[r.Offset:], r.Data) {
				t.Errorf("%d bytes at %d", r.Length, r.Offset)
			}
		}
		stream, err := patch.Stream(bytes.NewReader(whole))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(stream); err != nil || !bytes.Equal(got, edited) {
			t.Errorf("the stream is another one: %v", err)
		}
	})
}

func FuzzUnwrap(f *testing.F) {
	wrapped, err := image.Wrap([]byte(config))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wrapped)
	f.Add(slices.Concat(newc("a", "b"), xzConfig, make([]byte, 3), wrapped))
	f.Add(xzOther)
	f.Add(zstdOf(f, newc("config.ign", config)))
	f.Fuzz(func(t *testing.T, initrd []byte) {
		found, err := image.Unwrap(bytes.NewReader(initrd))
		if err != nil {
			return
		}
		again, err := image.Wrap(found)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := image.Unwrap(bytes.NewReader(slices.Concat(initrd, make([]byte, -len(initrd)&3), again))); err != nil || !bytes.Equal(got, found) {
			t.Errorf("%q, %v, want %q", got, err, found)
		}
	})
}

// FuzzKargs checks that the kernel arguments stay on one line after any edit.
func FuzzKargs(f *testing.F) {
	f.Add("a=1 b", "c", "b", "a=1=2")
	f.Add(" ", "ä", "", "==")
	f.Fuzz(func(t *testing.T, current, add, remove, replace string) {
		if strings.ContainsFunc(current, unicode.IsControl) || !utf8.ValidString(current) {
			return
		}
		edit := image.KargsEdit{Append: []string{add}, Delete: []string{remove}, Replace: []string{replace}}
		kargs, _, err := edit.Apply(image.Kargs{Current: current})
		if err == nil && (strings.ContainsFunc(kargs, unicode.IsControl) || !utf8.ValidString(kargs) || strings.TrimSpace(kargs) != kargs) {
			t.Errorf("%q", kargs)
		}
	})
}
