package enroll

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/lab"
	"ironworks/test/coreosinstaller"
)

// TestServedRamdiskOfAnISO checks that only the ISO is served if its initramfs does not belong to a live system, and
// that an ISO without a configuration is refused.
func TestServedRamdiskOfAnISO(t *testing.T) {
	t.Parallel()
	live, err := lab.LiveISO(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		iso   []byte
		embed bool
		want  int // the number of images
		err   string
	}{
		"foreign initramfs": {iso: coreosinstaller.X86().Image, embed: true, want: 1},
		"nothing embedded":  {iso: live, want: 1, err: "ironworks ignition embed"},
		"no ISO":            {iso: []byte("text"), err: "--deploy-iso: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "live.iso")
			if err := os.WriteFile(path, test.iso, 0o600); err != nil {
				t.Fatal(err)
			}
			if test.embed {
				embed(t, path)
			}
			served := &servedRamdisk{}
			defer served.close()
			err := served.open(t.Context(), path)
			if len(served.images) != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%d images, %v", len(served.images), err)
			}
		})
	}
}

// embed embeds a configuration in an ISO.
func embed(t *testing.T, path string) {
	t.Helper()
	if _, err := image.EditFile(path, image.Change{Ignition: []byte(`{"ignition": {"version": "3.4.0"}}`)}); err != nil {
		t.Fatal(err)
	}
}

// TestEnrollRamdiskFlags checks which values name a file, and that flags which exclude each other are reported before
// anything is read.
func TestEnrollRamdiskFlags(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		iso, kernel, listen string
		file                bool
		err                 string
	}{
		"nothing":           {},
		"URL":               {iso: "http://192.0.2.1/x.iso"},
		"image in Glance":   {iso: "1be26c0b-03f2-4d2e-ae87-c02d7f33c781"},
		"file":              {iso: "agent.iso", listen: "auto", file: true},
		"file and kernel":   {iso: "agent.iso", kernel: "http://192.0.2.1/k", file: true, err: "cannot be combined"},
		"URL and --listen":  {iso: "http://192.0.2.1/x.iso", listen: "auto", err: "--listen and --advertise need"},
		"only --listen":     {listen: "auto", err: "--listen and --advertise need"},
		"path of no folder": {iso: "none/agent.iso", file: true},
	} {
		var f enrollRamdiskFlags
		f.ramdisk.ISO, f.ramdisk.Kernel, f.at.Listen = test.iso, test.kernel, test.listen
		if err := f.check(); f.file() != test.file || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: file %v, %v", name, f.file(), err)
		}
	}
}
