package image

import (
	"fmt"
	"net/url"
	"slices"
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
	for _, one := range []struct {
		key, address string
		schemes      []string
	}{
		{"coreos.live.rootfs_url", p.RootfsURL, []string{"http", "https", "tftp"}},
		{"ignition.config.url", p.ConfigURL, []string{"http", "https", "tftp", "s3", "gs", "arn", "data"}},
	} {
		if one.address == "" {
			continue
		}
		if err := checkAddress(one.address, one.schemes); err != nil {
			return "", fmt.Errorf("%s: %w", one.key, err)
		}
		args = append(args, one.key+"="+one.address)
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

func checkAddress(address string, schemes []string) error {
	if strings.ContainsFunc(address, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' }) {
		return fmt.Errorf("%q has characters that must be escaped in a URL", address)
	}
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("invalid URL: %w", err)
	}
	switch {
	case !slices.Contains(schemes, u.Scheme):
		return fmt.Errorf("%q: the scheme must be one of %s", address, strings.Join(schemes, ", "))
	case u.Host == "" && u.Scheme != "data" && u.Scheme != "arn":
		return fmt.Errorf("%q has no host", address)
	}
	return nil
}
