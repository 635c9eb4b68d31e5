package ui

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/enroll"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/replay"
)

// enrollable compares and enrolls nodes that the fake Ironic already has.
type enrollable struct {
	*fakeIronic
	nodes []string
	// namespace is the Metal3 namespace in the names of the nodes, or "" if Metal3 did not name them.
	namespace string
}

func (e *enrollable) RawPorts(context.Context, string) ([]map[string]any, error) { return nil, nil }

func (e *enrollable) RawPortgroups(context.Context, string) ([]map[string]any, error) {
	return nil, nil
}

func (e *enrollable) PortsAt(context.Context, string) ([]models.Port, error) { return nil, nil }

func (e *enrollable) Inventory(context.Context, string) (json.RawMessage, error) {
	return nil, &models.Fault{Kind: models.FaultNotFound, Status: 404}
}
func (e *enrollable) BIOS(context.Context, string) ([]models.BIOSSetting, error) { return nil, nil }

func (e *enrollable) API() provision.EnrollAPI { return e }

// Compare reports every node as unchanged.
func (e *enrollable) Compare(
	ctx context.Context, _ *provision.EnrollSource, _ enroll.Login, _ func(done, of int),
) (provision.EnrollFound, enroll.Plan, error) {
	var plan enroll.Plan
	for _, name := range e.nodes {
		n, err := e.Node(ctx, name)
		if err != nil {
			return provision.EnrollFound{}, nil, err
		}
		if e.namespace != "" {
			n.Name = e.namespace + "~" + name
		}
		plan = append(plan, enroll.Item{Node: enroll.Node{Fields: map[string]any{"name": name}}, Kind: enroll.Unchanged, UUID: n.UUID, Existing: n})
	}
	plan = append(plan, enroll.Item{Node: enroll.Node{Fields: map[string]any{"name": "twice"}}, Kind: enroll.Conflict, UUID: "x", Reason: "the same BMC"})
	return provision.EnrollFound{}, plan, nil
}

// enrolls opens the Enroll screen for the given nodes, and then calls compares.
func (r *rig) enrolls(goal int, nodes ...string) {
	r.t.Helper()
	r.c.env.Session.Enroll = &enrollable{fakeIronic: r.ironic, nodes: nodes}
	r.compares(goal)
}

// compares fills in the form, moves the Goal field forward by the given number of choices, and compares.
func (r *rig) compares(goal int) {
	r.t.Helper()
	r.press("n")
	r.shows("Enroll  not compared")
	r.press("down", "enter")
	r.write("rack.csv")
	r.press("enter", "G", "up")
	for range goal {
		r.press("right")
	}
	r.press("c")
	r.shows("unchanged, 1 conflict")
}

func TestEnrollIsATask(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.enrolls(1, "r7-n09")
		r.press("E", "y", "y") // these keys arrive within the grace period
		r.sent()
		r.shows("Enroll 1 node and bring it to manageable?", "Skipped: 1 node in conflict or invalid")
		r.answer("y")
		r.shows("[Result]", "1 task")
		r.sent("manage r7-n09")
		r.press("q")
		r.shows("Stop following 1 task?", "1  enroll r7-n09")
		r.answer("esc")
		r.pass(3 * time.Second)
		r.shows("✓ done", "manageable", "verified", "1 done")
		r.press("5")
		r.shows("enroll", "r7-n09", "✓ done")
		r.press("enter")
		r.shows("task 1 enroll", "verified; manageable")
		// The screen still shows the result.
		r.press("1", "n")
		r.shows("[Result]", "1 done")
	})
}

func TestEnrollNeedsTheNumberTypedIfDisksMayBeErased(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.enrolls(3, "r7-n09", "r7-n06")
		r.press("E")
		r.shows("Enroll 2 nodes and bring them to available? Type the number of nodes to", "erase the disks")
		r.answer("y", "enter")
		r.sent()
		r.press("esc")
		r.lacks("Enroll 2 nodes and")
		r.press("E")
		r.answer("2", "enter")
		r.pass(time.Second)
		if !slices.Contains(r.ironic.requests(), "manage r7-n09") {
			t.Errorf("sent %q", r.ironic.requests())
		}
	})
}

func TestEnrollWarnsOfNodesOfMetal3(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.c.env.Session.Enroll = &enrollable{fakeIronic: r.ironic, nodes: []string{"r7-n09"}, namespace: "prod"}
		r.compares(1)
		r.shows("Metal3 manages prod~r7-n09 and may undo the change")
		r.press("E")
		r.shows("Metal3 manages prod~r7-n09 and may undo the changes.")
		r.answer("n")
		r.sent()
	})
}

func TestEnrollRetriesFailedNodes(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.enrolls(1, "r7-n09")
		r.ironic.change(func() {
			n, _ := r.ironic.find("r7-n09")
			n.fails = "HTTP 401: wrong password"
		})
		r.press("E")
		r.answer("y")
		r.pass(3 * time.Second)
		r.shows("failed", "401")
		r.press("5", "enter", "r")
		r.shows("Enroll 1 node and bring it to manageable?")
		r.answer("y")
		r.pass(3 * time.Second)
		r.shows("task 2 enroll", "✓ done", "manageable")
	})
}

func TestEnrollReadOnly(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.press("ctrl+o")
		r.enrolls(1, "r7-n09")
		r.press("E")
		r.shows("read-only mode")
		r.lacks("Enroll 1 node")
		// Read-only mode is turned on while the question is open.
		r.press("ctrl+o", "E")
		r.c.env.ReadOnly = true
		r.answer("y")
		r.sent()
		r.lacks("1 task")
	})
}

func TestEnrollInAReplay(t *testing.T) {
	replayed(t, func(r *rig, _ *replay.Player) {
		r.press("n")
		r.shows("not available while a recording plays")
		r.press(":")
		r.write("enroll")
		if !strings.Contains(r.text(), "not available while a recording plays") {
			t.Errorf("the palette does not say why:\n%s", r.text())
		}
		r.press("enter")
		r.lacks("Enroll  not compared")
	})
}
