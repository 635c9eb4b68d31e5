package agent

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"ironworks/python"
)

// bootRecordPatterns lists the default patterns of clean_uefi_nvram, for the boot entries of disks and boot loaders.
var bootRecordPatterns = []string{`^HD\(`, `shim.*\.efi`, `grub.*\.efi`}

// bootRecord matches a boot entry in the output of efibootmgr.
var bootRecord = regexp.MustCompile(`^Boot([0-9a-fA-F-]+)\*?\s+(.*?)\s+((?:BBS|HD|FvFile|FvVol|PciRoot|VenMsg|VenHw|UsbClass)\(.*)$`)

// cleanNVRAM implements clean_uefi_nvram: it removes the firmware's boot entries with a matching device path.
func (a *agent) cleanNVRAM(ctx context.Context, _, args *dict) (any, error) {
	given := args.Get("match_patterns")
	if given == nil {
		given = listOf(bootRecordPatterns)
	}
	refused := newFault(invalidParams, "The match_patterns must be a list of strings: %s", python.Str(given))
	all, ok := given.(list)
	if !ok {
		return nil, refused
	}
	var patterns []*regexp.Regexp
	for _, one := range all {
		text, ok := one.(string)
		if !ok {
			return nil, refused
		}
		pattern, err := regexp.Compile("(?i)" + text)
		if err != nil {
			return nil, refused
		}
		patterns = append(patterns, pattern)
	}
	out, err := a.program(ctx, "efibootmgr", "-v")
	if err != nil {
		return nil, asUncaught(err)
	}
	for line := range strings.SplitSeq(out.Stdout, "\n") {
		found := bootRecord.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		for _, pattern := range patterns {
			if !pattern.MatchString(found[3]) {
				continue
			}
			a.log.hardware.debug("Path %s matched pattern %s, entry will be deleted: %s", found[3], pattern, found[2])
			if _, err := a.program(ctx, "efibootmgr", "-b", found[1], "-B"); err != nil {
				return nil, asUncaught(err)
			}
			break
		}
	}
	return nil, nil
}

// erasePstore implements erase_pstore: it removes the kernel's crash data, which simulated machines do not have.
func (a *agent) erasePstore(ctx context.Context, _, _ *dict) (any, error) {
	out, err := a.program(ctx, "findmnt", "-rno", "TARGET", "-t", "pstore")
	folder, _, _ := strings.Cut(strings.TrimSpace(out.Stdout), "\n")
	if err != nil || folder == "" {
		a.log.hardware.debug("No pstore found")
		return nil, ctx.Err()
	}
	a.log.hardware.info("Cleaning up pstore in %s", folder)
	if _, err := a.program(ctx, "find", folder, "-mindepth", "1", "-delete"); err != nil {
		return nil, asUncaught(err)
	}
	return nil, nil
}

// bootcParams lists the arguments of the execute_bootc_install step, all of which are required.
var bootcParams = []string{"image_source", "configdrive", "oci_pull_secret"}

// installBootc implements the execute_bootc_install step up to the point at which it needs podman. Only simulated
// machines have the step, and their ramdisks have no podman.
func (a *agent) installBootc(ctx context.Context, _, args *dict) (any, error) {
	for _, name := range bootcParams {
		if !args.Has(name) {
			return nil, raise("TypeError", "%s.execute_bootc_install() missing 1 required positional argument: '%s'", genericManager.class, name)
		}
	}
	if _, err := a.rootDisk(ctx, true); err != nil {
		return nil, err
	}
	address, err := url.Parse(args.Text("image_source"))
	if err != nil {
		return nil, raise("ValueError", "%v", err)
	}
	_, err = a.program(ctx, "podman", "pull", "--retry-delay=5s", address.Host+address.Path)
	return nil, err
}
