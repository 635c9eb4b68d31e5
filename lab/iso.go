package lab

import (
	"bytes"
	"fmt"

	"ironworks/ignition/image"
	"ironworks/lab/iso9660"
)

// embedArea is as large as in Fedora CoreOS.
const embedArea = 256 << 10

// LiveISO is an image with the marks of a CoreOS live image and an Ignition
// configuration in it (nil: none yet), and without a system: for machines that
// boot nothing real. It is as large as those marks, 0.3 MB.
func LiveISO(config []byte) ([]byte, error) {
	area := make([]byte, embedArea)
	if config != nil {
		packed, err := image.Wrap(config)
		if err != nil {
			return nil, fmt.Errorf("making a live image: %w", err)
		}
		if len(packed) > embedArea {
			return nil, fmt.Errorf("making a live image: the configuration takes %d bytes of %d", len(packed), embedArea)
		}
		copy(area, packed)
	}
	kargs, bootLoader := kargsFiles()
	iso, _ := iso9660.Tree{
		"coreos/igninfo.json":   []byte(`{"file": "images/ignition.img"}` + "\n"),
		"coreos/kargs.json":     kargs,
		"isolinux/isolinux.cfg": bootLoader,
		"images/ignition.img":   area,
	}.Image("ironworks-lab")
	return iso, nil
}

// liveKargs are the kernel arguments of a live system, as many as Fedora CoreOS has.
const liveKargs = "coreos.liveiso=ironworks-lab ignition.firstboot ignition.platform.id=metal"

// kargsFiles are the arguments with room for a kilobyte more, and where they stand.
func kargsFiles() (info, bootLoader []byte) {
	size := len(liveKargs) + 1024
	info = fmt.Appendf(nil, `{"default": %q, "size": %d, "files": [{"path": "isolinux/isolinux.cfg", "offset": 0}]}`+"\n", liveKargs, size)
	bootLoader = append([]byte(liveKargs+"\n"), bytes.Repeat([]byte("#"), size-len(liveKargs)-1)...)
	return info, append(bootLoader, "# COREOS_KARG_EMBED_AREA\n"...)
}
