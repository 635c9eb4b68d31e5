package conductor

import (
	"strings"
	"testing"

	"ironworks/agent"
	"ironworks/lab/db"
	"ironworks/lab/machine"
)

// TestAgentInspection checks that inspection by the agent sets properties, ports and the inventory.
func TestAgentInspection(t *testing.T) {
	r := newRig(t)
	m, node := r.machine(func(n *db.Node) { n.ProvisionState = manageable })
	r.must(r.c.Inspect(t.Context(), node.UUID))
	r.state(node.UUID, inspectWait)
	node = r.state(node.UUID, manageable)
	inventory, there := r.store.Inventory(node.UUID)
	if node.Properties["cpu_arch"] != "x86_64" || !there || m.Power() != machine.Off || node.InspectionFinishedAt.IsZero() {
		t.Errorf("properties %v, inventory %t, power %s, finished %v", node.Properties, there, m.Power(), node.InspectionFinishedAt)
	}
	if _, kept := inventory.PluginData["logs"]; kept || inventory.PluginData["macs"] == nil {
		t.Errorf("plugin data %v", inventory.PluginData)
	}
	if ports := r.store.Ports.List(nil); len(ports) != 1 || !ports[0].PXEEnabled {
		t.Errorf("ports %+v", ports)
	}
}

func TestAgentInspectionFails(t *testing.T) {
	r := newRig(t)
	r.agent.Faults = agent.Faults{NoInventory: true}
	_, node := r.machine(func(n *db.Node) { n.ProvisionState = manageable })
	r.must(r.c.Inspect(t.Context(), node.UUID))
	r.state(node.UUID, inspectWait)
	// An agent without an inventory cannot identify itself, so the test sends the data in its place.
	inventory := db.Dict{"interfaces": []any{map[string]any{"name": "lo", "mac_address": testMAC, "ipv4_address": "127.0.0.1"}}}
	r.must(r.c.ContinueInspection(t.Context(), node.UUID, inventory, db.Dict{"error": "boom"}))
	node = r.state(node.UUID, inspectFail)
	events := strings.Join(r.events(node.UUID), "\n")
	want := "introspection/ERROR: Failed to finish inspection: Failed to inspect hardware. Reason: failed to run inspection hooks: Failed to inspect hardware. Reason: " +
		"The following failures happened while running preprocess hooks for node " + node.UUID + ":\n" +
		"Error in preprocess hook ramdisk-error: Failed to inspect hardware. Reason: Ramdisk reported error: boom\n" +
		"Unexpected exception InvalidNodeInventory during preprocess hook validate-interfaces: Inventory for node " + node.UUID + " is invalid: " +
		`no network interfaces match the configuration (add_ports set to "pxe")`
	if !strings.Contains(events, want) {
		t.Errorf("history has no\n%s\n, but\n%s", want, events)
	}
}

func TestAbortInspection(t *testing.T) {
	r := newRig(t)
	r.agent.Faults = agent.Faults{NoRoute: true}
	m, node := r.machine(func(n *db.Node) { n.ProvisionState = manageable })
	r.must(r.c.Inspect(t.Context(), node.UUID))
	r.state(node.UUID, inspectWait)
	r.must(r.c.Act(t.Context(), node.UUID, "abort"))
	node = r.state(node.UUID, inspectFail)
	if node.LastError != "Inspection was aborted by request." || m.Power() != machine.Off {
		t.Errorf("error %q, power %s", node.LastError, m.Power())
	}
}

// TestRedfishInspection checks that inspection with the redfish interface sets the properties and ports that the BMC
// reports.
func TestRedfishInspection(t *testing.T) {
	r := newRig(t)
	_, node := r.machine(func(n *db.Node) {
		n.ProvisionState = manageable
		n.Interfaces["inspect"] = "redfish"
	})
	r.must(r.c.Inspect(t.Context(), node.UUID))
	node = r.until(node.UUID, "manageable", func(n *db.Node) bool {
		return n.ProvisionState == manageable && n.Reservation == "" && !n.InspectionFinishedAt.IsZero()
	})
	for key, want := range map[string]any{"memory_mb": 16384, "local_gb": 99, "cpu_arch": "x86_64", "capabilities": "boot_mode:uefi"} {
		if got := node.Properties[key]; got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if ports := r.store.Ports.List(nil); len(ports) != 1 || ports[0].Address != testMAC {
		t.Errorf("ports %+v", ports)
	}
}

// TestRescue checks that rescuing boots the ramdisk and removes the password from the node, and that unrescuing boots
// the disk again.
func TestRescue(t *testing.T) {
	r := newRig(t)
	m, node := r.ready()
	r.must(m.Install("/dev/sda", machine.Installation{What: "the instance"}))
	_, err := r.store.Nodes.Update(node.UUID, func(n *db.Node) error {
		n.ProvisionState, n.InstanceInfo = active, db.Dict{"kept": "yes"}
		return nil
	})
	r.must(err)
	r.must(r.c.Rescue(t.Context(), node.UUID, "open sesame"))
	r.state(node.UUID, rescueWait)
	node = r.state(node.UUID, rescue)
	if _, kept := node.InstanceInfo["rescue_password"]; kept || node.InstanceInfo["kept"] != "yes" || node.LastError != "" {
		t.Errorf("instance_info %v, error %q", node.InstanceInfo, node.LastError)
	}
	r.must(r.c.Unrescue(t.Context(), node.UUID))
	node = r.state(node.UUID, active)
	if m.Power() != machine.On || m.VirtualMedia().Inserted || node.PowerState != powerOn {
		t.Errorf("power %s, medium %+v", m.Power(), m.VirtualMedia())
	}
}

// TestHashPassword checks that a password hash matches an example from the specification of crypt(3), and that
// passwords are salted.
func TestHashPassword(t *testing.T) {
	for _, c := range []struct{ key, salt, want string }{
		{"Hello world!", "saltstring", "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"},
	} {
		if got := sha256Crypt([]byte(c.key), []byte(c.salt)); got != c.want {
			t.Errorf("hash %s, want %s", got, c.want)
		}
	}
	if one, other := hashPassword("a"), hashPassword("a"); one == other || !strings.HasPrefix(one, "$5$") {
		t.Errorf("hashes %s and %s", one, other)
	}
}
