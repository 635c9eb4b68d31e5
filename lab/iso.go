package lab

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ironworks/ignition/image"
	"ironworks/lab/iso9660"
)

// embedArea is the size, in bytes, of the area for the Ignition configuration. It is the same as in Fedora CoreOS.
const embedArea = 256 << 10

// LiveISO returns an image with the characteristics of a CoreOS live image and the given Ignition configuration, but
// without a system. If config is nil, no configuration is embedded yet. The image is for simulated machines (0.3 MB).
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

// liveKargs contains the kernel arguments of a live system. Their number is the same as in Fedora CoreOS.
const liveKargs = "coreos.liveiso=ironworks-lab ignition.firstboot ignition.platform.id=metal"

// kargsFiles returns two files of a live image. bootLoader contains the kernel arguments, with room for one more
// kilobyte. info describes the position of the arguments in bootLoader.
func kargsFiles() (info, bootLoader []byte) {
	size := len(liveKargs) + 1024
	info = fmt.Appendf(nil, `{"default": %q, "size": %d, "files": [{"path": "isolinux/isolinux.cfg", "offset": 0}]}`+"\n", liveKargs, size)
	bootLoader = append([]byte(liveKargs+"\n"), bytes.Repeat([]byte("#"), size-len(liveKargs)-1)...)
	return info, append(bootLoader, "# COREOS_KARG_EMBED_AREA\n"...)
}

// serialKarg makes the kernel and systemd write to the serial line.
const serialKarg = "console=ttyS0,115200n8"

// editMedium adds kargs and the serial line to the kernel arguments of a CoreOS live ISO that is about to be booted. It
// leaves out arguments that the image already sets. The file is changed in place: it is the machine's own copy.
func editMedium(path string, kargs []string) error {
	iso, err := image.Open(path)
	if err != nil {
		return fmt.Errorf("adding kernel arguments: %w", err)
	}
	now, err := iso.Kargs()
	_ = iso.Close()
	if err != nil {
		return fmt.Errorf("adding kernel arguments: %w", err)
	}
	there := strings.Fields(now.Current)
	var missing []string
	for _, karg := range kargs {
		if key, _, _ := strings.Cut(karg, "="); !hasKey(there, key) {
			missing = append(missing, karg)
		}
	}
	if !hasKey(there, "console") {
		missing = append(missing, serialKarg)
	}
	if len(missing) == 0 {
		return nil
	}
	if _, err := image.EditFile(path, image.Change{Kargs: image.KargsEdit{Append: missing}}); err != nil {
		return fmt.Errorf("adding kernel arguments: %w", err)
	}
	return nil
}

func hasKey(kargs []string, key string) bool {
	return slices.ContainsFunc(kargs, func(k string) bool { return strings.HasPrefix(k, key+"=") })
}
