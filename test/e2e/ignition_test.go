package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/lab"
	"ironworks/test/fetch"
	"ironworks/test/ironic"
)

const operatorKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDK7CZyr9ueDwdMXbauPAUQJutH28y4Og3Ltic3CUcWx operator@desk"

// nowhere is a URL at which no Ironic listens. The agent of a ramdisk without a configuration calls this URL, so it
// never reaches Ironic.
const nowhere = "http://127.0.0.1:9"

// enrollUnconfigured enrolls lab machines whose ISO has no Ignition configuration, so that their agents do not know
// Ironic's URL.
func enrollUnconfigured(t *testing.T, s *ironic.Server, count int) (names []string, machines []*lab.Machine) {
	t.Helper()
	options := lab.Options{IronicURL: nowhere, Speed: 15, Agent: lab.NewestAgent}
	if s.Release == ironic.Old {
		options.Agent = lab.OldAgent
	}
	var members []lab.Member
	for range count {
		names = append(names, unique("iso"))
		members = append(members, lab.Member{Name: names[len(names)-1]})
	}
	l, err := lab.Start(t.Context(), options, members)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	for _, m := range l.Machines() {
		e := m.Enrollment("e2e", map[string]string{"deploy": "custom-agent"})
		uuid := s.CreateNode(t, e.Node)
		for _, port := range e.Ports {
			port["node_uuid"] = uuid
			if status, body, err := s.Do(t.Context(), http.MethodPost, "/v1/ports", port); err != nil || status != http.StatusCreated {
				t.Fatalf("create the port: %d %v %s", status, err, body)
			}
		}
	}
	return names, l.Machines()
}

// file writes a file into the console's home directory and returns its path.
func (c *console) file(name string, content []byte) string {
	c.t.Helper()
	path := filepath.Join(c.home, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// plainLiveISO returns a live ISO without an Ignition configuration.
func plainLiveISO(t *testing.T) []byte {
	t.Helper()
	iso, err := lab.LiveISO(nil)
	if err != nil {
		t.Fatal(err)
	}
	return iso
}

// TestMachinesBootFromServedISO builds a configuration, embeds it into an ISO, serves the ISO and deploys a machine
// with it. The agent can find Ironic only through the ISO. A second machine boots an ISO that is streamed for it
// alone.
func TestMachinesBootFromServedISO(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		names, machines := enrollUnconfigured(t, s, 2)
		c.file("live.iso", plainLiveISO(t))
		c.file("operator.pub", []byte(operatorKey+"\n"))

		// Ironic's URL comes from the context.
		c.ok("ignition", "build", "--ssh-key", "operator.pub", "-o", "ramdisk.ign")
		if o := c.ok("ignition", "check", "ramdisk.ign"); !strings.Contains(o.stdout, "operator@desk") {
			t.Errorf("check: %s", o.stdout)
		}
		c.ok("ignition", "embed", "live.iso", "ramdisk.ign", "--output", "agent.iso")
		if o := c.fails(1, "ignition", "show", "live.iso"); !strings.Contains(o.stderr, "no configuration is embedded") {
			t.Errorf("the original ISO was changed: %s", o.stderr)
		}
		shared := c.background("ignition", "serve", "--iso", "agent.iso", "--listen", "127.0.0.1:0")
		address := shared.line(`^  deploy_iso +(\S+)$`)[1]
		if o := c.ok("ignition", "apply", names[0], "--iso", address, "--dry-run"); !strings.Contains(o.stdout, address) || !strings.Contains(o.stdout, "baremetal node set") {
			t.Errorf("--dry-run: %s", o.stdout)
		}
		if info := driverInfo(t, s, names[0]); info["deploy_iso"] == address {
			t.Error("--dry-run changed deploy_iso")
		}
		c.ok("ignition", "apply", names[0], "--iso", address, "--yes")

		own := c.background("ignition", "serve", "--iso", "live.iso", "--ssh-key", "operator.pub", "--per-node", names[1], "--apply", "--yes")
		stream := own.line(`^  deploy_iso +(\S+)$`)[1]
		own.line("^" + names[1] + " +done")
		if info := driverInfo(t, s, names[1]); info["deploy_iso"] != stream || !strings.HasSuffix(stream, names[1]+".iso") {
			t.Errorf("deploy_iso %v, %s", info["deploy_iso"], stream)
		}
		checkHostname(t, fetch.Content(t, stream), names[1])

		c.ok("manage", names[0], names[1], "--wait", "--timeout", "6m")
		c.ok("provide", names[0], names[1], "--wait", "--timeout", "6m")
		for _, name := range names { // one after another, because Ironic's image cache cannot handle two downloads at once
			c.ok("deploy", name, "--yes", "--wait", "--timeout", "6m", "--policy", "inventory=warn",
				"--configdrive", `{"user_data": {"ignition": {"version": "3.0.0"}}}`)
		}
		for _, m := range machines {
			if installed := m.Disks()[0].Installed; installed == nil {
				t.Errorf("nothing is installed on %s", m.Name())
			}
		}
		shared.line(`fetched ramdisk\.iso: `)
		for _, r := range []*running{shared, own} {
			if code := r.interrupt(); code != 0 {
				t.Errorf("exit code %d: %s", code, r.stderr.String())
			}
		}
		for _, secret := range []string{address, stream} {
			if strings.Contains(shared.stderr.String()+own.stderr.String(), secret) {
				t.Error("standard error contains a URL")
			}
		}
	})
}

// driverInfo returns a node's driver_info, which it reads from Ironic's API without the program.
func driverInfo(t *testing.T, s *ironic.Server, name string) map[string]any {
	t.Helper()
	info, _ := apiNode(t, s, name)["driver_info"].(map[string]any)
	return info
}

// checkHostname checks that the configuration in an ISO contains the hostname.
func checkHostname(t *testing.T, iso []byte, name string) {
	t.Helper()
	config, err := image.Embedded(bytes.NewReader(iso), int64(len(iso)))
	if err != nil {
		t.Fatal(err)
	}
	if want := base64.StdEncoding.EncodeToString([]byte(name + "\n")); !strings.Contains(string(config), want) {
		t.Errorf("%s is not in its configuration: %s", name, config)
	}
}

// liveInitramfs returns an initramfs with the marker file of a live system.
func liveInitramfs(t *testing.T) []byte {
	t.Helper()
	packed, err := image.Pack(image.Member{Name: "etc/coreos-live-initramfs"}, image.Member{Name: "init", Content: []byte("#!/bin/sh\n")})
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// TestKernelAndInitramfsOfEachNode serves the kernel, initramfs and root file system for a network boot, and sets
// their URLs on nodes. No machine boots them: Ironic would need mkisofs and an EFI boot loader, and the lab has no
// DHCP.
func TestKernelAndInitramfsOfEachNode(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		names, _ := enrollUnconfigured(t, s, 2)
		base := liveInitramfs(t)
		c.file("initramfs.img", base)
		c.file("vmlinuz", []byte("a kernel"))
		c.file("rootfs.img", []byte("a root file system"))
		c.file("operator.pub", []byte(operatorKey+"\n"))
		c.ok("ignition", "build", "--ssh-key", "operator.pub", "-o", "ramdisk.ign")
		serving := c.background("ignition", "serve", "--kernel", "vmlinuz", "--initrd", "initramfs.img", "--rootfs", "rootfs.img",
			"--ignition", "ramdisk.ign", "--karg-append", "console=ttyS0", "--with-defaults", "--per-node", "--apply", "--yes", "-o", "json", names[0], names[1])
		var first struct {
			Kind    string
			Targets []struct{ Node string }
		}
		if err := json.Unmarshal([]byte(serving.line(`^.*$`)[0]), &first); err != nil || first.Kind != "serving" || len(first.Targets) != 2 {
			t.Errorf("%+v, %v", first, err)
		}
		serving.line(`"kind":"applied".*"result":"done".*"result":"done"`)
		for _, name := range names {
			info := driverInfo(t, s, name)
			if info["deploy_iso"] != nil {
				t.Errorf("deploy_iso is still %v", info["deploy_iso"])
			}
			params := fmt.Sprint(info["kernel_append_params"])
			rootfs, _, _ := strings.Cut(strings.TrimPrefix(params, "%default% coreos.live.rootfs_url="), " ")
			if params != "%default% coreos.live.rootfs_url="+rootfs+" ignition.firstboot ignition.platform.id=metal console=ttyS0" {
				t.Errorf("kernel_append_params: %s", params)
			}
			if got := string(fetch.Content(t, rootfs)); got != "a root file system" {
				t.Errorf("rootfs: %q", got)
			}
			if got := string(fetch.Content(t, fmt.Sprint(info["deploy_kernel"]))); got != "a kernel" {
				t.Errorf("kernel: %q", got)
			}
			initrd := fetch.Content(t, fmt.Sprint(info["deploy_ramdisk"]))
			config, err := image.Unwrap(bytes.NewReader(initrd))
			if err != nil || !bytes.HasPrefix(initrd, base) {
				t.Fatalf("initramfs of %d bytes, %v", len(initrd), err)
			}
			if !strings.Contains(string(config), base64.StdEncoding.EncodeToString([]byte(name+"\n"))) {
				t.Errorf("the configuration does not name %s: %s", name, config)
			}
		}
		serving.line(`"kind":"done","node":"` + names[1] + `"`)
		if code := serving.interrupt(); code != 0 {
			t.Errorf("exit code %d: %s", code, serving.stderr.String())
		}
		// A switch back to an ISO removes the conflicting fields.
		c.ok("ignition", "apply", names[0], "--iso", "http://192.0.2.1/agent.iso", "--no-kernel-params", "--yes")
		info := driverInfo(t, s, names[0])
		if info["deploy_iso"] != "http://192.0.2.1/agent.iso" || info["deploy_kernel"] != nil || info["deploy_ramdisk"] != nil || info["kernel_append_params"] != nil {
			t.Errorf("driver_info: %v", info)
		}
		if lines := c.auditLines(); len(lines) == 0 || !strings.HasPrefix(fmt.Sprint(lines[0]["verb"]), "ignition apply") || strings.Contains(fmt.Sprint(lines), "192.0.2.1") {
			t.Errorf("audit: %v", lines)
		}
	})
}

// TestApplyIsRefused checks that ignition apply refuses a node that cannot use the URL, and every node in read-only
// mode, before any request is sent.
func TestApplyIsRefused(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("network")
		s.CreateNode(t, map[string]any{"name": name, "driver": "redfish", "boot_interface": "ipxe"})
		for what, args := range map[string][]string{
			"does not support deploy_iso": {"ignition", "apply", name, "--iso", "http://192.0.2.1/agent.iso", "--yes"},
			"read-only":                   {"ignition", "apply", name, "--kernel", "http://192.0.2.1/k", "--initrd", "http://192.0.2.1/i", "--yes", "--read-only"},
		} {
			if o := c.fails(3, args...); !strings.Contains(o.stderr, what) {
				t.Errorf("%q: %s", args, o.stderr)
			}
		}
		if o := c.fails(3, "ignition", "apply", name, "--iso", "http://192.0.2.1/agent.iso", "--dry-run"); !strings.Contains(o.stdout, "refused: ") {
			t.Errorf("--dry-run: %s", o.stdout)
		}
		if lines := c.auditLines(); len(lines) != 0 {
			t.Errorf("a request was sent: %v", lines)
		}
	})
}

// TestApplyAtATerminal checks that ignition apply shows the requests and asks once for all nodes.
func TestApplyAtATerminal(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		names, _ := enrollUnconfigured(t, s, 2)
		const address = "http://192.0.2.1/agent.iso"
		one := c.atTerminal("ignition", "apply", names[0], "--iso", address)
		one.until("ignition apply " + names[0] + "? [y/N] ")
		for _, shown := range []string{"PATCH /v1/nodes/", `"path":"/driver_info/deploy_iso"`, "baremetal node set --driver-info deploy_iso=" + address} {
			one.until(shown)
		}
		one.typeKeys("n\r")
		one.exits(3)
		if info := driverInfo(t, s, names[0]); info["deploy_iso"] == address {
			t.Error("sent without confirmation")
		}
		both := c.atTerminal("ignition", "apply", names[0], names[1], "--iso", address)
		both.until("ignition apply 2 nodes? [y/N] ")
		both.typeKeys("y\r")
		both.exits(0)
		for _, name := range names {
			if info := driverInfo(t, s, name); info["deploy_iso"] != address {
				t.Errorf("%s: %v", name, info["deploy_iso"])
			}
		}
		// An unchanged field needs no confirmation.
		again := c.atTerminal("ignition", "apply", names[0], "--iso", address)
		again.exits(0)

		c.file("live.iso", plainLiveISO(t))
		c.file("operator.pub", []byte(operatorKey+"\n"))
		serving := c.atTerminal("ignition", "serve", "--iso", "live.iso", "--ssh-key", "operator.pub", "--apply", names[0])
		serving.until("deploy_iso")
		serving.until("[y/N] ")
		serving.typeKeys("n\r")
		serving.exits(3)
		if info := driverInfo(t, s, names[0]); info["deploy_iso"] != address {
			t.Errorf("sent without confirmation: %v", info["deploy_iso"])
		}
	})
}
