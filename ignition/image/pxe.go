package image

import (
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
)

// PXE describes a network boot of a live system.
type PXE struct {
	// RootfsURL is the URL (http, https or tftp) from which the initramfs downloads the root file system. It is empty
	// if the boot loader loads the root file system along with the initramfs.
	RootfsURL string
	// ConfigURL is the URL from which Ignition downloads its configuration. It is empty if the initramfs contains the
	// configuration. If both exist, ConfigURL takes precedence.
	ConfigURL string
	// Extra lists additional kernel arguments, for example ip=… or console=ttyS0.
	Extra []string
}

// KernelArgs returns the kernel arguments for the boot, in the grammar of Ironic's kernel_append_params. They replace
// the arguments from Ironic's configuration; to keep both, prepend "%default% ".
func (p PXE) KernelArgs() (string, error) {
	var args []string
	for _, one := range [][2]string{{"coreos.live.rootfs_url", p.RootfsURL}, {"ignition.config.url", p.ConfigURL}} {
		key, address := one[0], one[1]
		if address == "" {
			continue
		}
		if err := checkAddress(address); err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		args = append(args, key+"="+address)
	}
	// Ignition runs only if these arguments are present, because nothing else marks a network boot as a first boot.
	args = append(args, "ignition.firstboot", "ignition.platform.id=metal")
	for _, extra := range p.Extra {
		if err := models.CheckKernelParameters(extra); err != nil {
			return "", fmt.Errorf("kernel argument %q: %w", extra, err)
		}
		if extra = strings.TrimSpace(extra); extra != "" {
			args = append(args, extra)
		}
	}
	line := strings.Join(args, " ")
	if err := models.CheckKernelParameters(line); err != nil {
		return "", fmt.Errorf("kernel arguments: %w", err)
	}
	return line, nil
}

func checkAddress(address string) error {
	if strings.ContainsFunc(address, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' }) {
		return fmt.Errorf("%q has characters that must be escaped in a URL", address)
	}
	if _, err := url.Parse(address); err != nil {
		return fmt.Errorf("invalid URL: %w", err)
	}
	return nil
}
