package boot

import (
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"ironworks/ignition/image"
	"ironworks/lab/vm"
	"ironworks/test/coreosinstaller"
	"ironworks/test/ironic"
)

// bootUnit writes to the serial line which firmware booted the machine, whether the agent runs, and the SHA-512 sum
// of the agent's program.
const bootUnit = `[Unit]
After=ironic-agent.service multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'mode=bios; test ! -d /sys/firmware/efi || mode=uefi; echo "proof: $$mode $$(systemctl is-active ironic-agent) $$(sha512sum </usr/local/bin/ironworks-agent)" >/dev/ttyS0'
[Install]
WantedBy=multi-user.target
`

// bootProof matches the output of bootUnit.
const bootProof = `proof: (\S+) (\S+) ([0-9a-f]{128})`

// biosBench returns a bench on which no Ironic runs. The ramdisk itself reports over the serial line that it works.
func biosBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, images: Find(t, ironic.Newest), home: t.TempDir(), agent: serveAgent(t), ironic: ironic.At("http://127.0.0.1:6385", ironic.Newest)}
	b.login = newLogin(t, b.home)
	b.ramdisk = ramdisk{builtin: true, embed: true, extra: func(b *bench) string {
		return b.encode(map[string]any{
			"ignition": map[string]any{"version": "3.0.0"},
			"systemd":  map[string]any{"units": []any{map[string]any{"name": "boot-proof.service", "enabled": true, "contents": bootUnit}}},
		})
	}}
	return b
}

// startBIOS starts a diskless machine with SeaBIOS, QEMU's default firmware. The lab's machines support only UEFI.
func startBIOS(t *testing.T, iso string) *Serial {
	t.Helper()
	host, err := vm.FindPrograms(vm.HostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), host.QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", //nolint:gosec // as the lab starts it
		"-machine", "q35,accel=tcg", "-cpu", "max", "-smp", "2", "-m", strconv.Itoa(smallMemory), "-serial", "stdio",
		"-netdev", "user,id=net,restrict=on", "-device", "virtio-net-pci,netdev=net,addr=0x2", "-cdrom", iso)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	line, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("QEMU: %s", complaints.String())
		}
	})
	return ReadSerial(t, line)
}

// TestGrownISOBootsUnderBIOS boots, under BIOS, an ISO whose configuration includes the agent and is therefore stored
// at the end of the ISO. It checks that GRUB reads all of the configuration: the agent must run, and its file must
// have the right SHA-512. TestSelfContainedISO boots such an ISO under UEFI.
func TestGrownISOBootsUnderBIOS(t *testing.T) {
	b := biosBench(t)
	iso, config := b.buildISO()
	wantGrown(t, iso, b.images.ISO, config)
	b.serial, b.phases = startBIOS(t, iso), StartPhases()
	// Under BIOS, GRUB prints its greeting only to the screen, which the machine lacks.
	b.expect(0, "power on, SeaBIOS, boot loader, kernel", `stage1: ignition: fetch-offline`)
	b.expect(0, "Ignition", `stage1: ignition: finished`)
	found := b.expect(0, "systemd, network, the agent", bootProof)
	t.Logf("\n%s", b.phases)
	sum := sha512.Sum512(readFile(t, b.agent.path))
	if found[1] != "bios" || found[2] != "active" || found[3] != hex.EncodeToString(sum[:]) {
		t.Errorf("the ramdisk reports %q, want the agent with SHA-512 %x under BIOS", found[0], sum)
	}
}

// wantGrown checks that the real coreos-installer can read the configuration at the end of an ISO. It also checks
// that removing the configuration restores the original image, even after coreos-installer has emptied the area for
// configurations.
func wantGrown(t *testing.T, iso, original, config string) {
	t.Helper()
	installer, want := coreosinstaller.Program(t), readFile(t, original)
	grown := readFile(t, iso)
	if least := len(want) + 1<<20; len(grown) < least {
		t.Errorf("the ISO has %d bytes, want at least %d", len(grown), least)
	}
	for _, tool := range []bool{false, true} {
		edited := t.TempDir() + "/edited.iso"
		if err := os.WriteFile(edited, grown, 0o600); err != nil {
			t.Fatal(err)
		}
		shown, err := coreosinstaller.Run(t.Context(), installer, nil, "iso", "ignition", "show", edited)
		if err != nil || !bytes.Equal(shown, readFile(t, config)) {
			t.Errorf("coreos-installer shows %d bytes of the configuration: %v", len(shown), err)
		}
		if tool {
			if _, err := coreosinstaller.Run(t.Context(), installer, nil, "iso", "ignition", "remove", edited); err != nil {
				t.Error(err)
			}
		}
		if _, err := image.EditFile(edited, image.Change{RemoveIgnition: true}); err != nil || !bytes.Equal(readFile(t, edited), want) {
			t.Errorf("coreos-installer's remove first: %v: the original image differs: %v", tool, err)
		}
	}
}
