package vm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingPrograms(t *testing.T) {
	missing := HostOptions{
		LookPath: func(name string) (string, error) { return "", errors.New("not found") },
		Firmware: func() (Firmware, error) { return Firmware{}, errNoFirmware },
	}
	_, err := FindHost(t.Context(), missing)
	want := "virtual machines need qemu-system-x86_64 and qemu-img and UEFI firmware (OVMF); install qemu-system-x86 qemu-utils ovmf (Debian, Ubuntu) or " +
		"qemu-system-x86-core qemu-img edk2-ovmf (Fedora)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	missing.LookPath = func(name string) (string, error) { return "/usr/bin/" + name, nil }
	if _, err := FindPrograms(missing); err == nil || err.Error() != "virtual machines need UEFI firmware (OVMF); install ovmf (Debian, Ubuntu) or edk2-ovmf (Fedora)" {
		t.Errorf("got %v", err)
	}
}

func TestHostWithoutKVM(t *testing.T) {
	found := HostOptions{
		LookPath: func(name string) (string, error) { return "/usr/bin/" + name, nil },
		Firmware: func() (Firmware, error) { return Firmware{Code: "c", Variables: "v"}, nil },
		Device:   filepath.Join(t.TempDir(), "kvm"),
	}
	h, err := FindHost(t.Context(), found)
	if err != nil || h.Accel != TCG || !strings.Contains(h.NoKVM, "does not exist: enable virtualization") {
		t.Errorf("got %+v, %v", h, err)
	}
}

func TestFindFirmware(t *testing.T) {
	share := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(share, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := findFirmware(share); !errors.Is(err, errNoFirmware) {
		t.Errorf("an empty folder: %v", err)
	}
	code, vars := write("OVMF/OVMF_CODE_4M.fd", nil), write("OVMF/OVMF_VARS_4M.fd", emptyStore(256))
	if f, err := findFirmware(share); err != nil || f != (Firmware{code, vars}) {
		t.Errorf("without descriptions: %v, %v", f, err)
	}
	describe := func(name, code, vars, format, feature string) {
		write("qemu/firmware/"+name, fmt.Appendf(nil, `{"interface-types": ["uefi"], "mapping": {"device": "flash",
			"executable": {"filename": %q, "format": %q}, "nvram-template": {"filename": %q, "format": %q}},
			"targets": [{"architecture": "x86_64", "machines": ["pc-q35-*"]}], "features": ["acpi-s3", %q]}`, code, format, vars, format, feature))
	}
	described := write("fw/code.fd", nil)
	describe("40-secure.json", described, vars, "raw", "secure-boot")
	describe("50-qcow2.json", described, vars, "qcow2", "verbose-dynamic")
	describe("55-gone.json", described, vars+".gone", "raw", "verbose-dynamic")
	write("qemu/firmware/56-broken.json", []byte("{"))
	describe("60-good.json", described, vars, "raw", "verbose-dynamic")
	if f, err := findFirmware(share); err != nil || f != (Firmware{described, vars}) {
		t.Errorf("with descriptions: %v, %v", f, err)
	}
}
