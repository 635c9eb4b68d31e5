package prepare_test

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
	"testing/iotest"
	"time"

	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/lab"
)

// liveISO writes a live image and returns its path and content. The image contains config unless it is nil.
func liveISO(t *testing.T, config []byte) (path string, content []byte) {
	t.Helper()
	content, err := lab.LiveISO(config)
	if err != nil {
		t.Fatal(err)
	}
	return put(t, "live.iso", content), content
}

func TestReadConfig(t *testing.T) {
	t.Parallel()
	want := configOf("n1")
	if got, err := prepare.ReadConfig(put(t, "a.ign", want)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := prepare.ReadConfig(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	most := strings.NewReader(strings.Repeat("x", userdata.ProvisionLimit))
	if got, err := prepare.ReadConfigFrom(most, "stdin"); err != nil || len(got) != userdata.ProvisionLimit {
		t.Errorf("as large as allowed: %d bytes, %v", len(got), err)
	}
	if _, err := prepare.ReadConfigFrom(strings.NewReader(strings.Repeat("x", userdata.ProvisionLimit+1)), "stdin"); err == nil || !strings.HasPrefix(err.Error(), "read stdin: larger than ") {
		t.Errorf("too large: %v", err)
	}
	if _, err := prepare.ReadConfigFrom(iotest.ErrReader(fs.ErrPermission), "stdin"); !errors.Is(err, fs.ErrPermission) || !strings.HasPrefix(err.Error(), "read stdin: ") {
		t.Errorf("broken: %v", err)
	}
}

func TestCheckFile(t *testing.T) {
	t.Parallel()
	ignition := []byte(`{"ignition":{"version":"3.2.0"}}`)
	var packed bytes.Buffer
	if err := gzipTo(&packed, ignition); err != nil {
		t.Fatal(err)
	}
	butane := []byte("variant: fcos\nversion: 1.5.0\nstorage:\n  files:\n    - path: /etc/a\n      contents:\n        local: beside.txt\n")
	for name, tt := range map[string]struct {
		data   []byte
		kind   userdata.Kind
		source []byte
	}{
		"Ignition":        {ignition, userdata.KindIgnition, ignition},
		"gzip":            {packed.Bytes(), userdata.KindGzip, ignition},
		"a file beside":   {butane, userdata.KindButane, butane},
		"something other": {[]byte("#cloud-config\n"), userdata.KindCloudConfig, []byte("#cloud-config\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := put(t, "a", tt.data)
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), "beside.txt"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := prepare.CheckFile(path, prepare.FileStamp{})
			if err != nil || got.Same || got.Report.Kind != tt.kind || !bytes.Equal(got.Source, tt.source) || got.Stamp.Size != int64(len(tt.data)) {
				t.Errorf("%+v, %v", got, err)
			}
			if got.Report.OK() != (tt.kind != userdata.KindCloudConfig) {
				t.Errorf("problems %v", got.Report.Problems)
			}
			if again, err := prepare.CheckFile(path, got.Stamp); err != nil || !again.Same || again.Source != nil {
				t.Errorf("unchanged: %+v, %v", again, err)
			}
			older := prepare.FileStamp{Modified: got.Stamp.Modified.Add(-time.Second), Size: got.Stamp.Size}
			if again, err := prepare.CheckFile(path, older); err != nil || again.Same || again.Stamp != got.Stamp {
				t.Errorf("of the same size, written later: %+v, %v", again, err)
			}
		})
	}
	dir := t.TempDir()
	if _, err := prepare.CheckFile(dir, prepare.FileStamp{}); err == nil || !strings.Contains(err.Error(), dir+" is not a file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := prepare.CheckFile(filepath.Join(dir, "none"), prepare.FileStamp{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := prepare.CheckFile(put(t, "large", make([]byte, userdata.ProvisionLimit+1)), prepare.FileStamp{}); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a large file: %v", err)
	}
}

func TestReadImage(t *testing.T) {
	t.Parallel()
	config := configOf("n1")
	with, _ := liveISO(t, config)
	without, content := liveISO(t, nil)
	wrapped, err := image.Wrap(config)
	if err != nil {
		t.Fatal(err)
	}
	text := put(t, "text", []byte("hello"))
	for name, tt := range map[string]struct {
		path, kind string
		config     []byte
		err        error
	}{
		"an ISO":                {with, "iso", config, nil},
		"an ISO without":        {without, "iso", nil, image.ErrNotEmbedded},
		"a cut ISO":             {put(t, "cut", content[:len(content)/2]), "", nil, image.ErrTruncated},
		"an initrd":             {put(t, "initrd", wrapped), "initrd", config, nil},
		"no file":               {filepath.Join(t.TempDir(), "none"), "", nil, fs.ErrNotExist},
		"an empty initrd":       {put(t, "empty", nil), "initrd", nil, image.ErrNotEmbedded},
		"any text, by its name": {text, "initrd", nil, errNamed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, look, got, err := prepare.ReadImage(tt.path)
			switch {
			case errors.Is(tt.err, errNamed):
				if err == nil || !strings.Contains(err.Error(), tt.path) {
					t.Errorf("error %v, want one with %s", err, tt.path)
				}
			case !errors.Is(err, tt.err):
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if tt.kind != "" && kind != tt.kind || !bytes.Equal(got, tt.config) || (look.Capacity > 0) != (tt.kind == "iso") {
				t.Errorf("%s, %+v, %q", kind, look, got)
			}
		})
	}
}

// errNamed is a placeholder for any error whose message contains the name of the file.
var errNamed = errors.New("an error with the path")

func TestLookAt(t *testing.T) {
	t.Parallel()
	config := []byte(`{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"core"}]},"systemd":{"units":[{"name":"a.service","contents":"[Service]\nExecStart=/bin/true\n"}]}}`)
	with, _ := liveISO(t, config)
	without, _ := liveISO(t, nil)
	broken, content := liveISO(t, config)
	packed, err := image.Wrap(config)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(content, packed)
	if at < 0 {
		t.Fatal("the configuration is not in the image as it was packed")
	}
	copy(content[at+len(packed)/2:], bytes.Repeat([]byte{0xff}, 64))
	if err := os.WriteFile(broken, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		path     string
		embedded bool
		holds    []string
	}{
		"a configuration": {with, true, []string{"ignition 3.4.0, ", ", a.service", ", user core"}},
		"none":            {without, false, nil},
		"a broken one":    {broken, true, []string{"unreadable: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			look, err := prepare.LookAt(tt.path)
			if err != nil || look.Embedded != tt.embedded || look.Capacity == 0 || (look.Holds == "") != (tt.holds == nil) {
				t.Errorf("%+v, %v", look, err)
			}
			for _, want := range tt.holds {
				if !strings.Contains(strings.ToLower(look.Holds), want) {
					t.Errorf("%q is not in %q", want, look.Holds)
				}
			}
		})
	}
	if _, err := prepare.LookAt(put(t, "text", []byte("hello"))); !errors.Is(err, image.ErrNotISO) {
		t.Errorf("a text: %v", err)
	}
}

func TestInitrd(t *testing.T) {
	t.Parallel()
	base, err := image.Pack(image.Member{Name: "etc/coreos-live-initramfs"})
	if err != nil {
		t.Fatal(err)
	}
	config := configOf("n1")
	for name, tt := range map[string]struct {
		path string
		base []byte
	}{"the configuration alone": {}, "behind an initramfs": {put(t, "base", base), base}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream, err := prepare.Initrd(t.Context(), tt.path, config)
			if err != nil {
				t.Fatal(err)
			}
			all, err := io.ReadAll(stream)
			if err = errors.Join(err, stream.Close()); err != nil {
				t.Fatal(err)
			}
			if got, err := image.Unwrap(bytes.NewReader(all)); err != nil || !bytes.Equal(got, config) || !bytes.HasPrefix(all, tt.base) {
				t.Errorf("%q in %d bytes, %v", got, len(all), err)
			}
		})
	}
	if _, err := prepare.Initrd(t.Context(), filepath.Join(t.TempDir(), "none"), config); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	text := put(t, "text", []byte("hello"))
	if _, err := prepare.Initrd(t.Context(), text, config); err == nil || !strings.HasPrefix(err.Error(), text+": ") {
		t.Errorf("a text: %v", err)
	}
	if _, err := prepare.Initrd(t.Context(), t.TempDir(), config); err == nil {
		t.Error("a folder is read")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := prepare.Initrd(ended, put(t, "base", base), config); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestEditImage(t *testing.T) {
	t.Parallel()
	path, before := liveISO(t, nil)
	change := image.Change{Ignition: configOf("n1")}
	output := filepath.Join(t.TempDir(), "new.iso")
	embedded := func(path string) []byte {
		t.Helper()
		_, _, config, err := prepare.ReadImage(path)
		if err != nil {
			t.Error(err)
		}
		return config
	}
	if _, err := prepare.EditImage(t.Context(), path, output, change); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) || !bytes.Equal(embedded(output), configOf("n1")) {
		t.Errorf("a copy: the image itself is changed, or the copy is not (%v)", err)
	}
	if _, err := prepare.EditImage(t.Context(), path, output, change); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an output that exists: %v", err)
	}
	if _, err := prepare.EditImage(t.Context(), path, "", change); err != nil || !bytes.Equal(embedded(path), configOf("n1")) {
		t.Errorf("in place: %v", err)
	}
	again := image.Change{Ignition: configOf("n2")}
	if _, err := prepare.EditImage(t.Context(), path, "", again); !errors.Is(err, image.ErrInUse) || !bytes.Equal(embedded(path), configOf("n1")) {
		t.Errorf("once more without force: %v", err)
	}
}
