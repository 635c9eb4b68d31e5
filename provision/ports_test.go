package provision_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/embedded"
)

const firstMAC, secondMAC = "52:54:00:aa:00:01", "52:54:00:aa:00:02"

// portRig is an embedded Ironic with two nodes, the first of which has a port.
type portRig struct {
	t      *testing.T
	ironic *embedded.Ironic
	api    *cut
	nodes  []models.Node
}

func newPortRig(t *testing.T) *portRig {
	t.Helper()
	r := &portRig{t: t, ironic: embedded.New(t, time.Now)}
	r.api = &cut{Client: r.ironic.Client(t)}
	for _, name := range []string{"n1", "n2"} {
		uuid, err := r.api.CreateNode(t.Context(), map[string]any{"name": name, "driver": "fake-hardware"})
		if err != nil {
			t.Fatal(err)
		}
		n, err := r.api.Node(t.Context(), uuid)
		if err != nil {
			t.Fatal(err)
		}
		r.nodes = append(r.nodes, *n)
	}
	if _, err := r.api.CreatePort(t.Context(), map[string]any{"node_uuid": r.nodes[0].UUID, "address": firstMAC}); err != nil {
		t.Fatal(err)
	}
	return r
}

// run carries out the action and returns the result for its only node.
func (r *portRig) run(a *provision.PortAction, err error) provision.Result {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	runner := &provision.Runner{API: r.api, Audit: &memAudit{}}
	plan, err := runner.Prepare(r.t.Context(), a, a.Nodes())
	if err != nil {
		r.t.Fatal(err)
	}
	return runner.Run(r.t.Context(), plan, provision.RunOptions{})[0]
}

func (r *portRig) failed(res provision.Result, outcome provision.Outcome, want string) {
	r.t.Helper()
	if res.Outcome != outcome || res.Err == nil || !strings.Contains(res.Err.Error(), want) {
		r.t.Errorf("%s %v, want %s: %s", res.Outcome, res.Err, outcome, want)
	}
}

func inBubble(t *testing.T, test func(r *portRig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newPortRig(t)) })
}

func TestPortOfAnotherNode(t *testing.T) {
	inBubble(t, func(r *portRig) {
		t := r.t
		r.failed(r.run(provision.CreatePort(t.Context(), r.api, &r.nodes[1], firstMAC, nil)),
			provision.OutcomeRefused, "node n1 already has a port with MAC address "+firstMAC)

		// Another operator creates the port between the check and the request.
		a, err := provision.CreatePort(t.Context(), r.api, &r.nodes[1], secondMAC, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.api.CreatePort(t.Context(), map[string]any{"node_uuid": r.nodes[0].UUID, "address": secondMAC}); err != nil {
			t.Fatal(err)
		}
		r.failed(r.run(a, nil), provision.OutcomeFailed, "node n1 already has a port with MAC address "+secondMAC)
	})
}

// TestPortAfterALostAnswer checks that a port counts as created if it exists although the answer was lost, and that
// it is not created twice.
func TestPortAfterALostAnswer(t *testing.T) {
	inBubble(t, func(r *portRig) {
		t := r.t
		r.api.at, r.api.after = 1, true
		if res := r.run(provision.CreatePort(t.Context(), r.api, &r.nodes[0], secondMAC, []string{"pxe_enabled=no"})); res.Outcome != provision.OutcomeDone ||
			!strings.HasPrefix(res.Note, "created port "+secondMAC) {
			t.Errorf("%+v", res)
		}
		if list, err := r.api.Ports(t.Context(), r.nodes[0].UUID); err != nil || len(list) != 2 {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

func TestPortsOfALockedNode(t *testing.T) {
	inBubble(t, func(r *portRig) {
		t := r.t
		if _, err := r.ironic.Tables.Nodes.Update(r.nodes[0].UUID, func(n *db.Node) error {
			n.Reservation = "conductor-7"
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		r.failed(r.run(provision.DeletePorts(t.Context(), r.api, []string{firstMAC})), provision.OutcomeFailed, "is locked by host conductor-7")
		r.failed(r.run(provision.SetPorts(t.Context(), r.api, []string{firstMAC}, []string{"extra.a=1"})), provision.OutcomeFailed, "is locked by host conductor-7")
	})
}

func TestSuggestFromAnInventory(t *testing.T) {
	inBubble(t, func(r *portRig) {
		t := r.t
		if _, err := provision.ComparePorts(t.Context(), r.api, &r.nodes[0]); err == nil || !strings.Contains(err.Error(), "the node was not inspected; run ironworks inspect n1") {
			t.Errorf("without an inventory: %v", err)
		}
		inventory := db.Dict{"interfaces": []any{
			map[string]any{"name": "eno1", "mac_address": firstMAC, "has_carrier": true},
			map[string]any{"name": "eno2", "mac_address": secondMAC, "has_carrier": true},
		}}
		if err := r.ironic.Tables.SetInventory(r.nodes[0].UUID, db.Inventory{Inventory: inventory, PluginData: db.Dict{}}); err != nil {
			t.Fatal(err)
		}
		report, err := provision.ComparePorts(t.Context(), r.api, &r.nodes[0])
		if err != nil || len(report.Findings) != 1 {
			t.Fatalf("%+v, %v", report, err)
		}
		res := r.run(provision.CreateMissingPorts(t.Context(), r.api, []provision.PortReport{report}))
		if res.Outcome != provision.OutcomeDone || !strings.HasPrefix(res.Note, "created port "+secondMAC) {
			t.Errorf("%+v", res)
		}
		if report, err = provision.ComparePorts(t.Context(), r.api, &r.nodes[0]); err != nil || len(report.Findings) != 0 {
			t.Errorf("afterwards: %+v, %v", report, err)
		}
	})
}

// TestVIFOfAManagedNetwork checks that the request is sent unchanged if the network interface is not noop.
func TestVIFOfAManagedNetwork(t *testing.T) {
	inBubble(t, func(r *portRig) {
		t := r.t
		n := r.nodes[0]
		a, err := provision.AttachVIF(t.Context(), r.api, &n, "vif-1", firstMAC, "")
		if err != nil {
			t.Fatal(err)
		}
		n.NetworkInterface = "neutron"
		runner := &provision.Runner{API: r.api, Audit: &memAudit{}}
		preview := runner.Plan(a, []models.Node{n}).Preview()[0]
		if preview.Refusal != nil || len(preview.Requests) != 1 || !strings.Contains(string(preview.Requests[0].Payload()), `"id":"vif-1","port_uuid":"`) {
			t.Errorf("%+v", preview)
		}
		detach := runner.Plan(provision.DetachVIF(r.api, &n, "vif-1"), []models.Node{n})
		if detach.Danger() != models.DangerInterrupts {
			t.Errorf("%+v", detach.Items)
		}
		if _, err := provision.AttachVIF(t.Context(), r.api, &r.nodes[1], "vif-1", firstMAC, ""); err == nil || !strings.Contains(err.Error(), "belongs to node n1") {
			t.Errorf("a port of another node: %v", err)
		}
	})
}
