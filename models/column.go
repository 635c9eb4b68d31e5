package models

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Row is a node in a list, with Ironic's data and with data that only a program that watches the node can collect.
type Row struct {
	Node Node
	// Since is the time when the console saw the node enter its state, on the server's clock. It is zero if the
	// console did not observe the change of state.
	Since time.Time
	// Reason is the reason why the node failed. It is taken from last_error or, because the newest Ironic clears
	// last_error before the failed state appears, from the node's history.
	Reason string
	// FirstSeen is a time at which the node was known to be in its current state, on the server's clock: when the
	// console first saw the node or, if earlier, the node's provision_updated_at at that moment.
	FirstSeen time.Time
	// Changes lists, in order, the changes to the node that were sent from this console and accepted by Ironic.
	Changes []NodeChange
	// Hardware holds data from the inventory. It is nil if the inventory was not read.
	Hardware *Hardware
	// Log describes the last boot according to the ramdisk's log. It is nil if no log was read.
	Log *RamdiskLog
}

// InState returns the time when the node entered its state. If exact is false, the node may have entered it earlier.
// Ironic does not record this time. It writes provision_updated_at with each state, but also with each heartbeat
// (ironic/db/sqlalchemy/api.py: touch_node_provisioning). An inexact time may therefore be too late, but never too
// early.
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

// Hardware holds the inventory data that filters use.
type Hardware struct {
	// RAM is the size of the memory in bytes, or 0 if the inventory does not contain it.
	RAM         int64
	CPUs, Disks int
	// Inspected is false if Ironic has no inventory.
	Inspected bool
	// Discovered means that the inventory was created by auto-discovery.
	Discovered bool
}

// Answer tells whether a node matches a filter.
type Answer int8

// The possible answers. Unknown means that data which the filter needs has not been read.
const (
	No Answer = iota
	Yes
	Unknown
)

// ListFields returns the API fields to request when listing nodes: the fields needed for columns, filters and events.
// Every field adds work on the server for each row.
func ListFields() []string {
	return []string{
		"uuid", "name", "instance_uuid", "provision_state", "target_provision_state",
		"power_state", "target_power_state", "maintenance", "maintenance_reason", "fault",
		"last_error", "reservation", "driver", "resource_class", "owner",
		"deploy_step", "clean_step", "service_step", "protected", "retired", "provision_updated_at",
	}
}

// Column is a column of a node list.
type Column struct {
	Key   string
	Title string
	// Text returns the content of the row's cell. The content is not sanitized. now is on the server's clock.
	Text func(r *Row, now time.Time) string
	// Rank orders the rows; smaller ranks come first. If it is nil, rows are ordered by text.
	Rank func(r *Row) int64
	// Field is the API field that the column needs in addition to [ListFields], or "" if it needs none.
	Field string
}

// Columns returns all columns. step returns the text for the STEP column.
func Columns(step func(r *Row, now time.Time) string) []Column {
	text := func(key, title, field string, get func(n *Node) string) Column {
		return Column{Key: key, Title: title, Field: field, Text: func(r *Row, _ time.Time) string { return get(&r.Node) }}
	}
	return []Column{
		text("name", "NAME", "", func(n *Node) string { return n.Name }),
		text("uuid", "UUID", "", func(n *Node) string { return n.UUID }),
		{Key: "state", Title: "STATE", Text: stateText, Rank: byAttention(time.Time{})},
		text("target", "TARGET", "", func(n *Node) string { return string(n.TargetProvisionState) }),
		{Key: "step", Title: "STEP", Text: step},
		text("power", "POWER", "", func(n *Node) string { return n.PowerState.Short() }),
		text("maintenance", "MAINTENANCE", "", func(n *Node) string { return flag(n.Maintenance, "") }),
		text("class", "CLASS", "", func(n *Node) string { return n.ResourceClass }),
		text("driver", "DRIVER", "", func(n *Node) string { return n.Driver }),
		text("instance", "INSTANCE", "", func(n *Node) string { return n.InstanceUUID }),
		text("owner", "OWNER", "", func(n *Node) string { return n.Owner }),
		text("fault", "FAULT", "", func(n *Node) string { return n.Fault }),
		text("error", "LAST ERROR", "", func(n *Node) string { return n.LastError }),
		text("reservation", "RESERVATION", "", func(n *Node) string { return n.Reservation }),
		{Key: "age", Title: "IN STATE", Text: ageText, Rank: byInState},
		text("lessee", "LESSEE", "lessee", func(n *Node) string { return n.Lessee }),
		text("conductor", "CONDUCTOR", "conductor", func(n *Node) string { return n.Conductor }),
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

// FindColumn returns the column with the given key. The error lists all keys.
func FindColumn(all []Column, key string) (Column, error) {
	i := slices.IndexFunc(all, func(c Column) bool { return c.Key == key })
	if i >= 0 {
		return all[i], nil
	}
	keys := make([]string, len(all))
	for i, c := range all {
		keys[i] = c.Key
	}
	return Column{}, fmt.Errorf("unknown column %q; available: %s", key, strings.Join(keys, ", "))
}

// At returns a copy of the column that orders rows as of the given time on the server's clock. Only the order of the
// state column depends on the time, because it ranks nodes by attention.
func (c Column) At(now time.Time) Column {
	if c.Key == "state" {
		c.Rank = byAttention(now)
	}
	return c
}

type sortRow struct {
	row  *Row
	text string
	rank int64
	at   int
}

// SortRows sorts rows by the given column, and rows with equal values by name and UUID. descending does not reverse
// the order of rows with equal values.
func SortRows(rows []*Row, by Column, descending bool) {
	SortByName(rows)
	SortNamed(rows, by, descending)
}

// SortByName sorts rows by name, and rows with equal names by UUID.
func SortByName(rows []*Row) {
	slices.SortFunc(rows, func(a, b *Row) int {
		return cmp.Or(compareNatural(a.Node.Name, b.Node.Name), strings.Compare(a.Node.UUID, b.Node.UUID))
	})
}

// SortNamed is [SortRows] at a tenth of the cost, for rows that are already sorted by name (see [SortByName]).
func SortNamed(rows []*Row, by Column, descending bool) {
	sorted := make([]sortRow, len(rows))
	for i, row := range rows {
		sorted[i] = sortRow{row: row, at: i}
		switch {
		case by.Rank != nil:
			sorted[i].rank = by.Rank(row)
		case by.Key == "name":
			sorted[i].text = row.Node.Label()
		case by.Text != nil:
			sorted[i].text = by.Text(row, time.Time{})
		}
	}
	slices.SortFunc(sorted, func(a, b sortRow) int {
		c := cmp.Compare(a.rank, b.rank)
		if c == 0 && a.text != b.text {
			c = compareNatural(a.text, b.text)
		}
		if descending {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a.at, b.at))
	})
	for i, s := range sorted {
		rows[i] = s.row
	}
}

func stateText(r *Row, _ time.Time) string {
	if r.Node.ProvisionState.Busy() {
		return r.Node.StateText()
	}
	return string(r.Node.ProvisionState)
}

// diskText describes the root disk from the node's properties rather than its inventory. It uses the first root
// device hint and local_gb (in GiB).
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

// byInState ranks nodes by the time when they entered their state: the most recent first, unknown times last.
func byInState(r *Row) int64 {
	since, _ := r.InState()
	if since.IsZero() {
		return math.MaxInt64
	}
	return -since.UnixMicro() // nanoseconds overflow in years after 2262, which an API may send
}

func ageText(r *Row, now time.Time) string { return ageInState(r, now, Age) }

// AgeInState returns how long the node has been in its state, for display on a screen. The duration is exact while an
// operation runs and during the first minute. Later it is coarse, so that the display of an idle fleet does not
// change. The prefix "≥" means that the duration may be longer, because the node was already in the state when the
// console started. AgeInState returns "" if no time is known, or if only FirstSeen is known and it is less than an
// hour ago.
func AgeInState(r *Row, now time.Time) string {
	if since, exact := r.InState(); !exact && r.Node.ProvisionUpdatedAt.IsZero() && now.Sub(since) < time.Hour {
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

// CoarseAge formats a duration in whole minutes, hours or days, rounded down.
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

// Age formats a duration, rounded down: 41s, 2m14, 3h05, 12d.
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

// compareNatural compares strings, ignoring case. Numbers in them are compared by value: n2 comes before n10.
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

// NodeChange is an accepted change to a node.
type NodeChange struct {
	// Field is the changed field, such as properties.root_device.
	Field string
	// At is the time when the change was sent, on Ironic's clock.
	At time.Time
}

// Values of [NodeChange.Field] for a deployment's changes to instance_uuid that reserve and release a node.
const (
	ChangeReserved = "instance_uuid, reserved"
	ChangeReleased = "instance_uuid, released"
)

// SameButLog reports whether two rows are equal except for the ramdisk's log, which changes with each new log line.
func (r *Row) SameButLog(o *Row) bool {
	other := *o
	other.Log = r.Log
	return reflect.DeepEqual(*r, other)
}

// MayBeDiscovered reports whether the node looks as if auto-discovery had enrolled it. Ironic creates such nodes
// without a name and leaves them in enroll (ironic/api/controllers/v1/ramdisk.py, _auto_enroll).
func (n *Node) MayBeDiscovered() bool { return n.ProvisionState == StateEnroll && n.Name == "" }

// Discovered reports whether auto-discovery enrolled the node. Ironic records this only in the inventory's
// plugin_data, and only until the next inspection. An inspection rule may copy it to extra.auto_discovered.
func (r *Row) Discovered() Answer {
	marked, loaded := r.Node.Field("extra", "auto_discovered")
	switch {
	case marked == true, r.Hardware != nil && r.Hardware.Discovered:
		return Yes
	case !loaded || r.Hardware == nil:
		return Unknown
	}
	return No
}
