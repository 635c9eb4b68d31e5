package image_test

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

// gibibyte writes a sparse image with a size of 1 GiB and returns its path.
func gibibyte(tb testing.TB) string {
	tb.Helper()
	path := fileT(tb, coreosinstaller.X86().Image)
	if err := os.Truncate(path, 1<<30); err != nil {
		tb.Fatal(err)
	}
	return path
}

// benchConfig returns a configuration that is as large as that of a deploy ramdisk with certificates and keyfiles.
func benchConfig() []byte {
	return []byte(`{"ignition": {"version": "3.2.0"}, "x": "` + strings.Repeat(strconv.Quote(string(noise(40))), 300) + `"}`)
}

// BenchmarkEmbed embeds a configuration in place into a 1 GiB image. The measured time includes the call to fsync.
func BenchmarkEmbed(b *testing.B) {
	path, config := gibibyte(b), benchConfig()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := image.EditFile(path, image.Change{Ignition: config, Force: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStream streams the whole image for one node.
func BenchmarkStream(b *testing.B) {
	iso, err := image.Open(gibibyte(b))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = iso.Close() }()
	patch, err := iso.Edit(image.Change{Ignition: benchConfig()})
	if err != nil {
		b.Fatal(err)
	}
	stream, err := patch.Stream(iso)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(stream.Size())
	b.ReportAllocs()
	buffer := make([]byte, 32<<10)
	for b.Loop() {
		if _, err := stream.Seek(0, io.SeekStart); err != nil {
			b.Fatal(err)
		}
		if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{stream}, buffer); n != stream.Size() {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkUnwrap searches for a configuration in an initramfs with an uncompressed size of 64 MiB.
func BenchmarkUnwrap(b *testing.B) {
	wrapped, err := image.Wrap(benchConfig())
	if err != nil {
		b.Fatal(err)
	}
	initrd := append(zstdOf(b, newc("large", string(bytes.Repeat(noise(1<<16), 1<<10)))), wrapped...)
	b.SetBytes(64 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := image.Unwrap(bytes.NewReader(initrd)); err != nil {
			b.Fatal(err)
		}
	}
}
