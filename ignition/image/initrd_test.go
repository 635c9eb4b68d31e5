package image_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ironworks/ignition/image"
)

func unzipT(tb testing.TB, packed []byte) []byte {
	tb.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		tb.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return plain
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, content := range []string{config, "", "{}", string(noise(100_001))} {
		wrapped, err := image.Wrap([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		// The archives must be equal except for the inode numbers.
		want := bytes.ReplaceAll(newc("config.ign", content), []byte("07070100000001"), []byte("07070100000000"))
		want = want[:len(want)-124] // without the trailer
		if got := unzipT(t, wrapped); !bytes.HasPrefix(got, want) || len(got) != len(want)+124 {
			t.Errorf("%.200q\n%.200q", got, want)
		}
		if got, err := image.Unwrap(iotest.OneByteReader(bytes.NewReader(wrapped))); err != nil || string(got) != content {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		again, err := image.Wrap([]byte(content))
		if err != nil || !bytes.Equal(again, wrapped) {
			t.Error("the same configuration gives other bytes")
		}
	}
}

func TestPack(t *testing.T) {
	t.Parallel()
	packed := packT(t,
		image.Member{Name: "c/f"}, image.Member{Name: "c/a/b/f", Mode: 0o755, Content: []byte("#!/bin/sh\n")}, image.Member{Name: "d"}, image.Member{Name: "c/g"})
	var names []string
	for rest := string(unzipT(t, packed)); ; {
		at := strings.Index(rest, "070701")
		if at < 0 {
			break
		}
		name, _, _ := strings.Cut(rest[at+110:], "\x00")
		names = append(names, rest[at+18:at+22]+" "+name)
		rest = rest[at+110:]
	}
	want := []string{"41ED c", "41ED c/a", "41ED c/a/b", "81ED c/a/b/f", "8180 c/f", "8180 c/g", "8180 d", "0000 TRAILER!!!"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	for _, name := range []string{"", "/etc/x", "../x", "a/../b", "a//b", "a/", ".", "a\x00b", strings.Repeat("a", 5000)} {
		if _, err := image.Pack(image.Member{Name: name}); err == nil {
			t.Errorf("%.20q is packed", name)
		}
	}
}

// padded returns an archive in the format of dracut-cpio, which appends zeros to the name so that the content is
// aligned to 128 bytes.
func padded(name, content string) []byte {
	b := newc(name+strings.Repeat("\x00", 17-len(name)), content)
	return b
}

func TestUnwrap(t *testing.T) {
	t.Parallel()
	wrapped, err := image.Wrap([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	other := []byte(`{"other": true}`)
	second, err := image.Wrap(other)
	if err != nil {
		t.Fatal(err)
	}
	early := newc("kernel/x86/microcode/GenuineIntel.bin", string(noise(5000)))
	large := newc("usr/lib/large", strings.Repeat("much of the same", 1<<16))
	for name, test := range map[string]struct {
		initrd []byte
		want   string
	}{
		"wrapped":                   {wrapped, config},
		"plain":                     {newc("config.ign", config), config},
		"a name with a dot":         {newc("./config.ign", config), config},
		"a name with a slash":       {newc("/config.ign", config), config},
		"a padded name":             {padded("config.ign", config), config},
		"behind an initramfs":       {slices.Concat(early, zstdOf(t, large), make([]byte, 2), wrapped), config},
		"between two":               {slices.Concat(early, wrapped, xzOther, zstdOf(t, large)), config},
		"the last one":              {slices.Concat(second, zstdOf(t, newc("config.ign", "{}")), xzConfig), config},
		"the last one in xz":        {slices.Concat(xzConfig, xzConfig, wrapped, second), string(other)},
		"two archives in one":       {zstdOf(t, slices.Concat(newc("config.ign", "{}"), make([]byte, 8), newc("config.ign", config))), config},
		"with zeros around":         {slices.Concat(make([]byte, 1000), wrapped, make([]byte, 100_000)), config},
		"with a checksum":           {bytes.Replace(newc("config.ign", config), []byte("070701"), []byte("070702"), 1), config},
		"a folder of the same name": {slices.Concat(wrapped, bytes.Replace(newc("config.ign", ""), []byte("00008180"), []byte("000041ED"), 1)), config},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{bytes.NewReader(test.initrd), iotest.HalfReader(bytes.NewReader(test.initrd)), iotest.DataErrReader(bytes.NewReader(test.initrd))} {
				if got, err := image.Unwrap(r); err != nil || string(got) != test.want {
					t.Errorf("%q, %v", got, err)
				}
			}
		})
	}
	for name, initrd := range map[string][]byte{"nothing": nil, "zeros": make([]byte, 100), "another": early} {
		if got, err := image.Unwrap(bytes.NewReader(initrd)); !errors.Is(err, image.ErrNotEmbedded) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := image.Unwrap(iotest.ErrReader(errDisk)); !errors.Is(err, errDisk) {
		t.Errorf("%v", err)
	}
}

// liveInitramfs returns the initramfs of a live system. Its length is odd.
func liveInitramfs(tb testing.TB) []byte {
	tb.Helper()
	return append(slices.Concat(newc("early", "microcode"), zstdOf(tb, slices.Concat(newc("etc/coreos-live-initramfs", ""), newc("init", "#!/bin/sh")))), 0)
}

func TestAppendToInitramfs(t *testing.T) {
	t.Parallel()
	base := liveInitramfs(t)
	initramfs, err := image.ReadInitramfs(t.Context(), bytes.NewReader(base), int64(len(base)))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := initramfs.Append([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(stream)
	if err != nil || !bytes.HasPrefix(got, base) || int64(len(got)) != stream.Size() {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	packed := packT(t, image.Member{Name: "config.ign", Content: []byte(config)})
	if at := len(got) - len(packed); at%4 != 0 || !bytes.Equal(got[at:], packed) || len(bytes.Trim(got[len(base):at], "\x00")) != 0 {
		t.Errorf("the archive begins at %d of %d", at, len(got))
	}
	checkAppended(t, stream, got)
}

// checkAppended checks that a stream, whose content is got, can be read in any way, and that it ends with the
// configuration.
func checkAppended(t *testing.T, stream *image.Overlay, got []byte) {
	t.Helper()
	if _, err := stream.Seek(0, io.SeekStart); err != nil {
		t.Error(err)
	}
	if err := iotest.TestReader(stream, got); err != nil {
		t.Error(err)
	}
	if found, err := image.Unwrap(bytes.NewReader(got)); err != nil || string(found) != config {
		t.Errorf("%q, %v", found, err)
	}
	if _, err := image.ReadInitramfs(t.Context(), bytes.NewReader(got), int64(len(got))); !errors.Is(err, image.ErrCustomized) {
		t.Errorf("%v", err)
	}
}

// TestAppendToZstd checks the workaround for Ironic 39.0.0, which unpacks an initramfs that starts with zstd and
// fails if data follows the zstd frame.
func TestAppendToZstd(t *testing.T) {
	t.Parallel()
	base := zstdOf(t, newc("etc/coreos-live-initramfs", ""))
	initramfs, err := image.ReadInitramfs(t.Context(), bytes.NewReader(base), int64(len(base)))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := initramfs.Append([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(stream)
	if err != nil || int64(len(got)) != stream.Size() {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if bytes.HasPrefix(got, base[:4]) {
		t.Error("the initramfs begins as zstd")
	}
	if at := bytes.Index(got, base); at <= 0 || at%4 != 0 {
		t.Errorf("the original begins at %d", at)
	}
	checkAppended(t, stream, got)
}

func TestInitramfsThatIsNone(t *testing.T) {
	t.Parallel()
	base := liveInitramfs(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name    string
		ctx     context.Context //nolint:containedctx // one of each case
		content []byte
		want    error
	}{
		{"nothing", t.Context(), nil, image.ErrNotLive},
		{"an installed system's", t.Context(), newc("init", "x"), image.ErrNotLive},
		{"a kernel", t.Context(), noise(1000), image.ErrNotLive},
		{"cut off", t.Context(), base[:len(base)-40], image.ErrNotLive},
		{"keyfiles", t.Context(), slices.Concat(base, packT(t, image.Member{Name: "etc/coreos-firstboot-network/x"})), image.ErrCustomized},
		{"too late", ended, base, context.Canceled},
	} {
		if got, err := image.ReadInitramfs(test.ctx, bytes.NewReader(test.content), int64(len(test.content))); !errors.Is(err, test.want) || got != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestKernelArgs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		pxe  image.PXE
		want string
	}{
		{"appended", image.PXE{}, "ignition.firstboot ignition.platform.id=metal"},
		{
			"all",
			image.PXE{RootfsURL: "http://[fd00::1]:8080/rootfs.img", ConfigURL: "https://10.0.0.1/x/config.ign?a=b", Extra: []string{"console=ttyS0 rd.neednet=1", " ip=dhcp "}},
			"coreos.live.rootfs_url=http://[fd00::1]:8080/rootfs.img ignition.config.url=https://10.0.0.1/x/config.ign?a=b ignition.firstboot ignition.platform.id=metal console=ttyS0 rd.neednet=1 ip=dhcp",
		},
		{"a host with a space", image.PXE{ConfigURL: "http://a%20b:80"}, ""},
		{"a space", image.PXE{RootfsURL: "http://host/root fs.img"}, ""},
		{"a quote", image.PXE{RootfsURL: `http://host/"`}, ""},
		{"a second line", image.PXE{Extra: []string{"a\nb"}}, ""},
		{"an open quote", image.PXE{Extra: []string{`a="b`, `c"`}}, ""},
		{"a colon", image.PXE{Extra: []string{"a:b"}}, ""},
	} {
		got, err := test.pxe.KernelArgs()
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
}
