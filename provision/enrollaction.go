package provision

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/request"
)

// enrollAction creates a node with its ports, or changes the fields and parts that differ from the input.
type enrollAction struct {
	immediateAction
	item *enroll.Item
	api  EnrollAPI
}

// Name implements [Action].
func (a *enrollAction) Name() string { return "enroll" }

func (a *enrollAction) changesMade() []string {
	var did []string
	if a.item.Kind == enroll.Create {
		did = append(did, "created")
	} else if n := len(a.item.Changes); n > 0 {
		did = append(did, models.Counted(n, "field"))
	}
	for _, noun := range []string{enroll.PortgroupNoun, enroll.PortNoun} {
		n := 0
		for i := range a.item.Parts {
			if p := &a.item.Parts[i]; p.Noun == noun && p.Kind != enroll.Unchanged {
				n++
			}
		}
		if n > 0 {
			did = append(did, models.Counted(n, noun))
		}
	}
	return did
}

// creationEntry returns the entry that creates an object whose UUID was chosen by this run. If the answer is lost,
// for example because a busy Ironic takes longer than the client waits, the request is repeated unless the object
// exists. The UUID prevents a duplicate. It is not an error if another run has created the object.
func creationEntry(verb string, r request.Request, exists func(context.Context) (bool, error)) entry {
	there := func(ctx context.Context) bool {
		is, err := exists(ctx)
		return err == nil && is
	}
	return entry{verb: verb, Request: r, judge: func(ctx context.Context, api API, err error) error {
		f, is := errors.AsType[*models.Fault](err)
		if !is || f.Kind != models.FaultConflict && !f.Sent {
			return err
		}
		if there(ctx) {
			return nil
		}
		if f.Kind == models.FaultConflict {
			return err
		}
		if _, again := api.Send(ctx, r); again == nil || there(ctx) {
			return nil
		}
		return err
	}}
}

// EnrollRequests returns the requests for an item, including the verbs, and the equivalent commands.
func EnrollRequests(it *enroll.Item, goal Goal, noInspect bool) (requests []request.Request, commands []string) {
	if it.Kind.Refused() {
		return nil, nil
	}
	n := nodeOf(it)
	entries, err := (&enrollAction{item: it}).entries(n)
	if err != nil {
		return nil, nil
	}
	requests, commands = requestsOf(entries), commandsOf(entries)
	if goal == GoalEnroll {
		return requests, commands
	}
	prepare := it.Node.Prepare.Pending(n, nil)
	for _, step := range (&Enroller{Goal: goal, NoInspect: noInspect}).steps(*n, it.Node.Adopt) {
		list := []entry{provisionEntry(n, models.ProvisionRequest{Verb: step.verb})}
		if step.verb == models.VerbProvide && prepare != nil {
			if first, err := newPrepareAction(prepare).entries(n); err == nil {
				list = append(first, list...)
			}
			prepare = nil
		}
		for _, r := range requestsOf(list) {
			r.When = fmt.Sprintf("when the node is %s", step.from)
			requests = append(requests, r)
		}
		commands = append(commands, commandsOf(list)...)
	}
	return requests, commands
}

func (a *enrollAction) entries(n *models.Node) ([]entry, error) {
	var list []entry
	if a.item.Kind == enroll.Create {
		list = append(list, a.creation(n)...)
	} else {
		list = append(list, a.changes(n)...)
	}
	for i := range a.item.Parts {
		list = append(list, a.part(n, &a.item.Parts[i])...)
	}
	return list, nil
}

// creation returns the entries that create the node. Separate requests set the traits and the owner. An Ironic
// without Keystone refuses a POST with any owner (ironic/api/controllers/v1/node.py,
// _create_node_and_conduct_checks), but not a PATCH.
func (a *enrollAction) creation(n *models.Node) []entry {
	body := a.item.Node.Body()
	body["uuid"] = a.item.UUID
	owner := body["owner"]
	delete(body, "owner")
	list := []entry{creationEntry("create node", request.CreateNode(body), func(ctx context.Context) (bool, error) {
		now, err := a.api.Node(ctx, n.UUID)
		return err == nil && now.Name == n.Name, err
	})}
	if owner != nil && owner != "" {
		list = append(list, patchEntry("set owner", n, []models.PatchOp{{Op: "add", Path: "/owner", Value: owner}}))
	}
	if traits := a.item.Node.Traits; len(traits) > 0 {
		list = append(list, entry{verb: "set traits", Request: request.Traits(n.UUID, traits)})
	}
	return list
}

func (a *enrollAction) changes(n *models.Node) []entry {
	var list []entry
	if ops := patchOf(a.item.Changes); len(ops) > 0 {
		list = append(list, patchEntry("change "+pathsOf(ops), n, ops))
	}
	for _, t := range a.item.AddTraits {
		list = append(list, entry{verb: "add trait " + t, Request: request.AddTrait(n.UUID, t)})
	}
	return list
}

// patchOf converts the changes to patch operations, which contain secrets in clear text.
func patchOf(changes []enroll.FieldChange) []models.PatchOp {
	var ops []models.PatchOp
	for _, c := range changes {
		op := models.PatchOp{Op: "add", Path: "/" + strings.Join(c.Path, "/"), Value: c.After}
		switch after := c.After.(type) {
		case models.Secret:
			op.Value = after.Reveal()
		case nil:
			op.Op = "remove"
		}
		ops = append(ops, op)
	}
	return ops
}

// part returns the entry that creates or changes a port or port group of the node, or none if the part is unchanged.
func (a *enrollAction) part(n *models.Node, p *enroll.PartItem) []entry {
	create, change, exists := request.CreatePort, request.PatchPort, a.portExists
	if p.Noun == enroll.PortgroupNoun {
		create, change, exists = request.CreatePortgroup, request.PatchPortgroup, a.groupExists
	}
	switch p.Kind {
	case enroll.Create:
		body := maps.Clone(p.Fields)
		body["node_uuid"], body["uuid"] = n.UUID, p.UUID
		r := create(body)
		return []entry{creationEntry(r.Op, r, func(ctx context.Context) (bool, error) { return exists(ctx, p) })}
	case enroll.Change:
		r := change(p.UUID, patchOf(p.Changes))
		return []entry{{verb: r.Op, Request: r}}
	case enroll.Unchanged, enroll.Conflict, enroll.Invalid:
	}
	return nil
}

func (a *enrollAction) portExists(ctx context.Context, p *enroll.PartItem) (bool, error) {
	ports, err := a.api.PortsAt(ctx, models.TextOf(p.Fields["address"]))
	return len(ports) == 1 && ports[0].NodeUUID == a.item.UUID, err
}

func (a *enrollAction) groupExists(ctx context.Context, p *enroll.PartItem) (bool, error) {
	groups, err := a.api.RawPortgroups(ctx, a.item.UUID)
	for _, g := range groups {
		if models.TextOf(g["uuid"]) == p.UUID {
			return true, nil
		}
	}
	return false, err
}
