package enroll

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ironworks/models"
)

// indexed finds Ironic's nodes by their identifiers.
type indexed struct {
	nodes  map[string]*models.Node // the nodes by UUID
	byName map[string]*models.Node
	byHost map[string][]located
	serial map[string]*models.Node
	macs   map[string]map[string]any   // the ports by MAC address
	ports  map[string][]map[string]any // the ports by node UUID
	groups map[string][]map[string]any // the port groups by node UUID
}

type located struct {
	bmc  BMC
	node *models.Node
}

func index(have Existing) *indexed {
	ix := &indexed{
		nodes: map[string]*models.Node{}, byName: map[string]*models.Node{}, byHost: map[string][]located{},
		serial: map[string]*models.Node{}, macs: map[string]map[string]any{},
		ports: map[string][]map[string]any{}, groups: map[string][]map[string]any{},
	}
	for i := range have.Nodes {
		n := &have.Nodes[i]
		ix.nodes[n.UUID] = n
		if n.Name != "" {
			ix.byName[n.Name] = n
		}
		if b, found := BMCOf(n.DriverInfo); found {
			ix.byHost[b.Host] = append(ix.byHost[b.Host], located{b, n})
		}
		if s := Serial(fieldsOf(n)); s != "" {
			ix.serial[s] = n
		}
	}
	for _, p := range have.Ports {
		node := models.TextOf(p["node_uuid"])
		ix.ports[node] = append(ix.ports[node], p)
		ix.macs[strings.ToLower(models.TextOf(p["address"]))] = p
	}
	for _, g := range have.Portgroups {
		node := models.TextOf(g["node_uuid"])
		ix.groups[node] = append(ix.groups[node], g)
	}
	return ix
}

// fieldsOf returns all fields of a node in Ironic.
func fieldsOf(n *models.Node) map[string]any {
	var fields map[string]any
	if json.Unmarshal(n.Raw, &fields) != nil {
		return nil
	}
	return fields
}

// match is a node in Ironic that shares an identifier with an input node. The by field names this identifier.
type match struct {
	by   string
	node *models.Node
}

func (ix *indexed) matches(n *Node) []match {
	var found []match
	add := func(by string, node *models.Node) {
		if node != nil {
			found = append(found, match{by, node})
		}
	}
	add("uuid", ix.nodes[n.Identity()])
	if n.Name() != "" {
		add("name "+n.Name(), ix.byName[n.Name()])
	}
	if b, is := BMCOf(n.DriverInfo()); is {
		var at []*models.Node
		for _, l := range ix.byHost[b.Host] {
			if b.same(l.bmc) {
				at = append(at, l.node)
			}
		}
		// If a host has several nodes and the input does not name a system, the host identifies none of them.
		if len(at) == 1 {
			add("BMC "+b.String(), at[0])
		}
	}
	for _, p := range n.AllPorts() {
		if r := ix.macs[p.Address()]; r != nil {
			add("MAC "+p.Address(), ix.nodes[models.TextOf(r["node_uuid"])])
		}
	}
	if s := Serial(n.Fields); s != "" {
		add("serial "+s, ix.serial[s])
	}
	return found
}

// identify finds the node in Ironic that corresponds to an item. If it finds more than one, the item is in conflict.
func (ix *indexed) identify(it *Item) {
	found := ix.matches(&it.Node)
	for _, m := range found {
		if it.Existing != nil && it.Existing != m.node {
			it.Kind = Conflict
			it.Reason = fmt.Sprintf("%s matches node %s, but %s matches node %s", found[0].by, found[0].node.Label(), m.by, m.node.Label())
			it.Remedy = "correct the file, or delete one of the nodes"
			return
		}
		it.Existing = m.node
		if word, _, _ := strings.Cut(m.by, " "); !slices.Contains(it.MatchedBy, word) {
			it.MatchedBy = append(it.MatchedBy, word)
		}
	}
	if it.Existing == nil {
		return
	}
	if id := it.Node.UUID(); id != "" && id != it.Existing.UUID {
		it.Kind = Conflict
		it.Reason = fmt.Sprintf("%s matches node %s with UUID %s, not %s", found[0].by, it.Existing.Label(), it.Existing.UUID, id)
		it.Remedy = "remove the uuid from the file, or delete the node"
		return
	}
	it.UUID = it.Existing.UUID
}

func (ix *indexed) labelOf(node string) string {
	if n := ix.nodes[node]; n != nil {
		return n.Label()
	}
	return node
}

// markDuplicates marks nodes that share an identifier as conflicts. Of two equal nodes, only the second is marked.
func markDuplicates(plan Plan) {
	first := map[string]int{}
	for i := range plan {
		it := &plan[i]
		if it.Kind == Invalid {
			continue
		}
		for _, key := range it.keys() {
			j, seen := first[key]
			if !seen {
				first[key] = i
				continue
			}
			if i == j {
				continue
			}
			other := &plan[j]
			repeated := reflect.DeepEqual(it.Node.Body(), other.Node.Body()) && reflect.DeepEqual(it.Node.AllPorts(), other.Node.AllPorts())
			it.repeats(key, other.Node.Source)
			if !repeated && other.Kind != Conflict {
				other.repeats(key, it.Node.Source)
			}
			break
		}
	}
}

func (it *Item) repeats(key string, at Source) {
	it.Kind, it.Reason = Conflict, fmt.Sprintf("the same %s as in %s", key, at)
	it.Remedy = "remove one of the two from the file"
}

// keys returns the identifiers that no two nodes may share.
func (it *Item) keys() []string {
	var keys []string
	if b, found := BMCOf(it.Node.DriverInfo()); found {
		keys = append(keys, "BMC "+b.String())
	}
	if name := it.Node.Name(); name != "" {
		keys = append(keys, "name "+name)
	}
	for _, p := range it.Node.AllPorts() {
		keys = append(keys, "MAC "+p.Address())
	}
	if s := Serial(it.Node.Fields); s != "" {
		keys = append(keys, "serial "+s)
	}
	return append(keys, "UUID "+it.UUID)
}
