package image

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

const (
	// configName is the path of the configuration in the initramfs of the live system.
	configName = "config.ign"
	// networkFolder contains NetworkManager's keyfiles for the initramfs.
	networkFolder = "etc/coreos-firstboot-network"
	// maxUnpacked limits the total size of an area's archives after decompression, in bytes.
	maxUnpacked = 64 << 20
	// maxInitramfs limits the unpacked size in bytes. Initramfs have about 0.2 GiB, and few files stay in memory.
	maxInitramfs = 8 << 30
	// maxConfig limits the size of a configuration in an initramfs, in bytes.
	maxConfig = 64 << 20
	// maxWindow limits a decoder's memory, in bytes: 64 MiB are needed for xz -9, and 128 MiB for zstd --ultra.
	maxWindow = 128 << 20
)

// errUnpacked means that an archive is suspiciously large after decompression. The limit is appended to its message.
var errUnpacked = errors.New("the uncompressed archive is larger than")

// Member is a file in an initrd or in the area of a live image.
type Member struct {
	// Name is the path without a leading slash.
	Name string
	// Mode holds the permission bits; 0 means 0600.
	Mode    uint32
	Content []byte
}

// Pack returns an initrd that contains members and their parent folders. It is a newc cpio archive compressed with
// gzip, which every CoreOS kernel and coreos-installer support. The output is deterministic.
func Pack(members ...Member) ([]byte, error) {
	var entries []entry
	var made []string
	for _, m := range slices.SortedStableFunc(slices.Values(members), func(a, b Member) int { return strings.Compare(a.Name, b.Name) }) {
		if m.Name == "" || path.Clean("/"+m.Name) != "/"+m.Name || len(m.Name) >= maxName || strings.Contains(m.Name, "\x00") {
			return nil, fmt.Errorf("packing: %q is not a file path", m.Name)
		}
		// The kernel can unpack a file only if its folder precedes it in the archive.
		for at, c := range m.Name {
			if folder := m.Name[:at]; c == '/' && !slices.Contains(made, folder) {
				made = append(made, folder)
				entries = append(entries, newEntry(folder, typeFolder|0o755, nil))
			}
		}
		entries = append(entries, newEntry(m.Name, typeFile|cmp.Or(m.Mode&0o7777, 0o600), m.Content))
	}
	return compress(writeArchive(entries)), nil
}

func newEntry(name string, mode uint32, content []byte) entry {
	e := entry{name: name, content: content}
	e.fields[fieldMode], e.fields[fieldLinks] = mode, 1
	return e
}

// Wrap returns an initrd with only a configuration, which a boot loader can load in addition to the initramfs.
func Wrap(config []byte) ([]byte, error) {
	return Pack(Member{Name: configName, Content: config})
}

// Unwrap returns the Ignition configuration in an initrd. An initrd consists of consecutive archives, each of which
// is uncompressed or compressed with gzip, xz or zstd. If several archives contain a configuration, the last one
// counts, as in the kernel. Unwrap returns [ErrNotEmbedded] if there is none.
func Unwrap(r io.Reader) ([]byte, error) {
	var config []byte
	err := readInitrd(r, maxInitramfs, func(e *entry, content io.Reader) error {
		if e.relativeName() != configName || !e.isFile() {
			return nil
		}
		var err error
		config, err = readContent(e, content, maxConfig)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the initrd: %w", err)
	}
	if config == nil {
		return nil, ErrNotEmbedded
	}
	return config, nil
}

func readContent(e *entry, content io.Reader, limit uint32) ([]byte, error) {
	size := e.fields[fieldSize]
	if size > limit {
		return nil, fmt.Errorf("%s has %d bytes, but the limit is %d", e.relativeName(), size, limit)
	}
	// The size in the header may be false, so let the buffer grow with the actual content.
	b := bytes.NewBuffer(make([]byte, 0, min(size, 64<<10)))
	if _, err := io.Copy(b, content); err != nil {
		return nil, fmt.Errorf("reading %s: %w", e.relativeName(), err)
	}
	if b.Len() < int(size) {
		return nil, broken(io.EOF)
	}
	return b.Bytes(), nil
}

// readInitrd calls visit for each entry of each archive. It fails if all archives unpack to more than limit bytes.
func readInitrd(r io.Reader, limit int64, visit func(*entry, io.Reader) error) error {
	a := newArchives(r, limit)
	for {
		found, err := skipZeros(a.in)
		if err != nil || !found {
			return err
		}
		if err := a.read(visit); err != nil {
			return err
		}
	}
}

// archives reads the consecutive archives of an initrd and tracks the position of each.
type archives struct {
	counted countingReader
	in      *bufio.Reader
	// left is the number of bytes that may still be unpacked; limit is its initial value.
	left, limit int64
}

func newArchives(r io.Reader, limit int64) *archives {
	a := &archives{counted: countingReader{r: r}, left: limit, limit: limit}
	a.in = bufio.NewReaderSize(&a.counted, 64<<10)
	return a
}

func (a *archives) position() int64 { return a.counted.n - int64(a.in.Buffered()) }

// skipZeros skips the zeros between archives and reports whether another archive follows.
func skipZeros(in *bufio.Reader) (bool, error) {
	for {
		b, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case b != 0:
			return true, in.UnreadByte()
		}
	}
}

// read reads one uncompressed archive, or all archives in one compressed part.
func (a *archives) read(visit func(*entry, io.Reader) error) error {
	unpacker, err := unpack(a.in)
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	if unpacker == nil {
		return readArchive(&limitReader{a.in, a}, visit)
	}
	defer func() { _ = unpacker.Close() }()
	// Like the kernel, accept several archives in one compressed part. Only zeros may follow the last one.
	unpacked := bufio.NewReaderSize(&limitReader{unpacker, a}, 64<<10)
	for {
		found, err := skipZeros(unpacked)
		if err != nil {
			return fmt.Errorf("unpacking: %w", err)
		}
		if !found {
			return nil
		}
		if err := readArchive(unpacked, visit); err != nil {
			return err
		}
	}
}

// limitReader counts the unpacked bytes of an initrd and fails if they exceed the limit.
type limitReader struct {
	r io.Reader
	a *archives
}

func (l *limitReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.a.left -= int64(n); l.a.left < 0 {
		return 0, fmt.Errorf("%w %d bytes", errUnpacked, l.a.limit)
	}
	return n, err
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpack returns a decompressing reader for the next archive, or nil if it is not compressed. It knows the formats of
// coreos-installer, dracut and assisted-image-service. The reader consumes exactly the compressed part of in.
func unpack(in *bufio.Reader) (io.ReadCloser, error) {
	magic, _ := in.Peek(6) // if the archive is too short, readArchive reports it
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in) // in is a ByteReader, so gzip does not read ahead
		if err != nil {
			return nil, err
		}
		z.Multistream(false)
		return z, nil
	case bytes.HasPrefix(magic, []byte("\xfd7zXZ\x00")):
		z, err := xz.NewReader(xzFrame(in), maxWindow)
		if err != nil {
			return nil, err
		}
		z.Multistream(false)
		return io.NopCloser(z), nil
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(zstdFrame(in), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	default:
		return nil, nil
	}
}

// compress compresses an archive with gzip at the best compression level, because the area is small.
func compress(archive []byte) []byte {
	var b bytes.Buffer
	// None of the calls can fail, because the level is valid and writing to a buffer always succeeds.
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(archive)
	_ = z.Close()
	return b.Bytes()
}
