package enroll

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"ironworks/models"
)

// Existing is what Ironic has: all nodes with all fields (Raw), and all ports and port groups.
type Existing struct {
	Nodes      []models.Node
	Ports      []Resource
	Portgroups []Resource
}

// Resource is a port or port group as Ironic sent it.
type Resource map[string]any

// UUID returns the resource's UUID.
func (r Resource) UUID() string { return models.TextOf(r["uuid"]) }

// Kind is what enrolling does to a node, port or port group.
type Kind string

// The kinds.
const (
	Create    Kind = "create"
	Change    Kind = "change"
	Unchanged Kind = "unchanged"
	// Conflict: the input contradicts Ironic or itself. Nothing is sent.
	Conflict Kind = "conflict"
	// Invalid: the input's node has problems. Nothing is sent.
	Invalid Kind = "invalid"
)

// Refused reports whether nothing is sent for a node of this kind.
func (k Kind) Refused() bool { return k == Conflict || k == Invalid }

// Options change the comparison.
type Options struct {
	// UpdateCredentials writes the secrets of nodes that Ironic has, which cannot be compared.
	UpdateCredentials bool
	// Complete sets fields of a node that depend on the existing one, which is nil for a new node. May be nil.
	Complete func(n *Node, existing *models.Node)
}

// Item is what enrolling a node of the input does.
type Item struct {
	Node Node
	Kind Kind
	// UUID is the node's, before it exists.
	UUID string
	// Existing is Ironic's node; nil if it is created.
	Existing *models.Node
	// MatchedBy names what identified Existing: uuid, name, BMC, MAC, serial.
	MatchedBy []string
	// Changes are the fields that differ; for a new node empty.
	Changes []FieldChange
	// AddTraits are the required traits that the node has not.
	AddTraits  []string
	Ports      []PartItem
	Portgroups []PartItem
	// NotCompared are secret fields whose values Ironic does not show.
	NotCompared []string
	// Reason and Remedy explain a conflict; of an invalid node, Reason is its problems.
	Reason string
	Remedy string
}

// FieldChange is a field that differs.
type FieldChange struct {
	// Path is the field, then the key in it: driver_info, redfish_address.
	Path   []string
	Before any // nil if unset
	After  any
	// Secret: the values must not be shown.
	Secret bool
}

// Name returns the path with dots.
func (c FieldChange) Name() string { return strings.Join(c.Path, ".") }

// PartItem is what enrolling does to a port or port group of a node.
type PartItem struct {
	Fields map[string]any
	Kind   Kind
	// UUID is Ironic's; of a new part, the one that it gets.
	UUID    string
	Changes []FieldChange
	// Group is the port group's UUID for a port in a group.
	Group string
}

// Label returns the MAC address or the name of the port or port group.
func (p *PartItem) Label() string {
	for _, key := range []string{"address", "name", "uuid"} {
		if text := models.TextOf(p.Fields[key]); text != "" {
			return text
		}
	}
	return p.UUID
}

// Differences describes what changes on an existing node, one difference a text, with secrets masked.
func (it *Item) Differences() []string {
	if it.Kind != Change {
		return nil
	}
	var list []string
	for _, c := range it.Changes {
		list = append(list, c.String())
	}
	for _, t := range it.AddTraits {
		list = append(list, "add trait "+t)
	}
	for _, kind := range []struct {
		noun  string
		parts []PartItem
	}{{"port group", it.Portgroups}, {"port", it.Ports}} {
		for i := range kind.parts {
			switch p := &kind.parts[i]; p.Kind {
			case Create:
				list = append(list, fmt.Sprintf("create %s %s", kind.noun, p.Label()))
			case Change:
				for _, c := range p.Changes {
					list = append(list, fmt.Sprintf("%s %s: %s", kind.noun, p.Label(), c))
				}
			case Unchanged, Conflict, Invalid:
			}
		}
	}
	return list
}

// String describes the change; secrets are masked.
func (c FieldChange) String() string {
	if c.Secret {
		return c.Name() + " " + models.Mask
	}
	show := func(v any) string {
		if text, is := v.(string); is && text != "" {
			return models.MaskURL(text)
		}
		if empty(v) {
			return "unset"
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return models.Mask
		}
		return string(raw)
	}
	return fmt.Sprintf("%s %s → %s", c.Name(), show(c.Before), show(c.After))
}

// Plan is what enrolling an input does, in the input's order.
type Plan []Item

// Count returns the number of items of a kind.
func (p Plan) Count(k Kind) int {
	n := 0
	for i := range p {
		if p[i].Kind == k {
			n++
		}
	}
	return n
}

// String counts the items by kind: 3 create, 1 conflict.
func (p Plan) String() string {
	var parts []string
	for _, k := range []Kind{Create, Change, Unchanged, Conflict, Invalid} {
		if n := p.Count(k); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	return strings.Join(parts, ", ")
}

// Details says in one line why a node is refused, or what differs, and what is not compared or taken over.
func (it *Item) Details() string {
	var parts []string
	switch changes := it.Differences(); {
	case it.Reason != "" && it.Remedy != "":
		parts = append(parts, it.Reason+"; "+it.Remedy)
	case it.Reason != "":
		parts = append(parts, it.Reason)
	case len(changes) > 0:
		parts = append(parts, strings.Join(changes, ", "))
	}
	if len(it.NotCompared) > 0 {
		parts = append(parts, "not compared: "+strings.Join(it.NotCompared, ", "))
	}
	return strings.Join(append(parts, it.Node.Notes...), "; ")
}

// Refused returns the number of items for which nothing is sent.
func (p Plan) Refused() int { return p.Count(Conflict) + p.Count(Invalid) }

// Compare plans enrolling nodes. It never plans to delete anything: what the input does not mention stays.
func Compare(nodes []Node, have Existing, opts Options) Plan {
	ix := index(have)
	plan := make(Plan, len(nodes))
	for i := range nodes {
		plan[i] = ix.item(nodes[i], opts)
	}
	markDuplicates(plan)
	return plan
}

// indexed finds Ironic's nodes by what identifies them.
type indexed struct {
	nodes  map[string]*models.Node // by UUID
	byName map[string]*models.Node
	byHost map[string][]located
	serial map[string]*models.Node
	macs   map[string]Resource
	parts  map[string][2][]Resource // ports and port groups by node
}

type located struct {
	bmc  BMC
	node *models.Node
}

func index(have Existing) *indexed {
	ix := &indexed{
		nodes: map[string]*models.Node{}, byName: map[string]*models.Node{}, byHost: map[string][]located{},
		serial: map[string]*models.Node{}, macs: map[string]Resource{}, parts: map[string][2][]Resource{},
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
	for kind, list := range [2][]Resource{have.Ports, have.Portgroups} {
		for _, r := range list {
			node := models.TextOf(r["node_uuid"])
			parts := ix.parts[node]
			parts[kind] = append(parts[kind], r)
			ix.parts[node] = parts
			if kind == 0 {
				ix.macs[strings.ToLower(models.TextOf(r["address"]))] = r
			}
		}
	}
	return ix
}

// fieldsOf returns all fields of a node of Ironic.
func fieldsOf(n *models.Node) map[string]any {
	var fields map[string]any
	if json.Unmarshal(n.Raw, &fields) != nil {
		return nil
	}
	return fields
}

// match is a node of Ironic that has something of a node of the input.
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
	add("uuid", ix.nodes[n.UUID()])
	if n.UUID() == "" {
		add("uuid", ix.nodes[n.Identity()])
	}
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
		// Without a system, a host with several nodes identifies none of them.
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

func (ix *indexed) item(n Node, opts Options) Item { //nolint:gocritic // it is kept
	it := Item{Node: n, UUID: n.Identity(), Kind: Create}
	if len(n.Problems) > 0 {
		it.Kind, it.Reason = Invalid, strings.Join(n.Problems, "; ")
		return it
	}
	found := ix.matches(&n)
	for _, m := range found {
		if it.Existing != nil && it.Existing != m.node {
			it.Kind = Conflict
			it.Reason = fmt.Sprintf("%s is node %s, %s is node %s", found[0].by, found[0].node.Label(), m.by, m.node.Label())
			it.Remedy = "correct the file, or delete one of the nodes"
			return it
		}
		it.Existing = m.node
		if word, _, _ := strings.Cut(m.by, " "); !slices.Contains(it.MatchedBy, word) {
			it.MatchedBy = append(it.MatchedBy, word)
		}
	}
	if it.Existing != nil {
		if id := n.UUID(); id != "" && id != it.Existing.UUID {
			it.Kind = Conflict
			it.Reason = fmt.Sprintf("%s is node %s with UUID %s, not %s", found[0].by, it.Existing.Label(), it.Existing.UUID, id)
			it.Remedy = "remove the uuid from the file, or delete the node"
			return it
		}
		it.UUID = it.Existing.UUID
	}
	if opts.Complete != nil {
		opts.Complete(&it.Node, it.Existing)
	}
	if it.Existing != nil {
		it.compareNode(fieldsOf(it.Existing), opts)
	}
	if it.Existing == nil {
		for _, key := range slices.Sorted(maps.Keys(n.Secrets)) {
			if !n.Secrets[key].IsSet() {
				it.Kind, it.Reason = Invalid, fmt.Sprintf("driver_info.%s is not known", key)
				it.Remedy = "write it into the file, or pass --credentials"
				return it
			}
		}
	}
	if ix.compareParts(&it); it.Existing != nil && it.Kind != Conflict {
		it.Kind = it.judge()
	}
	return it
}

// judge returns whether an existing node changes.
func (it *Item) judge() Kind {
	differs := func(p PartItem) bool { return p.Kind != Unchanged }
	if len(it.Changes) > 0 || len(it.AddTraits) > 0 || slices.ContainsFunc(it.Ports, differs) || slices.ContainsFunc(it.Portgroups, differs) {
		return Change
	}
	return Unchanged
}

func (it *Item) compareNode(now map[string]any, opts Options) {
	wanted := maps.Clone(it.Node.Fields)
	delete(wanted, "uuid")
	it.Changes = differences(nil, wanted, now)
	info, _ := now["driver_info"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(it.Node.Secrets)) {
		before, set := info[key]
		switch {
		case !it.Node.Secrets[key].IsSet(), set && !opts.UpdateCredentials:
			it.NotCompared = append(it.NotCompared, "driver_info."+key)
		case set && before != models.Mask && before == it.Node.Secrets[key].Reveal():
		default:
			it.Changes = append(it.Changes, FieldChange{Path: []string{"driver_info", key}, Before: before, After: it.Node.Secrets[key], Secret: true})
		}
	}
	for _, t := range it.Node.Traits {
		if !slices.Contains(it.Existing.Traits, t) {
			it.AddTraits = append(it.AddTraits, t)
		}
	}
}

// differences lists the leaves of wanted that now has not, sorted by path. A null or empty wanted value of a field
// that is unset is no difference.
func differences(above []string, wanted, now map[string]any) []FieldChange {
	var list []FieldChange
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		want, have := wanted[key], now[key]
		child, isObject := want.(map[string]any)
		old, wasObject := have.(map[string]any)
		switch {
		case isObject && (wasObject || have == nil) && len(above) == 0 && objectField(key):
			list = append(list, differences([]string{key}, child, old)...)
		case empty(want) && empty(have), equal(want, have), len(above) > 0 && sameAddress(key, want, have):
		default:
			list = append(list, FieldChange{Path: append(slices.Clone(above), key), Before: have, After: want})
		}
	}
	return list
}

// sameAddress reports whether two values of a BMC's address or of a Redfish system's path mean the same.
func sameAddress(key string, a, b any) bool {
	x, y := models.TextOf(a), models.TextOf(b)
	if x == "" || y == "" {
		return false
	}
	if key == "redfish_system_id" {
		return strings.TrimRight(x, "/") == strings.TrimRight(y, "/")
	}
	for _, field := range addressFields() {
		if key == field[0] {
			insecure := strings.HasPrefix(x, "http://") != strings.HasPrefix(y, "http://")
			return !insecure && hostOf(x, field[1]) == hostOf(y, field[1])
		}
	}
	return false
}

func objectField(key string) bool {
	return slices.Contains([]string{"driver_info", "properties", "instance_info", "extra", "network_data"}, key)
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// equal compares JSON values; YAML's integers equal JSON's numbers.
func equal(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

// plain copies a value as the JSON types of encoding/json.
func plain(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var out any
	if json.Unmarshal(raw, &out) != nil {
		return v
	}
	return out
}

// compareParts plans the ports and port groups.
func (ix *indexed) compareParts(it *Item) {
	have := ix.parts[it.UUID]
	for i := range it.Node.Portgroups {
		g := &it.Node.Portgroups[i]
		part := PartItem{Fields: g.Fields, Kind: Create, UUID: PartUUID(it.UUID, g.Fields)}
		for _, r := range have[1] {
			if sameGroup(g.Fields, r) {
				part.existing(r)
			}
		}
		it.Portgroups = append(it.Portgroups, part)
		for _, p := range g.Ports {
			ix.comparePort(it, p, part.UUID)
		}
	}
	for _, p := range it.Node.Ports {
		ix.comparePort(it, p, "")
	}
}

func (ix *indexed) comparePort(it *Item, p Port, group string) {
	fields := maps.Clone(p.Fields)
	if group != "" {
		fields["portgroup_uuid"] = group
	}
	part := PartItem{Fields: fields, Kind: Create, UUID: PartUUID(it.UUID, fields), Group: group}
	if r := ix.macs[p.Address()]; r != nil {
		if owner := models.TextOf(r["node_uuid"]); owner != it.UUID {
			it.Kind, it.Reason = Conflict, fmt.Sprintf("MAC %s is a port of node %s", p.Address(), ix.labelOf(owner))
			it.Remedy = "correct the file, or delete that port"
		}
		part.existing(r)
	}
	it.Ports = append(it.Ports, part)
}

func (ix *indexed) labelOf(node string) string {
	if n := ix.nodes[node]; n != nil {
		return n.Label()
	}
	return node
}

func (p *PartItem) existing(r Resource) {
	wanted := maps.Clone(p.Fields)
	delete(wanted, "uuid")
	delete(wanted, "node_uuid")
	p.UUID, p.Kind = r.UUID(), Unchanged
	for _, c := range differences(nil, wanted, r) {
		if c.Name() == "address" && strings.EqualFold(models.TextOf(c.Before), models.TextOf(c.After)) {
			continue
		}
		p.Changes, p.Kind = append(p.Changes, c), Change
	}
}

func sameGroup(fields map[string]any, r Resource) bool {
	for _, key := range []string{"uuid", "name", "address"} {
		if text := models.TextOf(fields[key]); text != "" && strings.EqualFold(text, models.TextOf(r[key])) {
			return true
		}
	}
	return false
}

// markDuplicates turns nodes that name the same machine or port into conflicts. An exact repetition leaves the first.
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

// keys are what no two nodes may share.
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
