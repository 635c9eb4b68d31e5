package imageformat_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"ironworks/agent/imageformat"
)

// qcow returns the start of a qcow2 image. The change function may modify the image first.
func qcow(change func([]byte)) []byte {
	content := make([]byte, 1024)
	copy(content, "QFI\xfb\x00\x00\x00\x03")
	binary.BigEndian.PutUint64(content[24:], 5<<30)
	change(content)
	return content
}

// TestInspect checks one image for each possible result. TestImageFormats in test/agent compares many more images
// with the real agents.
func TestInspect(t *testing.T) {
	bootableISO := make([]byte, 64<<10)
	copy(bootableISO[32768:], "\x01CD001")
	copy(bootableISO[446+4:], "\x17")
	copy(bootableISO[510:], "\x55\xaa")
	for _, c := range []struct {
		name    string
		content []byte
		rules   imageformat.Rules
		want    imageformat.Format
		refused string
		unsure  bool
	}{
		{name: "raw", content: []byte("text"), want: imageformat.Format{Name: "raw", VirtualSize: 4}},
		{name: "qcow2", content: qcow(func([]byte) {}), want: imageformat.Format{Name: "qcow2", VirtualSize: 5 << 30}},
		{name: "backing file", content: qcow(func(c []byte) { c[15] = 104 }), refused: "qcow2 image refused: Image has a backing file"},
		{name: "data file", content: qcow(func(c []byte) { c[79] = 4 }), refused: "qcow2 image refused: Image has data_file set"},
		{name: "a bootable ISO is a disk, too", content: bootableISO, unsure: true},
		{name: "the old agent knows no disks", content: bootableISO, rules: imageformat.Old, want: imageformat.Format{Name: "iso"}},
	} {
		got, err := imageformat.Inspect(bytes.NewReader(c.content), int64(len(c.content)), c.rules)
		var refused *imageformat.UnsafeError
		switch {
		case c.unsure != errors.Is(err, imageformat.ErrAmbiguous):
			t.Errorf("%s: %v", c.name, err)
		case c.refused != "" && (!errors.As(err, &refused) || refused.Error() != c.refused):
			t.Errorf("%s: %v, want %q", c.name, err, c.refused)
		case got != c.want:
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// FuzzInspect checks that the inspection of arbitrary content does not panic, and that it returns either a format or
// an error.
func FuzzInspect(f *testing.F) {
	f.Add(qcow(func([]byte) {}))
	f.Add([]byte("createType=\""))
	f.Add([]byte("KDMV"))
	f.Add([]byte("vhdxfile"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, rules := range []imageformat.Rules{imageformat.Current, imageformat.Old} {
			got, err := imageformat.Inspect(bytes.NewReader(content), int64(len(content)), rules)
			if (err == nil) == (got.Name == "") {
				t.Errorf("%+v with %v", got, err)
			}
		}
	})
}
