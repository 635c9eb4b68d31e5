package agent_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ironworks/agent/imageformat"
	"ironworks/test/agent"
	"ironworks/test/ironic"
	"ironworks/test/seeds"
)

// descriptor is the text descriptor that a VMDK image contains.
const descriptor = "# Disk DescriptorFile\nversion=1\ncreateType=\"monolithicSparse\"\n# Extent\nRW 2048 SPARSE \"disk.vmdk\"\nddb.adapterType = \"ide\"\n"

// sampleImages returns small images of every format, and other contents, some of which only look like an image. The
// map is keyed by name.
func sampleImages() map[string][]byte {
	filled := func(size int, parts ...any) []byte {
		content := make([]byte, size)
		for i := 0; i < len(parts); i += 2 {
			at := parts[i].(int)
			switch part := parts[i+1].(type) {
			case string:
				copy(content[at:], part)
			case uint64:
				binary.BigEndian.PutUint64(content[at:], part)
			case int:
				binary.LittleEndian.PutUint64(content[at:], uint64(part))
			}
		}
		return content
	}
	qcow := filled(4096, 0, "QFI\xfb\x00\x00\x00\x03", 24, uint64(1<<30))
	mbr := filled(1<<20, 510, "\x55\xaa", 446, "\x00\x00\x02\x00\xee\xff\xff\xff\x01\x00\x00\x00\xff\x07\x00\x00")
	bootable := filled(64<<10, 32768, "\x01CD001\x01", 32768+80, 1000, 32768+128, 2048, 510, "\x55\xaa", 446, "\x80\x00\x02\x00\x17\xff\xff\xff\x00\x00\x00\x00\xff\x07\x00\x00")
	vmdk := filled(128<<10, 0, "KDMV\x01\x00\x00\x00", 12, 2048, 28, 1, 36, 20, 512, descriptor)
	footer := slices.Concat(vmdk, filled(512, 12, "\x03"), vmdk[:512], make([]byte, 512))
	copy(footer[56:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	vhdx := filled(512<<10, 0, "vhdxfile", 192<<10, "regi", 192<<10+8, 1, 192<<10+16, "\x06\xa2\x7c\x8b\x90\x47\x9a\x4b\xb8\xfe\x57\x5f\x05\x0f\x88\x6e", 192<<10+32, 256<<10,
		256<<10, "metadata", 256<<10+10, "\x01\x00", 256<<10+32, "\x24\x42\xa5\x2f\x1b\xcd\x76\x48\xb2\x11\x5d\xbe\xd8\x3b\xf4\xb8", 256<<10+48, "\x00\x00\x01\x00\x08\x00\x00\x00", 320<<10, 1<<31)
	return map[string][]byte{
		"empty": {}, "short": []byte("abc"), "text": []byte("hello, this is no image\n"), "zeros": make([]byte, 1<<20),
		"qcow2": qcow, "qcow2-backing": filled(4096, 0, "QFI\xfb\x00\x00\x00\x03", 8, uint64(104)), "qcow2-data": filled(4096, 0, "QFI\xfb\x00\x00\x00\x03", 72, uint64(4)),
		"qcow2-unknown": filled(4096, 0, "QFI\xfb\x00\x00\x00\x03", 72, uint64(1<<20)), "qcow1": filled(4096, 0, "QFI\xfb\x00\x00\x00\x01"), "qcow2-v2": filled(4096, 0, "QFI\xfb\x00\x00\x00\x02", 24, uint64(7)),
		"qcow2-cut": qcow[:300], "qcow2-mbr": slices.Concat(qcow[:510], []byte{0x55, 0xaa}, qcow[512:]),
		"gpt": mbr, "mbr-empty": filled(4096, 510, "\x55\xaa"), "fat": filled(4096, 510, "\x55\xaa", 0x10, "\x02", 0x15, "\xf8"),
		"iso": filled(64<<10, 32768, "\x01CD001\x01", 32768+80, 1000, 32768+128, 2048), "iso-bootable": bootable, "udf": filled(64<<10, 32768, "\x00NSR02"),
		"vmdk": vmdk, "vmdk-footer": footer, "vmdk-text": []byte(descriptor), "vmdk-cut": vmdk[:1000], "vmdk-tiny": []byte("KDMV"),
		"vmdk-path": bytes.ReplaceAll([]byte(descriptor), []byte("disk.vmdk"), []byte("/etc/shadow")), "vmdk-line": []byte(descriptor + "surprise\n"),
		"vmdk-flat": bytes.ReplaceAll(vmdk, []byte("monolithicSparse"), []byte("monolithicFlat12")), "vmdk-none": bytes.ReplaceAll(vmdk, []byte("RW 2048"), []byte("#W 2048")),
		"vdi": filled(4096, 0x40, "\x7f\x10\xda\xbe", 0x170, 1<<32), "qed": filled(4096, 0, "QED\x00"), "vhd": filled(4096, 0, "conectix", 40, uint64(1<<29)), "vhd-cut": []byte("conectix"),
		"vhdx": vhdx, "vhdx-cut": vhdx[:300<<10], "vhdx-bare": filled(300<<10, 0, "vhdxfile"),
		"luks": filled(1<<20, 0, "LUKS\xba\xbe\x00\x01", 104, uint64(8<<32)), "luks2": filled(1<<20, 0, "LUKS\xba\xbe\x00\x02"),
		"gzip": filled(4096, 0, "\x1f\x8b\x08"), "zstd": filled(4096, 0, "\x28\xb5\x2f\xfd"),
	}
}

// damagedImages adds damaged copies of every image. In each copy, one to three of the first 640 bytes are
// overwritten.
func damagedImages(t *testing.T, images map[string][]byte) {
	for _, name := range slices.Sorted(maps.Keys(images)) {
		for _, seed := range seeds.For(t, 4) {
			random := rand.New(rand.NewPCG(seed, uint64(len(name))))
			damaged := slices.Clone(images[name])
			for range min(len(damaged), 1+random.IntN(3)) {
				at := random.IntN(min(len(damaged), 640))
				damaged[at] = []byte{0, 1, 2, 3, 0x20, 0x7f, 0x80, 0xff}[random.IntN(8)]
			}
			images[fmt.Sprintf("%s-damaged-%d", name, seed)] = damaged
		}
	}
}

// TestImageFormats checks that package imageformat finds the same format and size in each image as the real agents,
// or refuses the image for the same reason.
func TestImageFormats(t *testing.T) {
	images := sampleImages()
	damagedImages(t, images)
	folder := t.TempDir()
	for name, content := range images {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, release := range ironic.Releases(t) {
		rules := imageformat.Current
		unsafe, ambiguous := "Security: Image failed safety check", "Security: Image matched multiple potential formats"
		if release.Name() != "newest" {
			rules, ambiguous = imageformat.Old, "Security: Unable to safety check image"
		}
		answers := json.NewDecoder(bytes.NewReader(agent.RunFile(t, release, "imageformat.py", folder)))
		compared := 0
		for answers.More() {
			var real struct {
				Name, Format, Error, Crash string
				Size                       int64
			}
			if err := answers.Decode(&real); err != nil {
				t.Fatal(err)
			}
			if real.Crash != "" {
				continue // a crash fails the step, whatever the format is
			}
			compared++
			content := images[real.Name]
			found, err := imageformat.Inspect(bytes.NewReader(content), int64(len(content)), rules)
			problem := ""
			var refused *imageformat.UnsafeError
			switch {
			case errors.As(err, &refused):
				problem = unsafe
			case err != nil:
				problem = ambiguous
			}
			if found.Name != real.Format || problem != real.Error || err == nil && found.VirtualSize != real.Size {
				t.Errorf("%s, %s: %+v, %v; the agent: %+v", release.Name(), real.Name, found, err, real)
			}
		}
		if compared < len(images)*9/10 {
			t.Errorf("%s: only %d of %d images were compared", release.Name(), compared, len(images))
		}
		t.Logf("%s: %d images", release.Name(), compared)
	}
}
