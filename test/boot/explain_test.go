package boot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// explained is what ironworks says of the node.
type explained struct {
	Rule, Verdict, Confidence string
	Evidence                  []struct{ Field, Value string }
	Next                      struct{ Text, Command string }
}

// explain asks ironworks, with further variables of the environment, until it names a rule.
func (b *bench) explain(rule, confidence string, env ...string) {
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
}

func (b *bench) uuid() string { return strings.TrimPrefix(b.node, "/v1/nodes/") }

// shows wants words in what ironworks node says.
func (b *bench) shows(words string) {
	b.t.Helper()
	if text := b.ironworks("node", b.uuid()); !strings.Contains(text, words) {
		b.t.Errorf("no %q in\n%s", words, text)
	}
}

// TestExplainWrongTag: the registry does not have the agent's image.
func TestExplainWrongTag(t *testing.T) {
	b := newBench(t, ramdisk{tag: "nosuchtag", push: true})
	b.order(map[string]any{"target": "inspect"})
	b.explain("ramdisk-boots", "high")
	b.explain("pull-unknown-image", "high")
	b.shows("manifest unknown")
}

// TestExplainWrongAddress: nothing listens where the agent looks for Ironic.
func TestExplainWrongAddress(t *testing.T) {
	b := newBench(t, ramdisk{ironic: "http://10.0.2.2:9", push: true})
	b.order(map[string]any{"target": "inspect"})
	b.explain("ironic-refused", "high")
	b.shows("Connection refused")
}

// TestExplainWhatKeepsTheAgentAway: what may be wrong between a machine that boots and Ironic, each on
// a machine that does, by the journal that it pushes.
func TestExplainWhatKeepsTheAgentAway(t *testing.T) {
	secure := RegistryOptions{TLS: true, Login: true}
	for _, tt := range []struct {
		name, rule string
		made       ramdisk
	}{
		{"no pull secret", "pull-unauthorized", ramdisk{registry: secure, trust: "ca"}},
		{"the registry's CA is not known", "pull-unknown-ca", ramdisk{registry: secure, trust: "verified", secret: true}},
		{"the registry has no TLS", "pull-no-tls", ramdisk{trust: "verified"}},
		{"the registry's name is unknown", "pull-name", ramdisk{image: "registry.invalid/ironic-agent"}},
		{"there is no registry", "pull-refused", ramdisk{image: "10.0.2.2:9/ironic-agent"}},
		{"Ironic's name is unknown", "ironic-name", ramdisk{ironic: "http://ironic.invalid:6385"}},
		{"Ironic's CA is another", "ironic-unknown-ca", ramdisk{registry: RegistryOptions{TLS: true}, trust: "ca", tls: true, wrongCA: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.made.push = true
			b := newBench(t, tt.made)
			b.order(map[string]any{"target": "inspect"})
			b.explain(tt.rule, "high")
		})
	}
}

// TestExplainUnknownMAC: the agent's lookup finds no node, for the port has another MAC since the
// machine began to send its journal.
func TestExplainUnknownMAC(t *testing.T) {
	b := newBench(t, ramdisk{push: true})
	b.order(map[string]any{"target": "provide"})
	b.waitFor("available")
	var ports struct{ Ports []struct{ UUID string } }
	if err := json.Unmarshal(b.call(http.MethodGet, b.node+"/ports", nil, http.StatusOK), &ports); err != nil || len(ports.Ports) == 0 {
		t.Fatalf("ports: %+v, %v", ports, err)
	}
	b.replace("/instance_info/image_source", guestURL(t, b.web.URL)+"/"+filepath.Base(b.images.Disk))
	b.deploy()
	b.explain("ramdisk-boots", "high")
	other := []any{map[string]any{"op": "replace", "path": "/address", "value": "52:54:00:00:00:99"}}
	b.call(http.MethodPatch, "/v1/ports/"+ports.Ports[0].UUID, other, http.StatusOK)
	// The console takes no journal of a machine with MACs that no port has: one failed lookup
	// may be all that comes.
	b.explain("lookup-unknown", "medium")
}

// TestExplainFailures goes through an ISO that nobody serves, an image that is not there, and a
// machine that loses its power in the middle of the installation.
func TestExplainFailures(t *testing.T) {
	b := newBench(t, ramdisk{push: true})
	b.replace("/driver_info/deploy_iso", "http://127.0.0.1:9/gone.iso")
	b.order(map[string]any{"target": "inspect"})
	b.fails("inspect failed")
	b.explain("image-unreachable", "high")

	b.replace("/driver_info/deploy_iso", b.machine.DriverInfo()["deploy_iso"])
	disk := b.machine.Disks()[1]
	b.replace("/properties/root_device", map[string]any{"wwn": disk.WWN})
	b.order(map[string]any{"target": "manage"})
	b.waitFor("manageable")
	b.order(map[string]any{"target": "provide"})
	b.waitFor("available")
	b.replace("/instance_info/image_source", guestURL(t, b.web.URL)+"/nothing.img")
	b.deploy()
	b.fails("deploy failed")
	b.explain("image-status", "high")

	b.replace("/instance_info/image_source", guestURL(t, b.web.URL)+"/"+filepath.Base(b.images.Disk))
	b.deploy()
	b.until("install_coreos runs", func(n shown) bool { return fmt.Sprint(n.Step["step"]) == "install_coreos" })
	b.explain("ramdisk-works", "high")
	if err := b.machine.Reset(machine.ForceOff); err != nil {
		t.Fatal(err)
	}
	b.explain("agent-refuses", "medium")
	b.explain("bmc-says-off", "high", "IRONWORKS_BMC_PASSWORD="+fmt.Sprint(b.machine.DriverInfo()["redfish_password"]))
	b.explain("agent-gone", "high")
	b.shows("last heartbeat")
}

func (b *bench) deploy() {
	b.t.Helper()
	b.order(map[string]any{
		"target":       "active",
		"configdrive":  map[string]any{"meta_data": map[string]any{}, "user_data": userData()},
		"deploy_steps": []any{map[string]any{"interface": "deploy", "step": "install_coreos", "priority": 80, "args": map[string]any{}}},
	})
}

func (b *bench) replace(path string, value any) {
	b.t.Helper()
	b.call(http.MethodPatch, b.node, []any{map[string]any{"op": "add", "path": path, "value": value}}, http.StatusOK)
}

// fails waits for a failed state.
func (b *bench) fails(state string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	var now shown
	err := ironic.Poll(ctx, 500*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, answer, err := b.ironic.Do(ctx, http.MethodGet, b.node, nil)
		if err != nil {
			return false, err
		}
		return now.State == state, json.Unmarshal(answer, &now)
	})
	if err != nil {
		b.t.Fatalf("the node is %s (%s), want %s: %v", now.State, now.LastError, state, err)
	}
}
