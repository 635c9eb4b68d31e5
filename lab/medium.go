package lab

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/ignition/image"
)

// serialKarg has the kernel, and systemd, write to the serial line.
const serialKarg = "console=ttyS0,115200n8"

// editMedium adds kernel arguments to a CoreOS live ISO that is about to be booted: where the
// agent is reached, which only the lab knows, and the serial line, unless the image chooses
// consoles itself. The file is the machine's own copy.
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
