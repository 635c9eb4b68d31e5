package agent

import (
	"bytes"
	"net/http"
	"slices"
	"testing"
)

// qcowHeader returns the header of a qcow2 image that contains a disk of 1 GiB.
func qcowHeader() []byte {
	header := make([]byte, 1024)
	copy(header, "QFI\xfb\x00\x00\x00\x03")
	header[28] = 0x40
	return header
}

// TestCheckedFormats checks that the error messages are the same as those of get_and_validate_image_format in both
// releases of the real agent.
func TestCheckedFormats(t *testing.T) {
	backed := qcowHeader()
	backed[15] = 104
	iso := make([]byte, 40<<10)
	copy(iso[32768:], "\x01CD001")
	const onlyDefault = "Security: Detected image format was iso, but only raw, gpt, qcow2 are allowed"
	for _, c := range []struct {
		name, format, version string
		content               []byte
		config                *dict
		want                  string
		size                  int64
		refused               string
	}{
		{name: "qcow2", format: "qcow2", content: qcowHeader(), want: "qcow2", size: 1 << 30},
		{name: "no format", content: qcowHeader(), want: "qcow2", size: 1 << 30},
		{name: "unknown", format: "unknown", content: qcowHeader(), want: "qcow2", size: 1 << 30},
		{name: "unknown, old", format: "unknown", version: "9.4.2", content: qcowHeader(), refused: "Security: Expected format was unknown, but image was actually qcow2"},
		{name: "raw is not inspected", format: "raw", content: backed, want: "raw", size: 1024},
		{name: "gpt is not inspected", format: "gpt", content: backed, want: "raw", size: 1024},
		{name: "other", format: "qcow2", content: []byte("text"), refused: "Security: Expected format was qcow2, but image was actually raw"},
		{name: "unsafe", format: "qcow2", content: backed, refused: "Security: Image failed safety check"},
		{name: "cut", format: "qcow2", content: []byte("KDMV"), refused: "Security: Image matched multiple potential formats"},
		{name: "not permitted", format: "iso", content: iso, refused: onlyDefault},
		{name: "not permitted, old", format: "iso", version: "9.4.2", content: iso, refused: "Security: Detected image format was iso, but only raw, qcow2 are allowed"},
		{name: "permitted by Ironic", format: "iso", content: iso, config: newDict("permitted_image_formats", list{"raw", "iso"}), want: "iso"},
		{name: "no inspection", format: "qcow2", content: backed, config: newDict("disable_deep_image_inspection", true), want: "qcow2", size: 1024},
	} {
		a := bench(newMetal(), Options{Version: c.version})
		if c.config != nil {
			a.options.Images.override(c.config)
		}
		format, size, err := a.checkFormat(imageInfo{format: c.format}, bytes.NewReader(c.content), int64(len(c.content)))
		if c.refused != "" {
			if f, ok := err.(*fault); !ok || f.Type != invalidImage || f.Details != c.refused { //nolint:errorlint // exactly that
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || format != c.want || size != c.size {
			t.Errorf("%s: %s of %d bytes, %v", c.name, format, size, err)
		}
	}
}

// TestUnsafeImageLeavesTheDiskAlone checks that nothing is written to the disk if the image would make qemu-img read
// the agent's files.
func TestUnsafeImageLeavesTheDiskAlone(t *testing.T) {
	image := qcowHeader()
	image[15] = 104
	h := hostImage(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write(image) })
	m := newMetal()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a := bench(m, Options{Client: &http.Client{Transport: transport}, Speed: 1e6})
	for _, safe := range []bool{false, true} {
		if safe {
			image = qcowHeader()
		}
		info := newDict("id", "i1", "urls", list{h.URL}, "disk_format", "qcow2", "checksum", checksumOf(image))
		_, f := runStep(t, a, deploying, "write_image", nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, "{}"), newDict("image_info", info))
		wrote := slices.Contains(m.history(), "write qcow2 i1 to /dev/sda")
		if wrote != safe || (f == nil) != safe {
			t.Errorf("safe: %v; did %q, %v", safe, m.history(), f)
		}
	}
}
