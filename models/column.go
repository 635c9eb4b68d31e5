package models

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Row is a node as a list shows it: what Ironic says, and what only watching tells.
type Row struct {
	Node Node
	// Since is when the node entered its state as far as we saw it ourselves, on the
	// server's clock; zero when it was so when we came.
	Since time.Time
	// Reason is why the node is in a failed state, from last_error or the node's
	// history: the newest Ironic clears last_error before the state is there.
	Reason string
	// FirstSeen is when we first saw the node, on the server's clock, or, where that is
	// earlier, its provision_updated_at then: it has been in its state at least since.
	FirstSeen time.Time
	// Changes are what was changed from here and accepted, in the order of the requests.
	Changes []NodeChange
	// Log is what the ramdisk's log tells of the machine's last boot; nil where none was read.
	Log *RamdiskLog
}

// InState gives since when the node has been in its state; exact is false where it may have
// been so for longer. Ironic has no time of entry: provision_updated_at is written with each
// new state, and again with each heartbeat of an agent
// (ironic/db/sqlalchemy/api.py: touch_node_provisioning), so that it is never too early.
func (r *Row) InState() (since time.Time, exact bool) {
	updated := r.Node.ProvisionUpdatedAt.Time
	switch {
	case !r.Since.IsZero():
		return r.Since, true
	case r.FirstSeen.IsZero() || (!updated.IsZero() && updated.Before(r.FirstSeen)):
		return updated, false
	}
	return r.FirstSeen, false
}

// ListFields are the API fields of a list of nodes: what the columns, filters and
// events need, and no more, for the server's price is per row and field.
func ListFields() []string {
	return []string{
		"uuid", "name", "instance_uuid", "provision_state", "target_provision_state",
		"power_state", "target_power_state", "maintenance", "maintenance_reason", "fault",
		"last_error", "reservation", "driver", "resource_class", "owner",
		"deploy_step", "clean_step", "service_step", "protected", "retired", "provision_updated_at",
	}
}

// Column is one column of a list of nodes.
type Column struct {
	Key   string
	Title string
	// Text gives the cell, unsanitised; now is the server's clock.
	Text func(r *Row, now time.Time) string
	// Compare orders rows; nil orders by the text.
	Compare func(a, b *Row) int
	// Field is the API field it needs beyond [ListFields], or "".
	Field string
}

// Columns lists every column there is; step gives the text of the STEP column, which
// explains what it can.
func Columns(step func(r *Row, now time.Time) string) []Column {
	text := func(key, title, field string, get func(n *Node) string) Column {
		return Column{Key: key, Title: title, Field: field, Text: func(r *Row, _ time.Time) string { return get(&r.Node) }}
	}
	return []Column{
		text("name", "NAME", "", func(n *Node) string { return n.Name }),
		text("uuid", "UUID", "", func(n *Node) string { return n.UUID }),
		{Key: "state", Title: "STATE", Text: stateText, Compare: byAttention(time.Time{})},
		text("target", "TARGET", "", func(n *Node) string { return string(n.TargetProvisionState) }),
		{Key: "step", Title: "STEP", Text: step},
		text("power", "POWER", "", func(n *Node) string { return n.PowerState.Short() }),
		text("maintenance", "MAINTENANCE", "", maintenanceText),
		text("class", "CLASS", "", func(n *Node) string { return n.ResourceClass }),
		text("driver", "DRIVER", "", func(n *Node) string { return n.Driver }),
		text("instance", "INSTANCE", "", func(n *Node) string { return n.InstanceUUID }),
		text("owner", "OWNER", "", func(n *Node) string { return n.Owner }),
		text("fault", "FAULT", "", func(n *Node) string { return n.Fault }),
		text("error", "LAST ERROR", "", func(n *Node) string { return n.LastError }),
		text("reservation", "RESERVATION", "", func(n *Node) string { return n.Reservation }),
		{Key: "age", Title: "IN STATE", Text: ageText, Compare: byInState},
		text("lessee", "LESSEE", "lessee", func(n *Node) string { return n.Lessee }),
		text("group", "GROUP", "conductor_group", func(n *Node) string { return n.ConductorGroup }),
		text("description", "DESCRIPTION", "description", func(n *Node) string { return n.Description }),
		text("shard", "SHARD", "shard", func(n *Node) string { return n.Shard }),
		text("health", "HEALTH", "health", func(n *Node) string { return n.Health }),
		text("traits", "TRAITS", "traits", func(n *Node) string { return strings.Join(n.Traits, ",") }),
		text("deploy", "DEPLOY", "deploy_interface", func(n *Node) string { return n.DeployInterface }),
		text("boot", "BOOT", "boot_interface", func(n *Node) string { return n.BootInterface }),
		text("disk", "DISK", "properties", diskText),
	}
}

// FindColumn gives the column with the key; the error lists those there are.
func FindColumn(all []Column, key string) (Column, error) {
	i := slices.IndexFunc(all, func(c Column) bool { return c.Key == key })
	if i >= 0 {
		return all[i], nil
	}
	keys := make([]string, len(all))
	for i, c := range all {
		keys[i] = c.Key
	}
	return Column{}, fmt.Errorf("no column %q; there are %s", key, strings.Join(keys, ", "))
}

// At is the column as it orders at a time of the server's clock: which nodes need
// attention depends on how long they have been silent.
func (c Column) At(now time.Time) Column {
	if c.Key == "state" {
		c.Compare = byAttention(now)
	}
	return c
}

// sortRow is a row while it is sorted: the text of a cell is made once and not for
// every comparison.
type sortRow struct {
	row  *Row
	text string
	at   int
}

// SortRows orders rows by a column, ties by name and uuid, so that the order is
// always the same; descending turns all but the ties around.
func SortRows(rows []*Row, by Column, descending bool) {
	sorted := make([]sortRow, len(rows))
	for i, row := range rows {
		sorted[i] = sortRow{row: row, at: i}
		switch {
		case by.Compare != nil:
		case by.Key == "name":
			sorted[i].text = row.Node.Label()
		case by.Text != nil:
			sorted[i].text = by.Text(row, time.Time{})
		}
	}
	slices.SortFunc(sorted, func(a, b sortRow) int {
		var c int
		if by.Compare != nil {
			c = by.Compare(a.row, b.row)
		} else {
			c = compareNatural(a.text, b.text)
		}
		if descending {
			c = -c
		}
		if c != 0 {
			return c
		}
		return compareTie(a, b)
	})
	for i, s := range sorted {
		rows[i] = s.row
	}
}

func compareTie(a, b sortRow) int {
	if c := compareNatural(a.row.Node.Name, b.row.Node.Name); c != 0 {
		return c
	}
	if c := strings.Compare(a.row.Node.UUID, b.row.Node.UUID); c != 0 {
		return c
	}
	return cmp.Compare(a.at, b.at)
}

func stateText(r *Row, _ time.Time) string {
	n := &r.Node
	if n.ProvisionState.Busy() && n.TargetProvisionState != "" {
		return string(n.ProvisionState) + " → " + string(n.TargetProvisionState)
	}
	return string(n.ProvisionState)
}

// diskText is what is known of the root disk without an inventory: what its hints in
// properties say first, and the size that inspection left there (local_gb, in GiB).
func diskText(n *Node) string {
	var words []string
	if hints, ok := n.Properties["root_device"].(map[string]any); ok {
		for _, key := range []string{"name", "serial", "wwn", "model", "by_path", "hctl", "size"} {
			if hint, ok := hints[key]; ok {
				words = append(words, fmt.Sprint(hint))
				break
			}
		}
	}
	if size, ok := n.Properties["local_gb"]; ok && size != nil {
		words = append(words, fmt.Sprint(size)+"G")
	}
	return strings.Join(words, " ")
}

func maintenanceText(n *Node) string {
	if n.Maintenance {
		return "yes"
	}
	return ""
}

func byInState(a, b *Row) int {
	x, _ := a.InState()
	y, _ := b.InState()
	return y.Compare(x)
}

func ageText(r *Row, now time.Time) string { return ageInState(r, now, Age) }

// AgeInState is how long a node has been in its state, as a screen shows it: to the
// second on its way and in the first minute, else coarse, so that a fleet at rest does
// not change. "≥" says that it may have been so for longer: it was when we came. That we
// came a short while ago is not worth saying where Ironic itself has no time.
func AgeInState(r *Row, now time.Time) string {
	if since, exact := r.InState(); !exact && r.Node.ProvisionUpdatedAt.IsZero() && now.Sub(since) < 10*time.Minute {
		return ""
	}
	return ageInState(r, now, func(d time.Duration) string {
		if r.Node.ProvisionState.Busy() || d < time.Minute {
			return Age(d)
		}
		return CoarseAge(d)
	})
}

func ageInState(r *Row, now time.Time, text func(time.Duration) string) string {
	since, exact := r.InState()
	switch {
	case since.IsZero():
		return ""
	case exact:
		return text(now.Sub(since))
	}
	return "≥" + text(now.Sub(since))
}

// CoarseAge is an age in whole minutes, hours or days, never more than it was: it changes
// the more seldom the longer it lasts.
func CoarseAge(d time.Duration) string {
	minutes := int(d.Minutes())
	switch {
	case minutes < 60:
		return strconv.Itoa(minutes) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(minutes/60) + "h"
	}
	return strconv.Itoa(minutes/60/24) + "d"
}

// Age writes a duration as an operator reads it, never more than it was: 41s, 2m14, 3h05,
// 12d.
func Age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + "s"
	case d < time.Hour:
		return fmt.Sprintf("%dm%02d", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02d", int(d.Hours()), int(d.Minutes())%60)
	default:
		return strconv.Itoa(int(d.Hours()/24)) + "d"
	}
}

// compareNatural orders text with numbers in it by their value (n2 before n10),
// whatever the case.
func compareNatural(a, b string) int {
	for i, j := 0, 0; ; {
		switch {
		case i == len(a) || j == len(b):
			if c := cmp.Compare(len(a)-i, len(b)-j); c != 0 {
				return c
			}
			return strings.Compare(a, b)
		case digit(a[i]) && digit(b[j]):
			x, y := number(a[i:]), number(b[j:])
			i, j = i+len(x), j+len(y)
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Compare(len(x), len(y)); c != 0 {
				return c
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
		default:
			if c := cmp.Compare(lower(a[i]), lower(b[j])); c != 0 {
				return c
			}
			i, j = i+1, j+1
		}
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func number(s string) string {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return s[:n]
}

// NodeChange is a request that changed a node and that Ironic accepted.
type NodeChange struct {
	// Field is what it changed, as in properties.root_device.
	Field string
	// At is when it was sent, on Ironic's clock.
	At time.Time
}

// What a deployment from here does to a node beside changing its settings.
const (
	ChangeReserved = "instance_uuid, reserved"
	ChangeReleased = "instance_uuid, released"
)

// SameButLog reports whether two rows differ in the ramdisk's log at most, which changes with
// each of its lines.
func (r *Row) SameButLog(o *Row) bool {
	other := *o
	other.Log = r.Log
	return reflect.DeepEqual(*r, other)
}
