package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

// onDisk writes an image to a temporary file and returns the path.
func onDisk(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "live.iso")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// hybrid returns an image with a protective MBR and a GPT. ISOs that can also be written to USB sticks have both.
func hybrid(t *testing.T) []byte {
	t.Helper()
	content := bytes.Clone(coreosinstaller.X86().Image)
	const block, entries = 512, 4 * 128
	content = append(content, make([]byte, 4096)...)
	last := uint64(len(content)/block - 1)
	content[510], content[511], content[450] = 0x55, 0xaa, 0xee
	binary.LittleEndian.PutUint32(content[454:], 1)
	binary.LittleEndian.PutUint32(content[458:], uint32(last))
	header := func(at []byte, mine, other, table uint64) {
		copy(at, "EFI PART\x00\x00\x01\x00\x5c\x00\x00\x00")
		for offset, value := range map[int]uint64{24: mine, 32: other, 40: 8, 48: last - 2, 72: table} {
			binary.LittleEndian.PutUint64(at[offset:], value)
		}
		binary.LittleEndian.PutUint32(at[80:], 4)
		binary.LittleEndian.PutUint32(at[84:], 128)
		binary.LittleEndian.PutUint32(at[16:], crc32.ChecksumIEEE(at[:92]))
	}
	header(content[block:2*block], 1, last, 2)
	copy(content[2*block:], "the partitions")
	copy(content[int(last-1)*block:], content[2*block:2*block+entries])
	header(content[int(last)*block:], last, 1, last-1)
	return content
}

// TestGrow checks that the area moves to the end of the image if the configuration does not fit, and that removing
// the configuration restores the original image.
func TestGrow(t *testing.T) {
	t.Parallel()
	config, other := noise(3_000_000), noise(5_000_001)
	for name, content := range map[string][]byte{
		"of 2022": coreosinstaller.Early().Image, "of today": coreosinstaller.X86().Image, "with GPT": hybrid(t),
	} {
		path := onDisk(t, content)
		edit := func(change image.Change) *image.ISO {
			t.Helper()
			before := contentT(t, path)
			stream, err := readT(t, before).Edit(change)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := &bytes.Buffer{}
			if overlay, err := stream.Stream(bytes.NewReader(before)); err != nil {
				t.Fatal(err)
			} else if _, err := want.ReadFrom(overlay); err != nil {
				t.Fatal(err)
			}
			if _, err := image.EditFile(path, change); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			after := contentT(t, path)
			if !bytes.Equal(after, want.Bytes()) {
				t.Errorf("%s: the stream has %d bytes, the file %d", name, want.Len(), len(after))
			}
			return readT(t, after)
		}
		for _, step := range [][]byte{config, other, []byte("{}"), config} {
			iso := edit(image.Change{Ignition: step, Force: true})
			if got, err := iso.Ignition(); err != nil || !bytes.Equal(got, step) {
				t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(step), err)
			}
		}
		if _, err := image.EditFile(path, image.Change{Ignition: other}); !errors.Is(err, image.ErrInUse) {
			t.Errorf("%s: %v", name, err)
		}
		iso := edit(image.Change{Kargs: image.KargsEdit{Append: []string{"console=ttyS0"}}})
		if kargs, err := iso.Kargs(); err != nil || kargs.Current != coreosinstaller.Kargs+" console=ttyS0" {
			t.Errorf("%s: %v, %v", name, kargs, err)
		}
		checkEnd(t, name, contentT(t, path))
		edit(image.Change{Kargs: image.KargsEdit{Delete: []string{"console=ttyS0"}}})
		edit(image.Change{RemoveIgnition: true})
		if !bytes.Equal(contentT(t, path), content) {
			t.Errorf("%s: the original image differs", name)
		}
	}
}

// checkEnd checks the sizes that an image declares, its backup GPT, and the zeros that GRUB for BIOS needs.
func checkEnd(t *testing.T, name string, content []byte) {
	t.Helper()
	if volume := int(binary.LittleEndian.Uint32(content[16*2048+80:])) * 2048; volume != len(content) {
		t.Errorf("%s: the volume has %d bytes, the image %d", name, volume, len(content))
	}
	if string(content[512:520]) != "EFI PART" {
		return
	}
	last := binary.LittleEndian.Uint64(content[512+32:])
	if int(last) != len(content)/512-1 || int(binary.LittleEndian.Uint32(content[458:])) != len(content)/512-1 {
		t.Errorf("%s: the backup of the GPT is in block %d of %d", name, last, len(content)/512)
	}
	for _, at := range []int{512, int(last) * 512} {
		header := bytes.Clone(content[at : at+92])
		sum := binary.LittleEndian.Uint32(header[16:])
		clear(header[16:20])
		if string(header[:8]) != "EFI PART" || crc32.ChecksumIEEE(header) != sum {
			t.Errorf("%s: the GPT at %d is broken", name, at)
		}
	}
	table := int(binary.LittleEndian.Uint64(content[int(last)*512+72:])) * 512
	if !bytes.HasPrefix(content[table:], []byte("the partitions")) {
		t.Errorf("%s: the backup has other partitions", name)
	}
	if zeros := content[table-512<<10 : table]; len(bytes.Trim(zeros, "\x00")) > 0 {
		t.Errorf("%s: no 512 KiB of zeros before the backup", name)
	}
}
