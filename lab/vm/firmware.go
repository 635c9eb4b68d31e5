package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Firmware holds the paths of UEFI firmware for QEMU: the code, and a template of the variables.
type Firmware struct{ Code, Variables string }

// firmwarePairs lists the paths of OVMF, relative to /usr/share. They are for distributions without qemu/firmware.
var firmwarePairs = []Firmware{
	{"OVMF/OVMF_CODE_4M.fd", "OVMF/OVMF_VARS_4M.fd"},             // Debian, Ubuntu
	{"OVMF/OVMF_CODE.fd", "OVMF/OVMF_VARS.fd"},                   // older Debian
	{"edk2/ovmf/OVMF_CODE.fd", "edk2/ovmf/OVMF_VARS.fd"},         // Fedora
	{"edk2/x64/OVMF_CODE.4m.fd", "edk2/x64/OVMF_VARS.4m.fd"},     // Arch
	{"qemu/ovmf-x86_64-code.bin", "qemu/ovmf-x86_64-vars.bin"},   // openSUSE
	{"edk2-ovmf/x64/OVMF_CODE.fd", "edk2-ovmf/x64/OVMF_VARS.fd"}, // older Arch
}

// descriptor holds the fields of a firmware description that this package uses (QEMU, docs/interop/firmware.json).
type descriptor struct {
	InterfaceTypes []string `json:"interface-types"`
	Mapping        struct {
		Device     string    `json:"device"`
		Executable flashFile `json:"executable"`
		NVRAM      flashFile `json:"nvram-template"`
		Mode       string    `json:"mode"`
	} `json:"mapping"`
	Targets []struct {
		Architecture string `json:"architecture"`
	} `json:"targets"`
	Features []string `json:"features"`
}

type flashFile struct {
	Filename string `json:"filename"`
	Format   string `json:"format"`
}

var errNoFirmware = errors.New("no UEFI firmware without Secure Boot, in raw files, for x86_64")

// findFirmware finds firmware below share, which is usually /usr/share. It skips firmware with Secure Boot, which
// would reject most ramdisks. It tries the descriptions in qemu/firmware first, sorted by file name.
func findFirmware(share string) (Firmware, error) {
	files, _ := filepath.Glob(filepath.Join(share, "qemu/firmware/*.json")) // the pattern is valid
	slices.Sort(files)
	for _, file := range files {
		content, err := os.ReadFile(file) //nolint:gosec // a system folder
		if err != nil {
			continue
		}
		var d descriptor
		if json.Unmarshal(content, &d) != nil || !d.fits() {
			continue
		}
		if f := (Firmware{d.Mapping.Executable.Filename, d.Mapping.NVRAM.Filename}); f.exists() {
			return f, nil
		}
	}
	for _, pair := range firmwarePairs {
		if f := (Firmware{filepath.Join(share, pair.Code), filepath.Join(share, pair.Variables)}); f.exists() {
			return f, nil
		}
	}
	return Firmware{}, fmt.Errorf("%w below %s", errNoFirmware, share)
}

func (d *descriptor) fits() bool {
	x86 := false
	for _, t := range d.Targets {
		x86 = x86 || t.Architecture == "x86_64"
	}
	special := slices.ContainsFunc(d.Features, func(f string) bool {
		return f == "secure-boot" || f == "enrolled-keys" || f == "requires-smm" || strings.HasPrefix(f, "intel-tdx")
	})
	raw := func(f flashFile) bool { return f.Filename != "" && (f.Format == "raw" || f.Format == "") }
	return x86 && !special && slices.Contains(d.InterfaceTypes, "uefi") && d.Mapping.Device == "flash" &&
		(d.Mapping.Mode == "" || d.Mapping.Mode == "split") && raw(d.Mapping.Executable) && raw(d.Mapping.NVRAM)
}

// exists reports whether both files exist and the variables have the known format.
func (f Firmware) exists() bool {
	if _, err := os.Stat(f.Code); err != nil {
		return false
	}
	content, err := os.ReadFile(f.Variables)
	if err != nil {
		return false
	}
	_, err = parseVariables(content)
	return err == nil
}
