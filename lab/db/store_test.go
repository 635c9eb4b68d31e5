package db_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/lab/db"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock returns a clock that advances by one second each time it is read.
func clock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantFault(t *testing.T, err error, status int, kind, text string) {
	t.Helper()
	fault, ok := errors.AsType[*db.Fault](err)
	if !ok || fault.Status != status || fault.Kind != kind || fault.Text != text {
		t.Errorf("got %#v (%v), want %d %s %q", fault, err, status, kind, text)
	}
}

func TestReadsReturnCopies(t *testing.T) {
	store := db.New(clock())
	given := &db.Node{Name: "a", Properties: db.Dict{"nested": map[string]any{"list": []any{"x"}}}}
	made := must[*db.Node](t)(store.Nodes.Create(given))
	spoil := func(n *db.Node) { n.Properties["nested"].(map[string]any)["list"].([]any)[0] = "spoiled" }
	spoil(given)
	spoil(made)
	spoil(must[*db.Node](t)(store.Nodes.Get(made.UUID)))
	spoil(must[*db.Node](t)(store.Nodes.ByName("a")))
	spoil(store.Nodes.List(nil)[0])
	kept := must[*db.Node](t)(store.Nodes.Peek(made.UUID))
	must[*db.Node](t)(store.Nodes.Update(made.UUID, func(n *db.Node) error {
		n.Extra = db.Dict{"new": true}
		return nil
	}))
	_, err := store.Nodes.Update(made.UUID, func(n *db.Node) error {
		spoil(n)
		return os.ErrInvalid
	})
	if !errors.Is(err, os.ErrInvalid) {
		t.Errorf("the change's own error is answered: %v", err)
	}
	if kept.Extra != nil {
		t.Error("a node that was read without a copy stays as it was")
	}
	list := must[*db.Node](t)(store.Nodes.Get(made.UUID)).Properties["nested"].(map[string]any)["list"].([]any)
	if list[0] != "x" {
		t.Errorf("the stored node was changed from outside: %v", list)
	}
}

func TestUniqueValues(t *testing.T) {
	store := db.New(clock())
	a := must[*db.Node](t)(store.Nodes.Create(&db.Node{Name: "a", InstanceUUID: "i"}))
	b := must[*db.Node](t)(store.Nodes.Create(&db.Node{Name: "b"}))
	must[*db.Port](t)(store.Ports.Create(&db.Port{Name: "p", Address: "52:54:00:00:00:01"}))
	port := must[*db.Port](t)(store.Ports.Create(&db.Port{Address: "52:54:00:00:00:02"}))
	must[*db.Portgroup](t)(store.Portgroups.Create(&db.Portgroup{Name: "g"}))
	must[*db.Allocation](t)(store.Allocations.Create(&db.Allocation{Name: "al"}))
	must[*db.DeployTemplate](t)(store.DeployTemplates.Create(&db.DeployTemplate{Name: "CUSTOM_T"}))
	must[*db.Chassis](t)(store.Chassis.Create(&db.Chassis{UUID: "c"}))
	must[*db.VolumeConnector](t)(store.VolumeConnectors.Create(&db.VolumeConnector{Type: "iqn", ConnectorID: "x"}))
	must[*db.VolumeTarget](t)(store.VolumeTargets.Create(&db.VolumeTarget{NodeUUID: a.UUID}))
	must[*db.VolumeTarget](t)(store.VolumeTargets.Create(&db.VolumeTarget{NodeUUID: b.UUID}))
	must[*db.Runbook](t)(store.Runbooks.Create(&db.Runbook{Name: "r"}))
	for name, test := range map[string]struct {
		try        func() error
		kind, text string
	}{
		"chassis": {
			func() error { _, err := store.Chassis.Create(&db.Chassis{UUID: "c"}); return err },
			"ChassisAlreadyExists", "A chassis with UUID c already exists.",
		},
		"connector": {func() error {
			_, err := store.VolumeConnectors.Create(&db.VolumeConnector{Type: "iqn", ConnectorID: "x"})
			return err
		}, "VolumeConnectorTypeAndIdAlreadyExists", "A volume connector with type iqn and connector ID x already exists."},
		"target": {
			func() error { _, err := store.VolumeTargets.Create(&db.VolumeTarget{NodeUUID: a.UUID}); return err },
			"VolumeTargetBootIndexAlreadyExists", "A volume target with boot index '0' for the same node already exists.",
		},
		"node uuid": {
			func() error { _, err := store.Nodes.Create(&db.Node{UUID: a.UUID}); return err },
			"NodeAlreadyExists", "A node with UUID " + a.UUID + " already exists.",
		},
		"node name": {
			func() error { _, err := store.Nodes.Create(&db.Node{Name: "a"}); return err },
			"DuplicateName", "A node with name a already exists.",
		},
		"node renamed": {func() error {
			_, err := store.Nodes.Update(b.UUID, func(n *db.Node) error { n.Name = "a"; return nil })
			return err
		}, "DuplicateName", "A node with name a already exists."},
		"instance": {func() error {
			_, err := store.Nodes.Update(b.UUID, func(n *db.Node) error { n.InstanceUUID = "i"; return nil })
			return err
		}, "InstanceAssociated", "Instance i is already associated with a node, it cannot be associated with this other node " + b.UUID},
		"port address": {
			func() error { _, err := store.Ports.Create(&db.Port{Address: "52:54:00:00:00:01"}); return err },
			"MACAlreadyExists", "A port with MAC address 52:54:00:00:00:01 already exists.",
		},
		"port name, made": {
			func() error { _, err := store.Ports.Create(&db.Port{UUID: "u", Name: "p"}); return err },
			"PortAlreadyExists", "A port with UUID u already exists.",
		},
		"port name, changed": {func() error {
			_, err := store.Ports.Update(port.UUID, func(p *db.Port) error { p.Name = "p"; return nil })
			return err
		}, "PortDuplicateName", "A port with name p already exists."},
		"portgroup": {
			func() error { _, err := store.Portgroups.Create(&db.Portgroup{Name: "g"}); return err },
			"PortgroupDuplicateName", "A portgroup with name g already exists.",
		},
		"allocation": {
			func() error { _, err := store.Allocations.Create(&db.Allocation{Name: "al"}); return err },
			"AllocationDuplicateName", "An allocation with name al already exists.",
		},
		"template": {
			func() error { _, err := store.DeployTemplates.Create(&db.DeployTemplate{Name: "CUSTOM_T"}); return err },
			"DeployTemplateDuplicateName", "A deploy template with name CUSTOM_T already exists.",
		},
		"runbook": {
			func() error { _, err := store.Runbooks.Create(&db.Runbook{Name: "r"}); return err },
			"RunbookDuplicateName", "A runbook with name r already exists.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			wantFault(t, test.try(), http.StatusConflict, test.kind, test.text)
		})
	}
	must[*db.Node](t)(store.Nodes.Update(a.UUID, func(n *db.Node) error { n.Name = "c"; return nil }))
	must[*db.Node](t)(store.Nodes.Create(&db.Node{Name: "a"})) // the name is free again
}

func TestMissingRows(t *testing.T) {
	store := db.New(clock())
	_, err := store.Nodes.Get("x")
	wantFault(t, err, http.StatusNotFound, "NodeNotFound", "Node x could not be found.")
	wantFault(t, store.Ports.Destroy("x"), http.StatusNotFound, "PortNotFound", "Port x could not be found.")
	_, err = store.Portgroups.Get("x")
	wantFault(t, err, http.StatusNotFound, "PortgroupNotFound", "Portgroup x could not be found.")
	_, err = store.Allocations.Get("x")
	wantFault(t, err, http.StatusNotFound, "AllocationNotFound", "Allocation x could not be found.")
	_, err = store.DeployTemplates.Get("x")
	wantFault(t, err, http.StatusNotFound, "DeployTemplateNotFound", "Deploy template x could not be found.")
	wantFault(t, store.SetInventory("x", db.Inventory{}), http.StatusNotFound, "NodeNotFound", "Node x could not be found.")
}

func TestTimesOfANode(t *testing.T) {
	store := db.New(clock())
	n := must[*db.Node](t)(store.Nodes.Create(&db.Node{}))
	if n.CreatedAt.IsZero() || !n.UpdatedAt.IsZero() || !n.ProvisionUpdatedAt.IsZero() || n.ProvisionState != "enroll" {
		t.Errorf("a new node: %+v", n)
	}
	to := func(state string) *db.Node {
		return must[*db.Node](t)(store.Nodes.Update(n.UUID, func(n *db.Node) error { n.ProvisionState = state; return nil }))
	}
	to("inspecting")
	waiting := to("inspect wait")
	if waiting.InspectionStartedAt.IsZero() || waiting.ProvisionUpdatedAt.IsZero() || waiting.UpdatedAt.IsZero() {
		t.Errorf("inspecting: %+v", waiting)
	}
	if failed := to("inspect failed"); !failed.InspectionStartedAt.IsZero() || !failed.InspectionFinishedAt.IsZero() {
		t.Errorf("inspect failed: %+v", failed)
	}
	to("inspecting")
	done := to("manageable")
	if !done.InspectionStartedAt.IsZero() || done.InspectionFinishedAt.IsZero() {
		t.Errorf("inspected: %+v", done)
	}
	same := to("manageable")
	if !same.ProvisionUpdatedAt.Equal(done.ProvisionUpdatedAt) || !same.UpdatedAt.After(done.UpdatedAt) {
		t.Errorf("a state that stays is not a change of state: %v, %v", done, same)
	}
	touched := must[*db.Node](t)(store.Nodes.Touch(n.UUID, func(n *db.Node) error { n.LastError = "x"; return nil }))
	if !touched.UpdatedAt.Equal(same.UpdatedAt) || touched.LastError != "x" {
		t.Errorf("touched: %+v", touched)
	}
}

func TestLocks(t *testing.T) {
	store := db.New(clock())
	n := must[*db.Node](t)(store.Nodes.Create(&db.Node{}))
	must[*db.Node](t)(store.Reserve(n.UUID, "host"))
	_, err := store.Reserve(n.UUID, "other")
	locked := "Node " + n.UUID + " is locked by host host, please retry after the current operation is completed."
	wantFault(t, err, http.StatusConflict, "NodeLocked", locked)
	wantFault(t, store.Release(n.UUID, "other"), http.StatusConflict, "NodeLocked", locked)

	if err := store.Release(n.UUID, "host"); err != nil {
		t.Fatal(err)
	}
	if node, err := store.Reserve(n.UUID, "other"); err != nil || node.Reservation != "other" {
		t.Errorf("who comes next has it now: %+v, %v", node, err)
	}
	if err := store.Release(n.UUID, "other"); err != nil {
		t.Fatal(err)
	}
	wantFault(t, store.Release(n.UUID, "other"), http.StatusBadRequest, "NodeNotLocked",
		"Node "+n.UUID+" found not to be locked on release")
}

func TestRemovingANodeRemovesItsParts(t *testing.T) {
	store := db.New(clock())
	n := must[*db.Node](t)(store.Nodes.Create(&db.Node{}))
	other := must[*db.Node](t)(store.Nodes.Create(&db.Node{}))
	g := must[*db.Portgroup](t)(store.Portgroups.Create(&db.Portgroup{NodeUUID: n.UUID}))
	must[*db.Port](t)(store.Ports.Create(&db.Port{NodeUUID: n.UUID, PortgroupUUID: g.UUID, Address: "a"}))
	stays := must[*db.Port](t)(store.Ports.Create(&db.Port{NodeUUID: other.UUID, Address: "b"}))
	if g.Mode != "active-backup" {
		t.Errorf("mode %q", g.Mode)
	}
	wantFault(t, store.Portgroups.Destroy(g.UUID), http.StatusBadRequest, "PortgroupNotEmpty",
		"Cannot complete the requested action because portgroup 1 contains ports.")
	for range 305 {
		store.AddHistory(db.History{NodeUUID: n.UUID, Event: "x"})
	}
	if kept := store.History(n.UUID); len(kept) != 300 || kept[0].ID != 6 {
		t.Errorf("kept %d from %d on", len(kept), kept[0].ID)
	}
	if err := store.Nodes.Destroy(n.UUID); err != nil {
		t.Fatal(err)
	}
	if ports := store.Ports.List(nil); len(ports) != 1 || ports[0].UUID != stays.UUID || len(store.Portgroups.List(nil)) != 0 {
		t.Errorf("ports %v", ports)
	}
	if len(store.History(n.UUID)) != 0 {
		t.Error("history stays")
	}
}

func TestAllocating(t *testing.T) {
	store := db.New(clock())
	n := must[*db.Node](t)(store.Nodes.Create(&db.Node{Shard: "s"}))
	a := must[*db.Allocation](t)(store.Allocations.Create(&db.Allocation{Traits: []string{"CUSTOM_A"}}))
	b := must[*db.Allocation](t)(store.Allocations.Create(&db.Allocation{}))
	if a.State != "allocating" {
		t.Errorf("state %q", a.State)
	}
	if a = must[*db.Allocation](t)(store.Allocate(a.UUID, n.UUID)); a.State != "active" || a.NodeUUID != n.UUID {
		t.Errorf("allocated: %+v", a)
	}
	n = must[*db.Node](t)(store.Nodes.Get(n.UUID))
	if !reflect.DeepEqual(n.InstanceInfo, db.Dict{"traits": []any{"CUSTOM_A"}}) || n.AllocationID != a.UUID {
		t.Errorf("node: %+v", n)
	}
	_, err := store.Allocate(b.UUID, n.UUID)
	wantFault(t, err, http.StatusConflict, "NodeAssociated", "Node "+n.UUID+" is associated with instance "+a.UUID+".")
	if err := store.Allocations.Destroy(a.UUID); err != nil {
		t.Fatal(err)
	}
	if n = must[*db.Node](t)(store.Nodes.Get(n.UUID)); n.InstanceUUID != "" || n.AllocationID != "" {
		t.Errorf("node without allocation: %+v", n)
	}
	must[*db.Node](t)(store.Nodes.Create(&db.Node{}))
	must[*db.Node](t)(store.Nodes.Create(&db.Node{}))
	if got := store.Shards(); !reflect.DeepEqual(got, []db.Shard{{"None", 2}, {"s", 1}}) {
		t.Errorf("shards %v", got)
	}
}

func TestOnDisk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	store := must[*db.Store](t)(db.Open(t.Context(), folder, clock()))
	on := true
	n := must[*db.Node](t)(store.Nodes.Create(&db.Node{
		Name: "a", Properties: db.Dict{"deep": map[string]any{"x": nil, "s": "t"}}, SecureBoot: &on,
		Interfaces: map[string]string{"deploy": "direct"}, Traits: []string{"CUSTOM_A"},
	}))
	gone := must[*db.Node](t)(store.Nodes.Create(&db.Node{Name: "gone"}))
	must[*db.Port](t)(store.Ports.Create(&db.Port{NodeUUID: n.UUID, Address: "a"}))
	must[*db.DeployTemplate](t)(store.DeployTemplates.Create(&db.DeployTemplate{Name: "T", Steps: []db.Dict{{"step": "s"}}}))
	must[*db.Allocation](t)(store.Allocations.Create(&db.Allocation{Name: "al"}))
	described := ""
	must[*db.Chassis](t)(store.Chassis.Create(&db.Chassis{Description: &described, Extra: db.Dict{"a": "b"}}))
	for _, node := range []string{n.UUID, gone.UUID} {
		must[*db.VolumeConnector](t)(store.VolumeConnectors.Create(&db.VolumeConnector{NodeUUID: node, Type: "iqn", ConnectorID: node}))
		must[*db.VolumeTarget](t)(store.VolumeTargets.Create(&db.VolumeTarget{NodeUUID: node, Properties: db.Dict{"a": "b"}}))
	}
	must[*db.Runbook](t)(store.Runbooks.Create(&db.Runbook{
		Name: "r", Description: &described, Owner: &described, DisableRamdisk: true, Extra: db.Dict{"a": "b"},
		Steps: []db.Dict{{"step": "s", "order": json.Number("1")}}, Traits: []string{"CUSTOM_A"},
	}))
	for _, uuid := range []string{"", "../" + strings.Repeat("x", 300)} {
		must[*db.InspectionRule](t)(store.InspectionRules.Create(&db.InspectionRule{
			UUID: uuid, Description: &described, Actions: []db.Dict{{"op": "fail", "args": []any{"x"}}},
		}))
	}
	store.AddHistory(db.History{NodeUUID: n.UUID, Event: "e"})
	if err := store.SetInventory(n.UUID, db.Inventory{Inventory: db.Dict{"disks": []any{"d"}}}); err != nil {
		t.Fatal(err)
	}
	if err := store.SetBIOS(n.UUID, []db.BIOSSetting{{Name: "b", Value: &described, ReadOnly: &on}}); err != nil {
		t.Fatal(err)
	}
	if err := store.SetFirmware(n.UUID, []db.Firmware{{Component: "bmc", CurrentVersion: "1"}}); err != nil {
		t.Fatal(err)
	}
	if err := store.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := store.Nodes.Destroy(gone.UUID); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}

	again := must[*db.Store](t)(db.Open(t.Context(), folder, clock()))
	for name, pair := range map[string][2]any{
		"nodes": {store.Nodes.List(nil), again.Nodes.List(nil)}, "ports": {store.Ports.List(nil), again.Ports.List(nil)},
		"templates":   {store.DeployTemplates.List(nil), again.DeployTemplates.List(nil)},
		"runbooks":    {store.Runbooks.List(nil), again.Runbooks.List(nil)},
		"rules":       {store.InspectionRules.List(nil), again.InspectionRules.List(nil)},
		"chassis":     {store.Chassis.List(nil), again.Chassis.List(nil)},
		"connectors":  {store.VolumeConnectors.List(nil), again.VolumeConnectors.List(nil)},
		"targets":     {store.VolumeTargets.List(nil), again.VolumeTargets.List(nil)},
		"allocations": {store.Allocations.List(nil), again.Allocations.List(nil)},
		"history":     {store.History(n.UUID), again.History(n.UUID)},
		"bios":        {store.BIOS(n.UUID), again.BIOS(n.UUID)},
		"firmware":    {store.Firmware(n.UUID), again.Firmware(n.UUID)},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: had %+v, has %+v", name, pair[0], pair[1])
		}
	}
	if connectors, targets := again.VolumeConnectors.List(nil), again.VolumeTargets.List(nil); len(connectors) != 1 || len(targets) != 1 {
		t.Errorf("volumes of a removed node stay: %+v, %+v", connectors, targets)
	}
	had, _ := store.Inventory(n.UUID)
	if has, ok := again.Inventory(n.UUID); !ok || !reflect.DeepEqual(had, has) {
		t.Errorf("inventory: had %v, has %v", had, has)
	}
	if next := must[*db.Node](t)(again.Nodes.Create(&db.Node{})); next.ID <= n.ID {
		t.Errorf("the next node has the number %d", next.ID)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNumbersOfPython checks that a number that JSON cannot express, such as NaN, is stored as null. Otherwise, a row
// with such a number would keep other rows from being written.
func TestNumbersOfPython(t *testing.T) {
	folder := t.TempDir()
	store := must[*db.Store](t)(db.Open(t.Context(), folder, clock()))
	args := db.Dict{"value": json.Number("NaN")}
	must[*db.Node](t)(store.Nodes.Create(&db.Node{Extra: args}))
	must[*db.InspectionRule](t)(store.InspectionRules.Create(&db.InspectionRule{Actions: []db.Dict{args}}))
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	again := must[*db.Store](t)(db.Open(t.Context(), folder, clock()))
	want := db.Dict{"value": nil}
	if got := again.Nodes.List(nil)[0].Extra; !reflect.DeepEqual(got, want) {
		t.Errorf("extra %v", got)
	}
	if got := again.InspectionRules.List(nil)[0].Actions; !reflect.DeepEqual(got, []db.Dict{want}) {
		t.Errorf("actions %v", got)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedFileIsAnErrorAndStays(t *testing.T) {
	for name, content := range map[string]string{
		"cut off": `{"UUID": "u"`, "another one's": `{"UUID": "v"}`, "unknown": `{"UUID": "u", "Nonsense": 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "nodes", "u.json")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := db.Open(t.Context(), folder, clock())
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want an error that names the file", err)
			}
			if left, _ := os.ReadFile(path); string(left) != content {
				t.Errorf("left %q", left)
			}
		})
	}
}

func TestFailedWriteIsReported(t *testing.T) {
	folder := t.TempDir()
	store := must[*db.Store](t)(db.Open(t.Context(), folder, clock()))
	must[*db.Node](t)(store.Nodes.Create(&db.Node{}))
	if err := os.RemoveAll(filepath.Join(folder, "nodes")); err != nil {
		t.Fatal(err)
	}
	if err := store.Flush(); err == nil {
		t.Error("nothing was said")
	}
	if err := os.Mkdir(filepath.Join(folder, "nodes"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	again := must[*db.Store](t)(db.Open(t.Context(), folder, clock()))
	if len(again.Nodes.List(nil)) != 1 {
		t.Error("what could not be written at first was forgotten")
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}
