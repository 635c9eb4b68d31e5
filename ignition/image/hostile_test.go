package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"ironworks/ignition/image"
	"ironworks/lab/iso9660"
	"ironworks/test/coreosinstaller"
)

// recordOf returns the part of content that starts at the directory record of the named file or folder.
func recordOf(tb testing.TB, content []byte, name string) []byte {
	tb.Helper()
	at := bytes.Index(content, []byte(name))
	if at < 33 {
		tb.Fatalf("no %s", name)
	}
	return content[at-33:]
}

// with returns an image whose bytes were modified by the change function.
func with(tb testing.TB, change func(content []byte)) []byte {
	tb.Helper()
	content := coreosinstaller.X86().Image
	change(content)
	return content
}

func replaced(tb testing.TB, from, to string) []byte {
	tb.Helper()
	if len(from) != len(to) {
		tb.Fatalf("%q has another length than %q", from, to)
	}
	content := bytes.ReplaceAll(coreosinstaller.X86().Image, []byte(from), []byte(to))
	return content
}

// info returns an image whose igninfo.json has the given content.
func info(tb testing.TB, text string) []byte {
	tb.Helper()
	files := iso9660.Tree{"coreos/igninfo.json": []byte(text), "images/ignition.img": make([]byte, 4096)}
	content, _ := files.Image("hostile")
	return content
}

func TestHostileImages(t *testing.T) {
	t.Parallel()
	whole := coreosinstaller.X86().Image
	for _, test := range []struct {
		name    string
		content []byte
		want    error
	}{
		{"nothing", nil, image.ErrNotISO},
		{"cut off in the system area", whole[:1000], image.ErrNotISO},
		{"cut off in its descriptors", whole[:17*2048-1], image.ErrNotISO},
		{"cut off in a folder", whole[:20*2048], image.ErrTruncated},
		{"cut off by a byte", whole[:len(whole)-1], image.ErrTruncated},
		{"another image", coreosinstaller.Plain(), image.ErrNoArea},
		{"descriptors without an end", with(t, func(b []byte) {
			for at := 16 * 2048; at+2048 <= len(b); at += 2048 {
				copy(b[at:], "\x02CD001\x01")
			}
		}), image.ErrNotISO},
		{"a root that is no folder", with(t, func(b []byte) { b[16*2048+156+25] = 0 }), image.ErrNotISO},
		{"a root of 4 GiB", with(t, func(b []byte) { binary.LittleEndian.PutUint32(b[16*2048+156+10:], 1<<32-1) }), image.ErrNotISO},
		{"a root beyond the end", with(t, func(b []byte) { binary.LittleEndian.PutUint32(b[16*2048+156+2:], 1<<32-1) }), image.ErrTruncated},
		{"a folder of 2 GiB", with(t, func(b []byte) { binary.LittleEndian.PutUint32(recordOf(t, b, "IMAGES")[10:], 1<<31) }), image.ErrNotISO},
		{"a record shorter than one", with(t, func(b []byte) { recordOf(t, b, "COREOS")[0] = 20 }), image.ErrNotISO},
		{"a name longer than its record", with(t, func(b []byte) { recordOf(t, b, "COREOS")[32] = 200 }), image.ErrNotISO},
		{"an area beyond the end", with(t, func(b []byte) { binary.LittleEndian.PutUint32(recordOf(t, b, "IGNITION.IMG")[2:], 1<<32-1) }), image.ErrTruncated},
		{"an area of nothing", with(t, func(b []byte) { binary.LittleEndian.PutUint32(recordOf(t, b, "IGNITION.IMG")[10:], 0) }), image.ErrNoArea},
		{"an igninfo.json of 1 GiB", with(t, func(b []byte) { binary.LittleEndian.PutUint32(recordOf(t, b, "IGNINFO.JSO")[10:], 1<<30) }), image.ErrTruncated},
		{"no JSON", info(t, "{"), image.ErrNoArea},
		{"no file", info(t, "{}"), image.ErrNoArea},
		{"a file that is none", info(t, `{"file": "images/none.img"}`), image.ErrNoArea},
		{"a folder", info(t, `{"file": "images"}`), image.ErrNoArea},
		{"a path out of the image", info(t, `{"file": "../../../etc/shadow"}`), image.ErrNoArea},
		{"a path through its parent", info(t, `{"file": "coreos/../images/ignition.img"}`), image.ErrNoArea},
		{"a long path", info(t, `{"file": "`+strings.Repeat("images/", 5000)+`"}`), image.ErrNoArea},
		{"a NUL in the path", info(t, `{"file": "images/ignition.img\u0000"}`), image.ErrNoArea},
		{"an offset below 0", info(t, `{"file": "images/ignition.img", "offset": -1}`), image.ErrNoArea},
		{"an offset beyond the file", info(t, `{"file": "images/ignition.img", "offset": 4097}`), image.ErrNoArea},
		{"an offset that overflows", info(t, `{"file": "images/ignition.img", "offset": 9223372036854775807, "length": 9223372036854775807}`), image.ErrNoArea},
		{"a number that overflows", info(t, `{"file": "images/ignition.img", "offset": 99223372036854775807}`), image.ErrNoArea},
		{"a length below 0", info(t, `{"file": "images/ignition.img", "length": -4096}`), image.ErrNoArea},
		{"a length beyond the file", info(t, `{"file": "images/ignition.img", "offset": 1, "length": 4096}`), image.ErrNoArea},
		{"a length of 0", info(t, `{"file": "images/ignition.img", "length": 0}`), image.ErrNoArea},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			iso, err := image.Read(bytes.NewReader(test.content), int64(len(test.content)))
			if !errors.Is(err, test.want) || iso != nil {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
	if got := readT(t, replaced(t, "IGNITION.IMG;1", "ignition.img;1")); got.Look().Capacity != coreosinstaller.AreaSize {
		t.Error("names in small letters are not found")
	}
}

// TestCyclicFolder checks that a folder that contains itself does not cause endless reading. A lookup takes at most
// as many steps as the path has elements.
func TestCyclicFolder(t *testing.T) {
	t.Parallel()
	files := iso9660.Tree{"cycle/b": nil, "coreos/igninfo.json": []byte(`{"file": "` + strings.Repeat("cycle/", 100) + `b"}`), "images/ignition.img": make([]byte, 4096)}
	content, _ := files.Image("cyclic")
	root := binary.LittleEndian.Uint32(content[16*2048+156+2:])
	binary.LittleEndian.PutUint32(recordOf(t, content, "CYCLE")[2:], root)
	began := time.Now()
	if _, err := image.Read(bytes.NewReader(content), int64(len(content))); !errors.Is(err, image.ErrNoArea) {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestBombs checks that areas that would unpack to gigabytes are rejected, and that false file sizes do not cause
// large allocations.
func TestBombs(t *testing.T) {
	t.Parallel()
	bomb := zstdOf(t, newc("config.ign", strings.Repeat("\x00", 70<<20)))
	if _, err := readT(t, withArea(bomb)).Ignition(); err == nil || !strings.Contains(err.Error(), "but the limit is") {
		t.Errorf("%v", err)
	}
	crowd := zstdOf(t, append(bytes.Repeat(newc("x", "")[:112], 100_000), newc("y", "")...))
	if _, err := readT(t, withArea(crowd)).Members(); err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Errorf("%v", err)
	}
	lie := newc("config.ign", "")
	copy(lie[54:], "03FFFFFF")
	if _, err := readT(t, withArea(lie)).Ignition(); err == nil {
		t.Error("a file that is not there is read")
	}
	for name, archive := range map[string][]byte{
		"a name of 4 GiB":  bytes.Replace(newc("x", ""), []byte("00000002"), []byte("FFFFFFFF"), 1),
		"no number":        bytes.Replace(newc("x", ""), []byte("00000002"), []byte("0000000x"), 1),
		"without its end":  newc("config.ign", "{}")[:140],
		"xz without end":   xzConfig[:len(xzConfig)-9],
		"xz broken":        append(bytes.Clone(xzConfig[:40]), 0xff),
		"zstd without end": zstdOf(t, newc("config.ign", "{}"))[:60],
		"gzip broken":      append(packT(t, image.Member{Name: "x"})[:50], "nonsense"...),
		"data behind it":   append(packT(t, image.Member{Name: "x"}), "nonsense"...),
	} {
		if config, err := image.Unwrap(bytes.NewReader(archive)); err == nil || errors.Is(err, image.ErrNotEmbedded) {
			t.Errorf("%s: %q, %v", name, config, err)
		}
	}
}

// far is a sparse image larger than 4 GiB.
type far struct {
	begin, end []byte
	at         int64
}

func (f far) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	for _, part := range []struct {
		at      int64
		content []byte
	}{{0, f.begin}, {f.at, f.end}} {
		for i := range p {
			if from := at + int64(i) - part.at; from >= 0 && from < int64(len(part.content)) {
				p[i] = part.content[from]
			}
		}
	}
	if left := f.at + int64(len(f.end)) - at; left < int64(len(p)) {
		return int(max(left, 0)), io.EOF
	}
	return len(p), nil
}

func TestImageOfMoreThan4GiB(t *testing.T) {
	t.Parallel()
	const sector = 6 << 30 / 2048
	live := coreosinstaller.X86()
	binary.LittleEndian.PutUint32(live.Image[16*2048+80:], sector+coreosinstaller.AreaSize/2048)
	binary.LittleEndian.PutUint32(recordOf(t, live.Image, "IGNITION.IMG")[2:], sector)
	base := far{begin: live.Image, at: sector * 2048, end: make([]byte, coreosinstaller.AreaSize)}
	size := base.at + coreosinstaller.AreaSize
	iso, err := image.Read(base, size)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := iso.Edit(image.Change{Ignition: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := patch.Stream(base)
	if err != nil || stream.Size() != size || patch.Ranges()[0].Offset != base.at {
		t.Fatalf("%v, %v", stream, err)
	}
	if got, err := image.Embedded(stream, size); err != nil || string(got) != config {
		t.Errorf("%q, %v", got, err)
	}
}
