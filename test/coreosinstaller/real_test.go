package coreosinstaller_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
	"ironworks/test/ironic"
)

// TestRealProgramReadsWhatIsWritten checks that the real program and GNU cpio read what package image embeds, wraps
// and edits.
func TestRealProgramReadsWhatIsWritten(t *testing.T) {
	if !ironic.Long() {
		t.Skip("make test-long builds the real coreos-installer; what it did is in testdata/facts.json, see TestFacts")
	}
	r := real{program: coreosinstaller.Program(t), folder: t.TempDir()}
	for name, live := range coreosinstaller.Images() {
		t.Run(name, func(t *testing.T) {
			r.configurations(t, live)
			r.kargs(t, live)
			r.keyfiles(t, live)
		})
	}
	t.Run("grown", r.grown)
	t.Run("initrd", r.initrd)
	t.Run("cpio", gnuCpio)
}

func configurations() [][]byte {
	random := rand.New(rand.NewPCG(3, 4))
	all := [][]byte{[]byte("{}"), []byte(`{"ignition": {"version": "3.2.0"}}`)}
	for _, length := range []int{1, 2, 3, 1000, 65_537, 261_800} {
		b := make([]byte, length)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		all = append(all, b)
	}
	return append(all, bytes.Repeat([]byte("much of the same "), 60_000))
}

func (r real) configurations(t *testing.T, live coreosinstaller.Live) {
	for _, config := range configurations() {
		path := r.write(t, "config.iso", live.Image)
		if _, err := image.EditFile(path, image.Change{Ignition: config}); err != nil {
			t.Fatal(err)
		}
		if got := r.run(t.Context(), t, "", "iso", "ignition", "show", path); got != string(config) {
			t.Errorf("read %d bytes as %d", len(config), len(got))
		}
		if _, err := coreosinstaller.Run(t.Context(), r.program, []byte("{}"), "iso", "ignition", "embed", path); !errors.Is(err, coreosinstaller.ErrRefused) {
			t.Errorf("replaces an embedded configuration without --force: %v", err)
		}
		r.run(t.Context(), t, "", "iso", "ignition", "remove", path)
		if digest(read(t, path)) != digest(live.Image) {
			t.Error("iso ignition remove does not restore the image")
		}
	}
}

// grown checks an image whose embed area has been moved to the end of the image because the configuration is large.
func (r real) grown(t *testing.T) {
	live := coreosinstaller.X86()
	path := r.write(t, "grown.iso", live.Image)
	config := make([]byte, 5_000_000)
	random := rand.New(rand.NewPCG(5, 6))
	for i := range config {
		config[i] = byte(random.Uint32())
	}
	if _, err := image.EditFile(path, image.Change{Ignition: config}); err != nil {
		t.Fatal(err)
	}
	if got := r.run(t.Context(), t, "", "iso", "ignition", "show", path); got != string(config) {
		t.Errorf("read %d bytes as %d", len(config), len(got))
	}
	r.run(t.Context(), t, "", "iso", "kargs", "modify", "-a", "console=ttyS0", path)
	r.run(t.Context(), t, "", "iso", "kargs", "reset", path)
	// The real program empties the area but leaves it where it is; ours also restores the image's original size.
	r.run(t.Context(), t, "", "iso", "ignition", "remove", path)
	if _, err := image.EditFile(path, image.Change{RemoveIgnition: true}); err != nil || digest(read(t, path)) != digest(live.Image) {
		t.Errorf("removing the configuration does not restore the image: %v", err)
	}
}

func (r real) kargs(t *testing.T, live coreosinstaller.Live) {
	path := r.write(t, "kargs.iso", live.Image)
	edit := image.KargsEdit{Append: []string{"console=ttyS0", "a=1"}, Delete: []string{"ignition.firstboot"}, Replace: []string{"a=1=2"}}
	patch, err := image.EditFile(path, image.Change{Ignition: []byte("{}"), Kargs: edit})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.run(t.Context(), t, "", "iso", "kargs", "show", path); got != patch.Kargs+"\n" {
		t.Errorf("%q, want %q", got, patch.Kargs)
	}
	if got := r.run(t.Context(), t, "", "iso", "kargs", "show", "--default", path); got != coreosinstaller.Kargs+"\n" {
		t.Errorf("%q", got)
	}
	r.run(t.Context(), t, "", "iso", "reset", path)
	if digest(read(t, path)) != digest(live.Image) {
		t.Error("iso reset does not restore the image")
	}
}

// keyfiles checks that our edits keep keyfiles that the real program embedded, whether alone or together with a
// configuration.
func (r real) keyfiles(t *testing.T, live coreosinstaller.Live) {
	path := r.write(t, "network.iso", live.Image)
	keyfile := r.write(t, "eno1.nmconnection", []byte("[connection]\nid=eno1\n"))
	r.run(t.Context(), t, "", "iso", "network", "embed", "-k", keyfile, path)
	network := r.run(t.Context(), t, "", "iso", "network", "extract", path)
	before := digest(read(t, path))
	if _, err := image.EditFile(path, image.Change{Ignition: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if got := r.run(t.Context(), t, "", "iso", "network", "extract", path); got != network {
		t.Errorf("%q, want %q", got, network)
	}
	if got := r.run(t.Context(), t, "", "iso", "ignition", "show", path); got != "{}" {
		t.Errorf("%q", got)
	}
	if _, err := image.EditFile(path, image.Change{RemoveIgnition: true}); err != nil || digest(read(t, path)) != before {
		t.Errorf("removing the configuration does not restore the image: %v", err)
	}
	// The real program writes the configuration and the keyfiles into a single archive.
	r.run(t.Context(), t, "[]", "iso", "ignition", "embed", path)
	if _, err := image.EditFile(path, image.Change{Ignition: []byte("{}"), Force: true}); err != nil {
		t.Fatal(err)
	}
	if got := r.run(t.Context(), t, "", "iso", "network", "extract", path); got != network {
		t.Errorf("%q, want %q", got, network)
	}
	if got := r.run(t.Context(), t, "", "iso", "ignition", "show", path); got != "{}" {
		t.Errorf("%q", got)
	}
	r.run(t.Context(), t, "", "iso", "reset", path)
	if digest(read(t, path)) != digest(live.Image) {
		t.Error("iso reset does not restore the image")
	}
}

func (r real) initrd(t *testing.T) {
	base, err := image.Pack(image.Member{Name: "etc/coreos-live-initramfs"}, image.Member{Name: "etc/coreos/features.json", Content: []byte(`{"live-initrd-network": true}`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range configurations() {
		wrapped, err := image.Wrap(config)
		if err != nil {
			t.Fatal(err)
		}
		path := r.write(t, "wrapped.img", wrapped)
		if got := r.run(t.Context(), t, "", "pxe", "ignition", "unwrap", path); got != string(config) {
			t.Errorf("read %d bytes as %d", len(config), len(got))
		}
		its := r.run(t.Context(), t, string(config), "pxe", "ignition", "wrap")
		if got, err := image.Unwrap(strings.NewReader(its)); err != nil || !bytes.Equal(got, config) {
			t.Errorf("read %d wrapped bytes as %d: %v", len(config), len(got), err)
		}
		initramfs, err := image.ReadInitramfs(t.Context(), bytes.NewReader(base), int64(len(base)))
		if err != nil {
			t.Fatal(err)
		}
		stream, err := initramfs.Append(config)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := io.ReadAll(stream)
		if err != nil {
			t.Fatal(err)
		}
		path = r.write(t, "initramfs.img", whole)
		if got := r.run(t.Context(), t, "", "pxe", "ignition", "unwrap", path); got != string(config) {
			t.Errorf("read %d appended bytes as %d", len(config), len(got))
		}
		if _, err := coreosinstaller.Run(t.Context(), r.program, nil, "pxe", "customize", path, "-o", path+".new"); !errors.Is(err, coreosinstaller.ErrRefused) || !strings.Contains(err.Error(), "already customized") {
			t.Errorf("%v", err)
		}
	}
	path := r.write(t, "base.img", base)
	keyfile := r.write(t, "eno1.nmconnection", []byte("[connection]\nid=eno1\n"))
	_ = os.Remove(path + ".new")
	r.run(t.Context(), t, "", "pxe", "customize", path, "--network-keyfile", keyfile, "-o", path+".new")
	customized := read(t, path+".new")
	if _, err := image.ReadInitramfs(t.Context(), bytes.NewReader(customized), int64(len(customized))); !errors.Is(err, image.ErrCustomized) {
		t.Errorf("%v", err)
	}
}

// gnuCpio checks that GNU cpio unpacks our archives without warnings.
func gnuCpio(t *testing.T) {
	files := map[string]string{"config.ign": "{}", "etc/a/b": "text\n", "etc/a/c": "", "z": strings.Repeat("z", 10_001)}
	var members []image.Member
	for _, name := range slices.Sorted(maps.Keys(files)) {
		members = append(members, image.Member{Name: name, Content: []byte(files[name])})
	}
	packed, err := image.Pack(members...)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "cpio", "--extract", "--verbose", "--no-absolute-filenames")
	cmd.Dir, cmd.Stdin = folder, z
	out, err := cmd.CombinedOutput()
	lines := strings.Fields(string(out))
	if err != nil || !slices.Equal(lines[:len(lines)-2], []string{"config.ign", "etc", "etc/a", "etc/a/b", "etc/a/c", "z"}) {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range files {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if got := string(read(t, filepath.Join(folder, name))); got != want {
			t.Errorf("%s is %s", name, fmt.Sprintf("%.40q", got))
		}
	}
}
