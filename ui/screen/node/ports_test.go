package node

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/embedded"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

const portMAC, otherMAC = "52:54:00:aa:00:01", "52:54:00:aa:00:02"

// onNetwork opens the Network tab of a node in an embedded Ironic. The node has one port, and its inventory contains
// two NICs.
func onNetwork(t *testing.T) (*screentest.Rig, *Screen) {
	t.Helper()
	r := screentest.New(t)
	ironic := embedded.New(t, time.Now)
	client := ironic.Client(t)
	uuid, err := client.CreateNode(t.Context(), map[string]any{"name": "n1", "driver": "fake-hardware"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreatePort(t.Context(), map[string]any{"node_uuid": uuid, "address": portMAC}); err != nil {
		t.Fatal(err)
	}
	nic := func(name, mac string) map[string]any {
		return map[string]any{"name": name, "mac_address": mac, "has_carrier": true}
	}
	inventory := db.Inventory{Inventory: db.Dict{"interfaces": []any{nic("eno1", portMAC), nic("eno2", otherMAC)}}, PluginData: db.Dict{}}
	if err := ironic.Tables.SetInventory(uuid, inventory); err != nil {
		t.Fatal(err)
	}
	r.Env.Session.API, r.Env.Session.Ports = client, client
	s, _ := New(r.Env, uuid).(*Screen)
	r.Open(s)
	r.Do(s, s.Do(action.ShowNetwork))
	return r, s
}

// asked runs an action, types the keys in its form if it opens one, and returns the message that asks for the change.
func asked(t *testing.T, r *screentest.Rig, s *Screen, id action.ID, keys ...tea.KeyPressMsg) screen.StartAction {
	t.Helper()
	msgs := r.Do(s, s.Do(id))
	if len(msgs) == 1 {
		if ask, is := msgs[0].(screen.Ask); is {
			var cmd tea.Cmd
			for _, key := range keys {
				_, cmd = ask.Overlay.Update(key)
			}
			if cmd == nil {
				t.Fatalf("the form of %s is still open", id)
			}
			msgs = []tea.Msg{cmd()}
		}
	}
	change, is := msgs[0].(screen.StartAction)
	if !is {
		t.Fatalf("%s gives %+v", id, msgs)
	}
	return change
}

func carryOut(t *testing.T, s *Screen, change screen.StartAction) {
	t.Helper()
	act, err := change.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runner := provision.Runner{API: s.session.Ports}
	plan, err := runner.Prepare(t.Context(), act, []string{change.Nodes[0].UUID})
	if err != nil {
		t.Fatal(err)
	}
	for _, preview := range plan.Preview() {
		if preview.Refusal != nil {
			t.Fatal(preview.Refusal)
		}
		for _, req := range preview.Requests {
			if _, err := s.session.Ports.Send(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func typed(text string) []tea.KeyPressMsg {
	var keys []tea.KeyPressMsg
	for _, c := range text {
		keys = append(keys, tea.KeyPressMsg{Code: c, Text: string(c)})
	}
	return append(keys, tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})
}

func TestPortsBeforeTheyAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := onNetwork(t)
		s = New(r.Env, s.uuid).(*Screen)
		t.Cleanup(s.Close)
		reading := s.Do(action.ShowNetwork)
		for _, id := range []action.ID{action.GroupEdit, action.VIFAttach, action.PortMissing} {
			if why := s.DisabledReason(id); why != textPortsNotRead {
				t.Errorf("%s: %q", id, why)
			}
		}
		if why := s.DisabledReason(action.PortCreate); why != "" {
			t.Errorf("create a port: %q", why)
		}
		r.Do(s, reading)
		if why := s.DisabledReason(action.GroupEdit); why != textNoGroups {
			t.Errorf("edit a group: %q", why)
		}
	})
}

func TestPortsFromTheNetworkTab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := onNetwork(t)
		screentest.Shows(t, s, 100, 30, portMAC, "NIC eno2 "+otherMAC+" (has a link) has no port")
		if why := s.DisabledReason(action.GroupEdit); why != textNoGroups {
			t.Errorf("edit a group: %q", why)
		}
		if why := s.DisabledReason(action.VIFAttach); why != textNoopVIFs {
			t.Errorf("attach a VIF: %q", why)
		}

		change := asked(t, r, s, action.PortMissing)
		carryOut(t, s, change)
		r.Pass(time.Minute)
		r.Do(s, s.reload())
		screentest.Shows(t, s, 100, 30, otherMAC, textPortsMatch)
		if why := s.DisabledReason(action.PortMissing); why != textNothingMissing {
			t.Errorf("missing ports: %q", why)
		}

		change = asked(t, r, s, action.PortCreate, typed("52:54:00:AA:00:03")...)
		if got := strings.Join(change.CommandLine, " "); got != "port create n1 52:54:00:AA:00:03 pxe_enabled=true" {
			t.Errorf("command %q", got)
		}
		carryOut(t, s, change)
		change = asked(t, r, s, action.GroupCreate, typed("bond0")...)
		carryOut(t, s, change)
		r.Pass(time.Minute)
		r.Do(s, s.reload())
		screentest.Shows(t, s, 100, 30, "52:54:00:aa:00:03", "no NIC in the inventory has this MAC", "bond0")

		change = asked(t, r, s, action.PortEdit, tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})
		if act, err := change.Make(t.Context()); err != nil || (&provision.Runner{API: s.session.Ports}).Plan(act, []models.Node{{UUID: s.uuid}}).Preview()[0].Requests != nil {
			t.Errorf("an unchanged port: %v", err)
		}
		change = asked(t, r, s, action.PortDelete)
		carryOut(t, s, change)
		change = asked(t, r, s, action.GroupDelete)
		carryOut(t, s, change)
		list, err := r.Env.Session.API.Ports(t.Context(), s.uuid)
		if err != nil || len(list) != 2 {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// TestPortFormProblems checks that the form stays open and shows the problem if a field is invalid.
func TestPortFormProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := onNetwork(t)
		ask, _ := r.Do(s, s.Do(action.PortCreate))[0].(screen.Ask)
		for _, key := range typed("52:54") {
			if closed, cmd := ask.Overlay.Update(key); closed || cmd != nil {
				t.Fatal("the form is closed")
			}
		}
		if drawn := screentest.OverlayText(ask.Overlay, 100, 30); !strings.Contains(drawn, `"52:54" is not a MAC address`) {
			t.Errorf("\n%s", drawn)
		}
	})
}
