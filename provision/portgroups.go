package provision

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"ironworks/models"
	"ironworks/models/ports"
	"ironworks/models/request"
	"ironworks/printable"
)

// CreatePortgroup returns an action that creates a port group on the node and adds the ports named in args to it. The
// arguments are settings; see [ports.Noun.Parse].
func CreatePortgroup(ctx context.Context, api PortAPI, node *models.Node, name string, args []string) (*PortAction, error) {
	if name != "" {
		args = append([]string{"name=" + name}, args...)
	}
	settings, err := ports.Group.Parse(args)
	if err != nil {
		return nil, err
	}
	a := &PortAction{name: "portgroup create", api: api}
	body := ports.Body(settings)
	id := uuid.NewString()
	body["node_uuid"], body["uuid"] = node.UUID, id
	group := map[string]any{"uuid": id, "name": name, "standalone_ports_supported": body["standalone_ports_supported"]}
	c := portChange{
		noun: ports.Group, request: request.CreatePortgroup(body), settings: settings, created: id,
		done: fmt.Sprintf("created port group %s (%s)", groupLabel(group), id),
	}
	if c.refused, err = a.freeName(ctx, name, "", node); err != nil {
		return nil, err
	}
	a.add(node.UUID, c)
	return a, a.members(ctx, node, group, settings)
}

// freeName returns a refusal if a port group already has the name, unless the UUID of that group is self.
func (a *PortAction) freeName(ctx context.Context, name, self string, n *models.Node) (*models.Refusal, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // free
	}
	there, err := a.api.RawPortgroup(ctx, name)
	switch {
	case models.IsFault(err, models.FaultNotFound), err == nil && uuidOf(there) == self:
		return nil, nil //nolint:nilnil // free
	case err != nil:
		return nil, err
	}
	r := &models.Refusal{Kind: models.RefusedArguments, Why: "the node already has a port group named " + printable.Line(name)}
	if owner := models.TextOf(there["node_uuid"]); owner != n.UUID {
		r.Why = fmt.Sprintf("node %s has a port group named %s; port group names must be unique in Ironic", a.nodeLabel(ctx, owner), printable.Line(name))
		r.Hint = "choose another name"
	}
	return r, nil
}

func (a *PortAction) nodeLabel(ctx context.Context, id string) string {
	if n, err := a.api.Node(ctx, id); err == nil {
		return printable.Line(n.Label())
	}
	return printable.Line(id)
}

// SetPortgroup returns an action that changes a port group and its members with settings ([ports.Noun.Parse]).
func SetPortgroup(ctx context.Context, api PortAPI, id string, args []string) (*PortAction, error) {
	settings, err := ports.Group.Parse(args)
	if err != nil {
		return nil, err
	}
	group, err := api.RawPortgroup(ctx, id)
	if err != nil {
		return nil, err
	}
	a := &PortAction{name: "portgroup set", api: api}
	node := &models.Node{UUID: models.TextOf(group["node_uuid"])}
	c := portChange{noun: ports.Group, settings: settings, ops: ports.Ops(settings, group)}
	if s := ports.Find(settings, "name"); s != nil && !s.Remove {
		if c.refused, err = a.freeName(ctx, models.TextOf(s.Value), uuidOf(group), node); err != nil {
			return nil, err
		}
	}
	if len(c.ops) > 0 {
		c.request = request.PatchPortgroup(uuidOf(group), c.ops)
		c.done = "changed port group " + groupLabel(group)
	}
	a.add(node.UUID, c)
	if s := ports.Find(settings, "standalone_ports_supported"); s != nil {
		group["standalone_ports_supported"] = s.Value
	}
	return a, a.members(ctx, node, group, settings)
}

// members adds the changes to ports that the members setting requires.
func (a *PortAction) members(ctx context.Context, node *models.Node, group map[string]any, settings []ports.Setting) error {
	s := ports.Find(settings, "members")
	if s == nil {
		return nil
	}
	have, err := a.api.RawPorts(ctx, node.UUID)
	if err != nil {
		return err
	}
	ids, _ := s.Value.([]string)
	named := map[string]bool{}
	for _, id := range ids {
		p := findIn(have, id)
		if p == nil {
			return argumentError(a.name, fmt.Sprintf("the node has no port %q", printable.Line(id)), "ironworks port list --node "+printable.Line(node.Label())).
				WithScreenHint("the Network tab lists the ports")
		}
		named[uuidOf(p)] = true
	}
	for _, p := range have {
		in := models.TextOf(p["portgroup_uuid"]) == uuidOf(group)
		should := in
		switch {
		case s.Op == models.SettingSet || s.Remove:
			should = named[uuidOf(p)]
		case named[uuidOf(p)]:
			should = s.Op == models.SettingAdd
		}
		switch {
		case should && group["standalone_ports_supported"] == false && p["pxe_enabled"] == true:
			return standaloneError(a.name, groupLabel(group), portLabel(p), "ironworks port set "+portLabel(p)+" pxe_enabled=false").
				WithScreenHint("turn off PXE on the port first (:port-set)")
		case should && !in:
			a.move(node, p, []models.PatchOp{{Op: "add", Path: "/portgroup_uuid", Value: uuidOf(group)}}, "added port "+portLabel(p))
		case !should && in:
			a.move(node, p, []models.PatchOp{{Op: "remove", Path: "/portgroup_uuid"}}, "removed port "+portLabel(p)+" from the port group")
		}
	}
	return nil
}

func (a *PortAction) move(node *models.Node, port map[string]any, ops []models.PatchOp, done string) {
	a.add(node.UUID, portChange{noun: ports.Port, request: request.PatchPort(uuidOf(port), ops), ops: ops, done: done})
}

func findIn(list []map[string]any, id string) map[string]any {
	mac, isMAC := models.ParseMAC(id)
	i := slices.IndexFunc(list, func(p map[string]any) bool {
		return uuidOf(p) == id || isMAC && models.TextOf(p["address"]) == mac || models.TextOf(p["name"]) == id
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// DeletePortgroups returns an action that deletes port groups. The ports of a group are kept, but they are removed
// from the group first, because Ironic deletes only empty groups.
func DeletePortgroups(ctx context.Context, api PortAPI, ids []string) (*PortAction, error) {
	a := &PortAction{name: "portgroup delete", api: api}
	for _, id := range models.Unique(ids) {
		group, err := api.RawPortgroup(ctx, id)
		if err != nil {
			return nil, err
		}
		node := &models.Node{UUID: models.TextOf(group["node_uuid"])}
		have, err := api.RawPorts(ctx, node.UUID)
		if err != nil {
			return nil, err
		}
		members := 0
		for _, p := range have {
			if models.TextOf(p["portgroup_uuid"]) == uuidOf(group) {
				a.move(node, p, []models.PatchOp{{Op: "remove", Path: "/portgroup_uuid"}}, "")
				members++
			}
		}
		c := portChange{
			noun: ports.Group, request: request.DeletePortgroup(uuidOf(group)),
			harm: "deletes port group " + groupLabel(group), done: "deleted port group " + groupLabel(group),
		}
		if members > 0 {
			c.harm += fmt.Sprintf("; keeps its %s", models.Counted(members, "port"))
		}
		a.add(node.UUID, c)
	}
	return a, nil
}
