package boot

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/lab/machine"
	"ironworks/models/plan"
)

// keyfile is the node's network configuration. It has two addresses: the one that DHCP would assign, because QEMU
// forwards ports to it, and one that the tests look for.
const (
	keyfile = `[connection]
id=bench
type=ethernet
interface-name=enp0s2

[ipv4]
method=manual
address1=10.0.2.16/24,10.0.2.2
address2=192.0.2.77/24

[ipv6]
method=disabled
`
	keyfileAddress = "192.0.2.77/24"
)

// TestLifeOfANode takes a machine through its life using only the program. The machine is inspected, deployed,
// rebuilt with its data disk kept, and cleaned; some deployments are refused first. The deployment selects the disk
// by its serial number and copies the network configuration from a keyfile. The ramdisk is served for this node, with
// a host key that the program knows.
func TestLifeOfANode(t *testing.T) {
	b := newBench(t, ramdisk{served: true, hostKey: true})
	disks := b.machine.Disks()
	data, root := disks[1], disks[2]
	name := b.machine.Name()
	keyfiles := filepath.Join(t.TempDir(), "network")
	b.writeAll(filepath.Join(keyfiles, name, "bench.nmconnection"), keyfile)
	b.serve("--keyfile", filepath.Join(keyfiles, "{node}"), "--karg-append", "proof=served", "--apply", "--yes")
	lab := b.machine.DriverInfo()["deploy_iso"]
	b.until("deploy_iso is the served URL", func(n nodeFields) bool { return n.DriverInfo["deploy_iso"] != lab })

	from := b.serial.Length()
	inspection := b.start("inspect", name, "--yes", "--wait")
	b.followRamdiskBoot(from)
	inspection.waitSuccess()
	t.Log(b.phases.Done("agent's start, inventory, inspection"))
	b.checkInventory()
	b.ironworks("provide", name, "--yes", "--wait")
	b.refusals(name)

	plan := b.write("plan.yaml", fmt.Sprintf(`nodes: [%s]
root_device: {hints: {serial: %q}}
image: {source: %q}
configdrive:
  user_data_file: %s
  meta_data: {coreos_append_karg: [proof=karg], coreos_copy_network: true}
`, name, root.Serial, b.image(), b.write("user.ign", b.encode(b.dataUserData(data)))))
	from = b.serial.Length()
	deployment := b.start("deploy", "-f", plan, "--yes", "--wait")
	b.followRamdiskBoot(from)
	b.waitInstalling()
	b.checkRamdisk(name)
	b.wantProof(b.followInstallation(deployment.waitSuccess), root, "proof=karg", "proof=ignition")
	b.checkInstalled(name)

	first := b.ssh("cat /etc/installed")
	b.wantSSH("sudo touch /etc/by-hand && sudo sync && cat /var/data/installs", first)
	from = b.serial.Length()
	rebuild := b.start("rebuild", name, "--yes", "--wait")
	b.followRamdiskBoot(from)
	b.waitInstalling()
	b.wantProof(b.followInstallation(rebuild.waitSuccess), root, "proof=karg")
	second := b.ssh("cat /etc/installed")
	if second == first {
		t.Errorf("after the rebuild the root disk still has %s", first)
	}
	b.wantSSH("cat /var/data/installs", first+second)
	b.wantSSH("ls /etc", "!by-hand")
	b.ironworks("undeploy", name, "--yes", "--wait")
	b.ironworks("manage", name, "--yes", "--wait")
	b.checkCleaning(name, root, data)
}

// writeAll writes content to the file at path, and creates missing folders.
func (b *bench) writeAll(path, content string) {
	b.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// installsUnit creates a file system on an empty data disk, and writes a random ID of the installed system to it and
// to the root disk. Ignition cannot create the file system, because this requires systemd, which the initramfs of
// these tests lacks.
const installsUnit = `[Unit]
Before=proof.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'blkid %[1]s || mkfs.ext4 -q -L data %[1]s'
ExecStart=/bin/sh -c 'mkdir -p /var/data && mount %[1]s /var/data && tee -a /var/data/installs </proc/sys/kernel/random/uuid >/etc/installed && sync'
[Install]
WantedBy=multi-user.target
`

// dataUserData returns the configuration from userData, with changed kernel arguments and installsUnit added.
func (b *bench) dataUserData(data machine.Disk) map[string]any {
	u := b.userData()
	u["kernelArguments"] = map[string]any{"shouldExist": []string{"proof=ignition"}, "shouldNotExist": []string{"mitigations=off"}}
	systemd := u["systemd"].(map[string]any)
	unit := fmt.Sprintf(installsUnit, "/dev/disk/by-id/wwn-"+data.WWN)
	systemd["units"] = append(systemd["units"].([]any), map[string]any{"name": "installs.service", "enabled": true, "contents": unit})
	return u
}

// refusals checks that deployments that would fail are refused before a request is sent.
func (b *bench) refusals(name string) {
	b.t.Helper()
	good := b.encode(b.userData())
	emergency := b.userData()
	emergency["passwd"].(map[string]any)["users"] = []any{map[string]any{"name": "tenant", "groups": []string{"no-such-group"}}}
	before := b.readNode()
	for _, tt := range []struct {
		hint, userData string
		check          plan.CheckID
	}{
		{`{"serial": "NONE"}`, good, plan.CheckRootDevice},
		{`{"rotational": "false"}`, good, plan.CheckRootDevice},
		{fmt.Sprintf(`{"serial": %q}`, b.machine.Disks()[2].Serial), b.encode(emergency), plan.CheckUserData},
	} {
		code, stdout, stderr := b.run(b.program("deploy", name, "--root-device", tt.hint, "--user-data", b.write("user.ign", tt.userData), "--yes"))
		if code != 3 || !strings.Contains(stdout+stderr, "["+string(tt.check)+"]") {
			b.t.Errorf("%s: exit code %d, want a refusal by %s:\n%s%s", tt.hint, code, tt.check, stdout, stderr)
		}
	}
	if after := b.readNode(); after.State != "available" || after.Instance != "" || after.Updated != before.Updated {
		b.t.Errorf("the refusals changed the node: %+v", after)
	}
	b.t.Log(b.phases.Done("refusals"))
}

// checkRamdisk logs in to the ramdisk during the installation, and follows the ramdisk's log with the program.
func (b *bench) checkRamdisk(name string) {
	b.t.Helper()
	b.wantSSH("cat /proc/cmdline", "proof=served")
	b.wantSSH("hostname; ip -4 -o address show enp0s2", name, keyfileAddress, "!dynamic")
	follow := b.start("logs", name, "-f", "--source", "ssh")
	follow.waitOutput("Executing CoreOS installer")
	b.t.Log(b.phases.Done("log by SSH"))
	follow.interrupt()

	// A console that built another image for this node accepts only the host key of that image.
	elsewhere := *b
	elsewhere.home = b.t.TempDir()
	key, err := os.ReadFile(filepath.Join(b.home, ".ssh", "machine"))
	if err != nil {
		b.t.Fatal(err)
	}
	sshHome(b.t, elsewhere.home, "ask", key)
	elsewhere.serve()
	code, stdout, stderr := elsewhere.run(elsewhere.program("logs", name, "--source", "ssh"))
	if code != 1 || strings.Contains(stdout, "CoreOS") || !strings.Contains(stderr, "differs from the key in the ramdisk's Ignition configuration") {
		b.t.Errorf("log of a machine with another host key: exit code %d\n%s%s", code, stdout, stderr)
	}
	b.t.Log(b.phases.Done("another host key is refused"))
}

// checkInstalled logs in to the installed system. It checks that the system has the ramdisk's network configuration
// and hostname, but not its kernel arguments.
func (b *bench) checkInstalled(name string) {
	b.t.Helper()
	b.wantSSH("hostname; ip -4 -o address show enp0s2", name, keyfileAddress, "!dynamic")
	b.wantSSH("cat /proc/cmdline", "!mitigations=off", "!proof=served")
	b.wantSSH("sudo ls /etc/NetworkManager/system-connections", "bench.nmconnection")
}

// Signatures on disks and their offsets in bytes.
const (
	gptSignature, gptAt   = "EFI PART", 512
	ext4Signature, ext4At = "\x53\xef", 1024 + 0x38
)

// checkCleaning checks that cleaning erases the metadata of all disks except the data disk.
func (b *bench) checkCleaning(name string, root, data machine.Disk) {
	b.t.Helper()
	b.set("/properties/skip_block_devices", []any{map[string]any{"wwn": data.WWN}})
	if !b.onDisk(root, gptSignature, gptAt) || !b.onDisk(data, ext4Signature, ext4At) {
		b.t.Error("the disks are empty before cleaning")
	}
	from := b.serial.Length()
	cleaning := b.start("clean", name, "--step", "deploy.erase_devices_metadata", "--yes", "--wait")
	b.followRamdiskBoot(from)
	cleaning.waitSuccess()
	b.t.Log(b.phases.Done("agent's start, erase_devices_metadata"))
	if b.onDisk(root, gptSignature, gptAt) {
		b.t.Errorf("%s has a partition table after cleaning", root.Name)
	}
	if !b.onDisk(data, ext4Signature, ext4At) {
		b.t.Errorf("%s lost its file system despite skip_block_devices", data.Name)
	}
}

// onDisk reports whether the machine's disk d has the signature at the given byte offset, which must be below 4096.
func (b *bench) onDisk(d machine.Disk, signature string, at int) bool {
	b.t.Helper()
	file := filepath.Join(b.folder, b.machine.Name(), path.Base(d.Name)+".qcow2")
	head := filepath.Join(b.t.TempDir(), "head")
	cmd := exec.CommandContext(b.t.Context(), "qemu-img", "dd", "-U", "-f", "qcow2", "-O", "raw", "bs=4096", "count=1", "if="+file, "of="+head)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("qemu-img dd: %v: %s", err, out)
	}
	content, err := os.ReadFile(head)
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.HasPrefix(string(content[at:]), signature)
}
