package boot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// explained is the output of `ironworks explain`.
type explained struct {
	Rule, Verdict, Confidence string
	Evidence                  []struct{ Field, Value string }
	Next                      struct{ Text, Command string }
}

// explain runs `ironworks explain`, with additional environment variables, until its output has the given rule and
// confidence.
func (b *bench) explain(rule, confidence string, env ...string) explained {
	b.t.Helper()
	var last explained
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 2*time.Second, func(context.Context) (bool, error) {
		cmd := b.program("explain", b.uuid(), "-o", "json")
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.Output()
		if err != nil {
			return false, err
		}
		last = explained{}
		if err := json.Unmarshal(out, &last); err != nil {
			return false, err
		}
		return last.Rule == rule && last.Confidence == confidence, nil
	})
	if err != nil {
		b.t.Fatalf("no %s, %s: %v; last %+v", rule, confidence, err, last)
	}
	b.t.Logf("%s", b.ironworks("explain", b.uuid()))
	return last
}

// checkNodeOutput checks that the output of `ironworks node` contains words.
func (b *bench) checkNodeOutput(words string) {
	b.t.Helper()
	if text := b.ironworks("node", b.uuid()); !strings.Contains(text, words) {
		b.t.Errorf("no %q in\n%s", words, text)
	}
}

// TestExplainWrongTag checks the diagnosis when the registry does not have the agent's image.
func TestExplainWrongTag(t *testing.T) {
	b := newBench(t, ramdisk{tag: "nosuchtag", push: true})
	b.request(map[string]any{"target": "inspect"})
	b.explain("ramdisk-boots", "high")
	b.explain("pull-unknown-image", "high")
	b.checkNodeOutput("manifest unknown")
}

// TestExplainWrongAddress checks the diagnosis when the agent cannot connect to Ironic.
func TestExplainWrongAddress(t *testing.T) {
	b := newBench(t, ramdisk{ironic: "http://10.0.2.2:9", push: true})
	b.request(map[string]any{"target": "inspect"})
	b.explain("ironic-refused", "high")
	b.checkNodeOutput("Connection refused")
}

// TestExplainWhatKeepsTheAgentAway boots a machine for each mistake that keeps its agent from reaching Ironic.
// Explain must find the mistake in the pushed journal.
func TestExplainWhatKeepsTheAgentAway(t *testing.T) {
	secure := RegistryOptions{TLS: true, Login: true}
	for _, tt := range []struct {
		name, rule string
		made       ramdisk
	}{
		{"no pull secret", "pull-unauthorized", ramdisk{registry: secure, trust: "ca"}},
		{"the registry's CA is unknown", "pull-unknown-ca", ramdisk{registry: secure, trust: "verified", secret: true}},
		{"the registry has no TLS", "pull-no-tls", ramdisk{trust: "verified"}},
		{"the registry's name is unknown", "pull-name", ramdisk{image: "registry.invalid/ironic-agent"}},
		{"no registry", "pull-refused", ramdisk{image: "10.0.2.2:9/ironic-agent"}},
		{"Ironic's name is unknown", "ironic-name", ramdisk{ironic: "http://ironic.invalid:6385"}},
		{"Ironic's CA is unknown", "ironic-unknown-ca", ramdisk{registry: RegistryOptions{TLS: true}, trust: "ca", tls: true, wrongCA: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.made.push = true
			b := newBench(t, tt.made)
			b.request(map[string]any{"target": "inspect"})
			b.explain(tt.rule, "high")
		})
	}
}

// TestExplainBuiltinAgent covers mistakes that keep the builtin agent from reaching Ironic. The agent reports them
// with Go's error messages.
func TestExplainBuiltinAgent(t *testing.T) {
	for _, tt := range []struct {
		name, rule string
		made       ramdisk
	}{
		{"nothing listens at the address of Ironic", "ironic-refused", ramdisk{ironic: "http://10.0.2.2:9"}},
		{"Ironic's name is unknown", "ironic-name", ramdisk{ironic: "http://ironic.invalid:6385"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.made.push, tt.made.builtin = true, true
			b := newBench(t, tt.made)
			b.request(map[string]any{"target": "inspect"})
			b.explain(tt.rule, "high")
		})
	}
}

// TestExplainUnknownMAC checks the diagnosis when the agent's lookup finds no node. To cause this, it changes the
// port's MAC address after the machine has started to push its journal.
func TestExplainUnknownMAC(t *testing.T) {
	b := newBench(t, ramdisk{push: true})
	b.provide()
	var ports struct{ Ports []struct{ UUID string } }
	if err := json.Unmarshal(b.call(http.MethodGet, b.node+"/ports", nil, http.StatusOK), &ports); err != nil || len(ports.Ports) == 0 {
		t.Fatalf("ports: %+v, %v", ports, err)
	}
	b.deploy(b.image())
	b.explain("ramdisk-boots", "high")
	other := []any{map[string]any{"op": "replace", "path": "/address", "value": "52:54:00:00:00:99"}}
	b.call(http.MethodPatch, "/v1/ports/"+ports.Ports[0].UUID, other, http.StatusOK)
	// The machine is recognized by its boot ID, so its journal is still accepted.
	b.explain("lookup-unknown", "high")
}

// nvmePath is the device path of the machine's first NVMe disk. It contains the PCI address that lab/vm assigns.
const nvmePath = "/dev/disk/by-path/pci-0000:00:08.0-nvme-1"

// TestExplainFailures covers an unreachable ISO, a missing image, and a power loss during the installation. It then
// runs the commands that Explain proposes, and checks that a new deployment installs to the NVMe disk that the root
// device hint names.
func TestExplainFailures(t *testing.T) {
	b := newBench(t, ramdisk{push: true})
	b.set("/driver_info/deploy_iso", "http://127.0.0.1:9/gone.iso")
	b.request(map[string]any{"target": "inspect"})
	b.waitFor("inspect failed")
	b.explain("image-unreachable", "high")

	b.set("/driver_info/deploy_iso", b.machine.DriverInfo()["deploy_iso"])
	disk := b.machine.Disks()[0]
	b.set("/properties/root_device", map[string]any{"by_path": nvmePath})
	b.request(map[string]any{"target": "manage"})
	b.waitFor("manageable")
	b.provide()
	b.deploy(guestURL(t, b.web.URL) + "/nothing.img")
	b.waitFor("deploy failed")
	b.explain("image-status", "high")

	b.deploy(b.image())
	b.waitInstalling()
	b.explain("ramdisk-works", "high")
	if err := b.machine.Reset(machine.ForceOff); err != nil {
		t.Fatal(err)
	}
	b.explain("agent-refuses", "medium")
	password := "IRONWORKS_BMC_PASSWORD=" + fmt.Sprint(b.machine.DriverInfo()["redfish_password"])
	next := b.explain("bmc-off-midway", "high", password).Next.Command
	gone := b.explain("agent-gone", "high").Next.Command
	b.checkNodeOutput("last heartbeat")

	// The command in gone looks at the machine; the one in next aborts the deployment.
	look := b.program(b.proposedArgs(gone)...)
	look.Env = append(look.Env, password)
	if code, stdout, stderr := b.run(look); code != 0 || !strings.Contains(stdout, "off") {
		t.Errorf("%s: exit code %d\n%s%s", gone, code, stdout, stderr)
	}
	b.ironworks(append(b.proposedArgs(next), "--yes", "--wait")...)
	t.Log(b.phases.Done("explained and aborted"))
	b.ironworks("set", b.uuid(), "instance_info.image_source="+b.image())
	from := b.serial.Length()
	b.ironworks("deploy", b.uuid(), "--user-data", b.write("user.ign", b.encode(b.userData())),
		"--override", "inventory", "--confirm", b.uuid(), "--yes")
	b.followRamdiskBoot(from)
	b.waitInstalling()
	b.wantProof(b.followInstallation(func() { b.waitFor("active") }), disk)
}

// proposedArgs returns the arguments of command, an ironworks command that Explain has proposed.
func (b *bench) proposedArgs(command string) []string {
	b.t.Helper()
	words := strings.Fields(command)
	if len(words) < 2 || words[0] != "ironworks" {
		b.t.Fatalf("Explain proposes %q", command)
	}
	return words[1:]
}
