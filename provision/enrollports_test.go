package provision_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/enroll"
	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/embedded"
)

// nic returns a NIC as it appears in an inventory. The entries in change override its default entries.
func nic(mac string, change map[string]any) map[string]any {
	n := map[string]any{"name": "eno1", "mac_address": mac, "has_carrier": true}
	for key, value := range change {
		n[key] = value
	}
	return n
}

// switchPort returns the LLDP announcement of the Eth3 port on the sw1 switch.
func switchPort() []any {
	return []any{[]any{1, "040a1b2c3d4e5f"}, []any{2, "0545746833"}, []any{5, "737731"}}
}

// TestEnrollComparesPorts checks that missing ports are created after inspection, and that wrong ports are reported
// without making the node fail.
func TestEnrollComparesPorts(t *testing.T) {
	known := map[string]any{"address": firstMAC, "pxe_enabled": true}
	for _, test := range []struct {
		name string
		port map[string]any
		nics []any // nil if inspection stores no inventory
		did  string
		note string
		// created lists the MAC addresses of the created ports.
		created []string
	}{
		{
			name: "missing port", port: known, nics: []any{nic(firstMAC, nil), nic(secondMAC, map[string]any{"name": "eno2", "lldp": switchPort()})},
			did: "inspected, 1 port", created: []string{secondMAC},
		},
		{name: "port of every NIC", port: known, nics: []any{nic(strings.ToUpper(firstMAC), nil)}, did: "inspected"},
		{name: "NIC without a link needs no port", port: known, nics: []any{nic(firstMAC, nil), nic(secondMAC, map[string]any{"has_carrier": false})}, did: "inspected"},
		{
			name: "wrong MAC", port: known, nics: []any{nic(secondMAC, nil)}, did: "inspected, 1 port", created: []string{secondMAC},
			note: "port " + firstMAC + ": no NIC in the inventory has this MAC",
		},
		{
			name: "PXE on a NIC without a link", port: known, nics: []any{nic(firstMAC, map[string]any{"has_carrier": false})}, did: "inspected",
			note: "port " + firstMAC + " (eno1): PXE is enabled, but the NIC has no link",
		},
		{
			name: "another neighbor", nics: []any{nic(firstMAC, map[string]any{"lldp": switchPort()})}, did: "inspected",
			port: map[string]any{"address": firstMAC, "local_link_connection": map[string]any{"switch_id": "0a:1b:2c:3d:4e:5f", "port_id": "Eth9"}},
			note: "port " + firstMAC + " (eno1): port_id is Eth9, LLDP announced Eth3",
		},
		{
			name: "two findings", port: known, did: "inspected, 1 port", created: []string{secondMAC}, nics: []any{
				nic(firstMAC, map[string]any{"has_carrier": false, "name": "eno\x1b[2J1"}), nic(secondMAC, nil),
			}, note: "port " + firstMAC + " (eno\\x1b[2J1): PXE is enabled, but the NIC has no link",
		},
		{
			name: "no inventory", port: known, did: "inspected", note: "ports not compared: inspection stored no inventory with NICs",
		},
		{name: "inventory without NICs", port: known, nics: []any{}, did: "inspected", note: "ports not compared: inspection stored no inventory with NICs"},
		{name: "broken inventory", port: known, nics: []any{"eno1"}, did: "inspected", note: "ports not compared with the inventory: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := inspectedNode(t, test.port, test.nics)
				got := r.run()
				if got.Outcome != provision.OutcomeDone || got.State != string(models.StateManageable) || strings.Join(got.Changes, ", ") != test.did {
					t.Errorf("%s %s %q: %v", got.Outcome, got.State, got.Changes, got.Err)
				}
				if !strings.HasPrefix(got.Note, test.note) || test.note == "" && got.Note != "" {
					t.Errorf("note %q, want %q", got.Note, test.note)
				}
				if created := r.created(); !slices.Equal(created, test.created) {
					t.Errorf("created %q, want %q", created, test.created)
				}
				if again := r.run(); again.Outcome != provision.OutcomeDone || len(again.Changes) != 0 || !slices.Equal(r.created(), test.created) {
					t.Errorf("again: %+v", again)
				}
			})
		})
	}
}

// TestEnrollMissingPortOfAnotherNode checks that a node fails if the MAC address of its NIC belongs to a port of
// another node.
func TestEnrollMissingPortOfAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inspectedNode(t, map[string]any{"address": firstMAC}, []any{nic(firstMAC, nil), nic(secondMAC, nil)})
		uuid, err := r.api.CreateNode(t.Context(), map[string]any{"name": "other", "driver": "fake-hardware"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.api.CreatePort(t.Context(), map[string]any{"node_uuid": uuid, "address": secondMAC}); err != nil {
			t.Fatal(err)
		}
		if got := r.run(); got.Outcome != provision.OutcomeFailed || got.Err == nil || !strings.Contains(got.Err.Error(), secondMAC) || got.State != string(models.StateManageable) {
			t.Errorf("%+v", got)
		}
		if created := r.created(); len(created) > 0 {
			t.Errorf("created %q", created)
		}
	})
}

// inspectedRig provides a manageable node with one port, and an inventory for inspection to find.
type inspectedRig struct {
	t     *testing.T
	api   *cut
	nodes []enroll.Node
}

// inspectedNode enrolls a node that has the given port. An inspection of that node finds nics. If nics is nil, the
// inspection stores no inventory.
func inspectedNode(t *testing.T, port map[string]any, nics []any) *inspectedRig {
	t.Helper()
	ironic := embedded.New(t, time.Now)
	r := &inspectedRig{t: t, api: &cut{Client: ironic.Client(t)}, nodes: rack(1)}
	r.nodes[0].Portgroups, r.nodes[0].Ports = nil, []enroll.Port{port}
	e := enroller(r.api)
	e.Goal = provision.GoalManageable
	it := compared(t, r.api, r.nodes, enroll.Options{})
	if got := e.Run(t.Context(), it)[0]; got.Outcome != provision.OutcomeDone {
		t.Fatalf("%+v", got)
	}
	if nics != nil {
		inventory := db.Inventory{Inventory: db.Dict{"interfaces": nics}, PluginData: db.Dict{}}
		if err := ironic.Tables.SetInventory(it[0].UUID, inventory); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *inspectedRig) run() provision.Enrolled {
	r.t.Helper()
	e := enroller(r.api)
	e.Goal = provision.GoalInspected
	return e.Run(r.t.Context(), compared(r.t, r.api, r.nodes, enroll.Options{}))[0]
}

// created returns the addresses of the node's ports that are not in the input.
func (r *inspectedRig) created() []string {
	r.t.Helper()
	node, err := r.api.Node(r.t.Context(), "r1-n00")
	if err != nil {
		r.t.Fatal(err)
	}
	list, err := r.api.Ports(r.t.Context(), node.UUID)
	if err != nil {
		r.t.Fatal(err)
	}
	var addresses []string
	for _, p := range list {
		if p.Address == secondMAC {
			if link := p.LocalLink["port_id"]; link != nil && link != "Eth3" {
				r.t.Errorf("local link %v", p.LocalLink)
			}
		}
		if !strings.EqualFold(p.Address, r.nodes[0].Ports[0].Address()) {
			addresses = append(addresses, p.Address)
		}
	}
	return addresses
}
