package coreosinstaller

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"

	"ironworks/lab/iso9660"
)

// Properties that all images of this package have in common.
const (
	// Volume is the volume label. Kargs are the default kernel arguments.
	Volume = "fedora-coreos-44.20260803.3.0"
	Kargs  = "mitigations=auto,nosmt coreos.liveiso=" + Volume + " ignition.firstboot ignition.platform.id=metal"
	// AreaSize is the size of the embed area for a configuration, and KargsSize the size of the area for kernel
	// arguments. Both are in bytes.
	AreaSize  = 256 << 10
	KargsSize = len(Kargs) + 1024
)

// Live is a small image that coreos-installer recognizes as a CoreOS live image, with the offsets of its areas. It
// does not boot.
type Live struct {
	Image []byte
	// Area is the offset of the embed area for a configuration. KargsAreas are the offsets of the areas for kernel
	// arguments.
	Area       int64
	KargsAreas []int64
}

// Clone returns a copy of the image.
func (l Live) Clone() Live {
	l.Image = bytes.Clone(l.Image)
	return l
}

const afterKargs = "# COREOS_KARG_EMBED_AREA\n"

func bootLoader(before string) []byte {
	line := Kargs + "\n" + strings.Repeat("#", KargsSize-len(Kargs)-1)
	return []byte(before + line + afterKargs)
}

// tree returns the files that all current images contain.
func tree() iso9660.Tree {
	return iso9660.Tree{
		"coreos/features.json":       []byte(`{"installer-config": true, "live-initrd-network": true}`),
		"images/pxeboot/vmlinuz":     []byte("a kernel\n"),
		"images/pxeboot/initrd.img":  []byte("an initramfs\n"),
		"images/pxeboot/rootfs.img":  bytes.Repeat([]byte("a root file system\n"), 500),
		"EFI/fedora/grub.cfg":        bootLoader("linux /images/pxeboot/vmlinuz "),
		"isolinux/isolinux.cfg":      bootLoader("append initrd=/images/pxeboot/initrd.img "),
		"images/ignition.img":        make([]byte, AreaSize),
		"zipl.prm":                   []byte("nothing"),
		"EFI/BOOT/BOOTX64.EFI":       []byte("nothing"),
		"a.folder/of.names/readme.1": []byte("nothing"),
	}
}

var bootLoaders = []struct {
	path   string
	offset int
}{
	{"EFI/fedora/grub.cfg", len("linux /images/pxeboot/vmlinuz ")},
	{"isolinux/isolinux.cfg", len("append initrd=/images/pxeboot/initrd.img ")},
}

func kargsInfo(size int, files ...map[string]any) []byte {
	info, err := json.MarshalIndent(map[string]any{"default": Kargs, "size": size, "files": files}, "", "  ")
	if err != nil {
		panic(err) // maps of strings and numbers can always be encoded
	}
	return info
}

// X86 returns an image for x86_64 in the format used since 2023, with igninfo.json and kargs.json.
func X86() Live {
	t := tree()
	t["coreos/igninfo.json"] = []byte("{\"file\": \"images/ignition.img\"}\n")
	return modern(t)
}

// Early returns an image in the format of 2022, without igninfo.json.
func Early() Live { return modern(tree()) }

func modern(t iso9660.Tree) Live {
	var files []map[string]any
	for _, loader := range bootLoaders {
		files = append(files, map[string]any{"path": loader.path, "offset": loader.offset})
	}
	t["coreos/kargs.json"] = kargsInfo(KargsSize, files...)
	image, offsets := t.Image(Volume)
	return locate(image, offsets)
}

func locate(image []byte, offsets map[string]int64) Live {
	l := Live{Image: image, Area: offsets["images/ignition.img"]}
	for _, loader := range bootLoaders {
		l.KargsAreas = append(l.KargsAreas, offsets[loader.path]+int64(loader.offset))
	}
	return l
}

// S390X returns an image for s390x in the format used since 2023: both areas are in one file, and the kernel
// arguments are padded with NULs.
func S390X() Live {
	const area, kargs, size = 132096, 1024, 896
	t := tree()
	for _, path := range []string{"EFI/fedora/grub.cfg", "EFI/BOOT/BOOTX64.EFI", "isolinux/isolinux.cfg", "images/ignition.img"} {
		delete(t, path)
	}
	boot := bytes.Repeat([]byte{0xc9}, area+AreaSize+4096)
	clear(boot[kargs : kargs+size])
	copy(boot[kargs:], Kargs)
	clear(boot[area : area+AreaSize])
	t["images/cdboot.img"] = boot
	t["coreos/igninfo.json"] = []byte(`{"file": "images/cdboot.img", "offset": 132096, "length": 262144}`)
	t["coreos/kargs.json"] = kargsInfo(size, map[string]any{"path": "images/cdboot.img", "offset": kargs, "pad": "\x00", "end": "\x00"})
	image, offsets := t.Image(Volume)
	at := offsets["images/cdboot.img"]
	return Live{Image: image, Area: at + area, KargsAreas: []int64{at + kargs}}
}

// Header returns an image in the format of 2021: the system area of the ISO image contains the offsets of the areas.
func Header() Live {
	t := tree()
	t["cmdline"] = bootLoader("")
	image, offsets := t.Image(Volume)
	l := locate(image, offsets)
	copy(image[32744:], "coreiso+")
	binary.LittleEndian.PutUint64(image[32752:], uint64(l.Area))
	binary.LittleEndian.PutUint64(image[32760:], AreaSize)
	copy(image[32672:], "coreKarg")
	numbers := []int64{int64(KargsSize), offsets["cmdline"], l.KargsAreas[0], l.KargsAreas[1]}
	for i, n := range numbers {
		binary.LittleEndian.PutUint64(image[32680+8*i:], uint64(n))
	}
	return l
}

// Plain returns an ISO image that is not a live image.
func Plain() []byte {
	image, _ := iso9660.Tree{"readme.txt": []byte("nothing to boot"), "images/install.img": make([]byte, 4096)}.Image("another")
	return image
}
