package prepare_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/lab/iso9660"
	"ironworks/models"
	"ironworks/test/fetch"
)

// pxeISO returns the path of a live image that contains a kernel, an initramfs and a root file system. If without is
// not empty, it is the path of a file to leave out.
func pxeISO(t *testing.T, initramfs []byte, without string) string {
	t.Helper()
	tree := iso9660.Tree{
		"coreos/igninfo.json": []byte(`{"file": "images/ignition.img"}` + "\n"), "images/ignition.img": make([]byte, 256<<10),
		"images/pxeboot/vmlinuz": []byte("kernel"), "images/pxeboot/initrd.img": initramfs, "images/pxeboot/rootfs.img": []byte("root"),
	}
	delete(tree, without)
	content, _ := tree.Image("test")
	return put(t, "live.iso", content)
}

func liveInitramfs(t *testing.T) []byte {
	t.Helper()
	base, err := image.Pack(image.Member{Name: "etc/coreos-live-initramfs"})
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// TestPXEOfAnISO checks that the boot files in an image are served instead of the image.
func TestPXEOfAnISO(t *testing.T) {
	t.Parallel()
	base := liveInitramfs(t)
	for _, byURL := range []bool{false, true} {
		images, err := prepare.Source{ISO: pxeISO(t, base, ""), PXE: true, ConfigURL: byURL, WithDefaults: true}.Images()
		if err != nil {
			t.Fatal(err)
		}
		if !images.HasRootfs() {
			t.Error("no root file system")
		}
		one := func(label string) ([]byte, error) { return configOf(label), nil }
		if err := images.AddEach(t.Context(), nil, one, false); err != nil {
			t.Fatal(err)
		}
		targets := published(t, images)
		if len(targets) != 1 || targets[0].Node != (models.NodeRef{}) || targets[0].ISO != "" {
			t.Fatalf("%+v", targets)
		}
		target := targets[0]
		initrd := fetch.Content(t, target.Initrd)
		if string(fetch.Content(t, target.Kernel)) != "kernel" || !bytes.HasPrefix(initrd, base) || byURL != (len(initrd) == len(base)) {
			t.Errorf("%+v: an initrd of %d bytes", target, len(initrd))
		}
		if !strings.HasPrefix(target.KernelParams, models.DefaultKernelParameters+" coreos.live.rootfs_url=http://") || byURL != strings.Contains(target.KernelParams, "ignition.config.url=") {
			t.Errorf("kernel parameters %q", target.KernelParams)
		}
	}
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	with, _ := liveISO(t, configOf("n1"))
	_, content := liveISO(t, configOf("n1"))
	packed, err := image.Wrap(configOf("n1"))
	if err != nil {
		t.Fatal(err)
	}
	copy(content[bytes.Index(content, packed)+len(packed)/2:], bytes.Repeat([]byte{0xff}, 32))
	kernel := put(t, "k", nil)
	for name, tt := range map[string]struct {
		source prepare.Source
		want   []byte
		fails  bool
	}{
		"a configuration": {source: prepare.Source{ISO: with}, want: configOf("n1")},
		"a broken one":    {source: prepare.Source{ISO: put(t, "broken.iso", content)}, fails: true},
		"no ISO":          {source: prepare.Source{Kernel: kernel, Initrd: kernel}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			images, err := tt.source.Images()
			if err != nil {
				t.Fatal(err)
			}
			defer images.Close()
			if images.HasRootfs() {
				t.Error("a root file system")
			}
			if got, err := images.Embedded(); !bytes.Equal(got, tt.want) || (err != nil) != tt.fails {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// TestStreamsThatCannotBeMade checks that the error names the image when a stream cannot be created.
func TestStreamsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	with, _ := liveISO(t, configOf("old"))
	text := put(t, "text", []byte("hello"))
	hello := pxeISO(t, []byte("hello"), "")
	errConfig := errors.New("no configuration")
	for name, tt := range map[string]struct {
		source prepare.Source
		config error
		force  bool
		want   error
		text   string
	}{
		"in use":                  {source: prepare.Source{ISO: with}, want: image.ErrInUse, text: with + ": "},
		"in use, and forced":      {source: prepare.Source{ISO: with}, force: true},
		"in use, and replaced":    {source: prepare.Source{ISO: with, Force: true}},
		"no configuration":        {source: prepare.Source{ISO: with}, config: errConfig, want: errConfig},
		"no initramfs":            {source: prepare.Source{Kernel: text, Initrd: text}, text: text + ": "},
		"no initramfs in the ISO": {source: prepare.Source{ISO: hello, PXE: true}, text: hello + ": " + image.Initrd + ": "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			images, err := tt.source.Images()
			if err != nil {
				t.Fatal(err)
			}
			defer images.Close()
			err = images.AddEach(t.Context(), []models.Node{{UUID: "1"}}, func(string) ([]byte, error) { return configOf("n1"), tt.config }, tt.force)
			if tt.want == nil && tt.text == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), tt.text) {
				t.Errorf("error %v, want %v with %q", err, tt.want, tt.text)
			}
		})
	}
}

// TestAPXEImageWithoutAPart checks that the error names the image if the image lacks one of the boot files.
func TestAPXEImageWithoutAPart(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"images/pxeboot/vmlinuz", "images/pxeboot/initrd.img", "images/pxeboot/rootfs.img"} {
		path := pxeISO(t, liveInitramfs(t), part)
		if _, err := (prepare.Source{ISO: path, PXE: true}).Images(); !errors.Is(err, image.ErrNoFile) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("without %s: %v", part, err)
		}
	}
}

// TestPublishRefuses checks that Publish rejects kernel arguments that Ironic would reject.
func TestPublishRefuses(t *testing.T) {
	t.Parallel()
	images, err := prepare.Source{Kernel: put(t, "k", []byte("kernel")), Initrd: put(t, "i", liveInitramfs(t)), Kargs: []string{"a'b"}}.Images()
	if err != nil {
		t.Fatal(err)
	}
	defer images.Close()
	if err := images.AddEach(t.Context(), nil, func(string) ([]byte, error) { return configOf("n1"), nil }, false); err != nil {
		t.Fatal(err)
	}
	server, err := serve.Listen(t.Context(), serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	targets, err := images.Publish(server, "127.0.0.1")
	var bad *models.KernelParametersError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), `kernel argument "a'b"`) || targets != nil {
		t.Errorf("targets %v, error %v", targets, err)
	}
}

// TestWhoIsUnknown checks that WhoIs ignores host names that do not resolve.
func TestWhoIsUnknown(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	nodes := []models.Node{{Name: "n1", DriverInfo: map[string]any{"redfish_address": "https://bmc.invalid"}}, {Name: "n2", DriverInfo: map[string]any{"ipmi_address": 7}}}
	if got := prepare.WhoIs(ended, "", nodes)(netip.MustParseAddr("192.0.2.1")); got != "" {
		t.Errorf("%q", got)
	}
	if hosts := prepare.BMCHosts(&nodes[1]); hosts != nil {
		t.Errorf("of an address that is a number: %q", hosts)
	}
}

// TestWriteFileIntoNoFolder checks that the error names the file if its folder does not exist.
func TestWriteFileIntoNoFolder(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/none/a.ign"
	for _, force := range []bool{false, true} {
		if err := prepare.WriteFile(t.Context(), path, strings.NewReader("x"), force); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none") {
			t.Errorf("force %t: %v", force, err)
		}
	}
}
