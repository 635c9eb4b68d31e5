package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"ironworks/ignition/image"
	"ironworks/lab"
	"ironworks/test/coreosinstaller"
)

const config = `{"ignition": {"version": "3.0.0"}}`

func live(t *testing.T, config []byte) []byte {
	t.Helper()
	content, err := lab.LiveISO(config)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func embedded(content []byte) (string, error) {
	config, err := image.Embedded(bytes.NewReader(content), int64(len(content)))
	return string(config), err
}

// withArea returns an image with content in its area.
func withArea(content []byte) []byte {
	l := coreosinstaller.X86()
	copy(l.Image[l.Area:], content)
	return l.Image
}

// newc returns a newc cpio archive that contains a single file. It is built without the code under test.
func newc(name, content string) []byte {
	var b bytes.Buffer
	entry := func(name, content string) {
		field := func(n int) { b.WriteString(strings.ToUpper(hex8(n))) }
		b.WriteString("070701")
		for _, n := range []int{1, 0o100600, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0} {
			field(n)
		}
		b.WriteString(name + "\x00")
		for b.Len()%4 != 0 {
			b.WriteByte(0)
		}
		b.WriteString(content)
		for b.Len()%4 != 0 {
			b.WriteByte(0)
		}
	}
	entry(name, content)
	entry("TRAILER!!!", "")
	return b.Bytes()
}

func hex8(n int) string {
	b := make([]byte, 4)
	binary.BigEndian.PutUint32(b, uint32(n))
	const digits = "0123456789abcdef"
	s := ""
	for _, c := range b {
		s += string(digits[c>>4]) + string(digits[c&15])
	}
	return s
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	var zst bytes.Buffer
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = z.Write(newc("config.ign", config))
	_ = z.Close()
	twice := append(append(newc("config.ign", "{}"), make([]byte, 512)...), newc("config.ign", config)...)
	for name, image := range map[string][]byte{
		"gzip":              live(t, []byte(config)),
		"raw":               withArea(newc("config.ign", config)),
		"zstd":              withArea(zst.Bytes()),
		"the last counts":   withArea(twice),
		"xz":                withArea(xzConfig),
		"header of an era":  withHeader(),
		"behind some zeros": withArea(append(make([]byte, 4), newc("config.ign", config)...)),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := embedded(image); err != nil || got != config {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// xzConfig is the result of newc("config.ign", config), compressed by `xz --check=crc32`.
var xzConfig = []byte(xzText)

// withHeader returns an image in the format of 2021, where only the header describes the area. The area contains a
// configuration.
func withHeader() []byte {
	l := coreosinstaller.Header()
	copy(l.Image[l.Area:], newc("config.ign", config))
	return bytes.ReplaceAll(l.Image, []byte("IGNITION.IMG"), []byte("SOMETHIN.IMG"))
}

func TestEmbeddedInWhatIsNone(t *testing.T) {
	t.Parallel()
	other := bytes.ReplaceAll(live(t, nil), []byte("IGNITION.IMG"), []byte("SOMETHIN.IMG"))
	other = bytes.ReplaceAll(other, []byte("IGNINFO.JSO"), []byte("OTHERFI.JSO"))
	broken := bytes.ReplaceAll(live(t, nil), []byte(`{"file": "images/ignition.img"}`), []byte(`{"file": "images/ignition.img"]`))
	huge := withHeader()
	binary.LittleEndian.PutUint64(huge[32760:], 1<<63)
	for _, test := range []struct {
		name  string
		image []byte
		want  error
	}{
		{"empty", nil, image.ErrNotISO},
		{"zeros", make([]byte, 1<<20), image.ErrNotISO},
		{"cut off", live(t, nil)[:100<<10], image.ErrNotISO},
		{"another ISO", other, image.ErrNoArea},
		{"nothing embedded", live(t, nil), image.ErrNotEmbedded},
		{"an archive without it", withArea(newc("etc/other", "x")), image.ErrNotEmbedded},
		{"a huge header", huge, image.ErrNoArea},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := embedded(test.image); !errors.Is(err, test.want) || got != "" {
				t.Errorf("%q, %v, want %v", got, err, test.want)
			}
		})
	}
	if _, err := embedded(broken); err == nil {
		t.Error("a broken igninfo.json is taken")
	}
	for _, garbage := range []string{"\x1f\x8bgarbage", "\xfd7zXZ\x00garbage", "\x28\xb5\x2f\xfdgarbage", "070701garbage"} {
		if got, err := embedded(withArea([]byte(garbage))); err == nil {
			t.Errorf("garbage %q gives %q", garbage, got)
		}
	}
}
