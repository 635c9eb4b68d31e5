package ignition

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/cavaliergopher/cpio"
	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

const (
	// embeddedName is the file that the live system's initramfs gets.
	embeddedName = "config.ign"
	// maxUnpacked bounds an archive that grows when it is unpacked.
	maxUnpacked = 256 << 20
)

// Embedded reads the configuration that is embedded in a CoreOS live image of
// size bytes. [ErrNotISO], [ErrNoArea] and [ErrNotEmbedded] are what an image
// may be instead.
func Embedded(image io.ReaderAt, size int64) ([]byte, error) {
	place, err := findArea(image, size)
	if err != nil {
		return nil, err
	}
	content := make([]byte, place.length)
	if _, err := image.ReadAt(content, place.offset); err != nil {
		return nil, fmt.Errorf("reading the embedded configuration: %w", err)
	}
	config, err := configOf(content)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded configuration: %w", err)
	}
	if config == nil {
		return nil, ErrNotEmbedded
	}
	return config, nil
}

// configOf unpacks the area: archives one after the other with zeros between
// and after them. The last file of a name counts, as for the kernel.
func configOf(content []byte) ([]byte, error) {
	content = bytes.TrimLeft(content, "\x00")
	if len(content) == 0 {
		return nil, nil
	}
	unpacked, err := unpack(content)
	if err != nil {
		return nil, err
	}
	var config []byte
	for rest := bytes.NewReader(unpacked); skipZeros(rest); {
		archive := cpio.NewReader(rest)
		for {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("a broken archive: %w", err)
			}
			if header.Name != embeddedName {
				continue
			}
			if config, err = io.ReadAll(archive); err != nil {
				return nil, fmt.Errorf("reading %s: %w", embeddedName, err)
			}
		}
	}
	return config, nil
}

// skipZeros reports whether anything follows them.
func skipZeros(r *bytes.Reader) bool {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return false
		}
		if b != 0 {
			return r.UnreadByte() == nil
		}
	}
}

// unpack knows what the kernel knows of what coreos-installer and
// assisted-image-service write.
func unpack(content []byte) ([]byte, error) {
	var r io.Reader
	switch {
	case bytes.HasPrefix(content, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("unpacking: %w", err)
		}
		z.Multistream(false) // zeros follow
		r = z
	case bytes.HasPrefix(content, []byte("\xfd7zXZ\x00")):
		z, err := xz.NewReader(bytes.NewReader(content), 0)
		if err != nil {
			return nil, fmt.Errorf("unpacking: %w", err)
		}
		z.Multistream(false)
		r = z
	case bytes.HasPrefix(content, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(bytes.NewReader(content), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked))
		if err != nil {
			return nil, fmt.Errorf("unpacking: %w", err)
		}
		defer z.Close()
		r = z
	default:
		return content, nil
	}
	unpacked, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	// The decoder takes the zeros after a frame for another one.
	if err != nil && (len(unpacked) == 0 || !errors.Is(err, zstd.ErrMagicMismatch)) {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	if len(unpacked) > maxUnpacked {
		return nil, fmt.Errorf("unpacking: more than %d bytes", maxUnpacked)
	}
	return unpacked, nil
}
