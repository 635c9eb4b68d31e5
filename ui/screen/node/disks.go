package node

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// disks holds the disks of the inventory and the result of comparing them with the hints.
type disks struct {
	*provision.NodeDisks
	search  hints.Search
	explain hints.Explanation
	rows    []disk
}

// disk is a row of the list. It is sanitized and compared with the hints when it is read, not when it is drawn.
type disk struct {
	place int
	check hints.DiskCheck
	name  string
	why   string
	// attributes lists the attributes that the ramdisk reported, except the name.
	attributes []models.Detail
}

// readDisks reads the inventory. It also reads the node, because node lists do not contain the hints.
func readDisks(ctx context.Context, api screen.API, uuid string) (*disks, error) {
	n, err := api.Node(ctx, uuid)
	if err != nil {
		return nil, err
	}
	version, _ := api.Version()
	found, err := provision.ReadDisks(ctx, api, n, version)
	if err != nil {
		return nil, err
	}
	d := &disks{NodeDisks: found, search: found.Search()}
	d.explain = d.search.Explain(found.Inventory.Disks)
	for i, c := range d.explain.Disks {
		d.rows = append(d.rows, disk{
			place: i, check: c, name: c.Disk.Name, why: c.Why, attributes: attributes(&c.Disk),
		})
	}
	return d, nil
}

func attributes(d *hints.Disk) []models.Detail {
	details := []models.Detail{{Name: "size", Value: fmt.Sprintf("%.2f GiB, %d bytes", d.GiB(), d.Size)}}
	for _, a := range []struct {
		name string
		hint hints.Hint
	}{
		{"by-path", hints.ByPath},
		{"model", hints.Model},
		{"vendor", hints.Vendor},
		{"serial", hints.Serial},
		{"wwn", hints.WWN},
		{"wwn + ext", hints.WWNWithExtension},
		{"wwn vendor", hints.WWNVendorExtension},
		{"hctl", hints.HCTL},
		{"bus", hints.Transport},
	} {
		if text := d.Attribute(a.hint); text != "" {
			details = append(details, models.Detail{Name: a.name, Value: text})
		}
	}
	rotational := "not reported by the ramdisk"
	if d.Rotational != nil {
		rotational = map[bool]string{true: "yes, a hard disk", false: "no, solid state"}[*d.Rotational]
	}
	return append(details, models.Detail{Name: "rotational", Value: rotational})
}

// verdictStyle returns how a disk's verdict looks. hinted reports whether the node has hints.
func (d *disk) verdictStyle(hinted bool) (glyph, word string, role theme.Role) {
	switch {
	case d.check.Picked:
		return theme.GlyphActive, "picked", theme.Good
	case d.check.Skipped:
		return theme.GlyphHold, "skipped", theme.Hold
	case d.check.Matches && hinted:
		return theme.GlyphIdle, "matches", theme.Warn
	case d.check.Matches:
		return theme.GlyphIdle, "suitable", theme.Warn
	}
	return theme.GlyphRule, "no", theme.Muted
}

func (s *Screen) diskTable() *table.Table[disk] {
	t := table.New(func(d disk) string { return strconv.Itoa(d.place) + " " + d.name })
	of := func(hint hints.Hint) func(d disk) string {
		return func(d disk) string { return d.check.Disk.Attribute(hint) }
	}
	t.SetColumns([]table.Column[disk]{
		{Key: "pick", Title: "PICK", Min: 10, Max: 12, Cell: func(d disk) table.Cell {
			found, _ := s.disks.Value()
			glyph, word, role := d.verdictStyle(found.search.Hints.IsSet())
			return table.Cell{Text: word, Role: role, Glyph: glyph, GlyphRole: role}
		}},
		{Key: "name", Title: "DISK", Min: 12, Max: 24, Text: func(d disk) string { return d.name }},
		{Key: "size", Title: "SIZE", Min: 10, Max: 14, Right: true, Text: func(d disk) string { return fmt.Sprintf("%.1f GiB", d.check.Disk.GiB()) }},
		{Key: "kind", Title: "KIND", Min: 4, Max: 4, Drop: 3, Text: func(d disk) string { return d.check.Disk.Kind() }},
		{Key: "bus", Title: "BUS", Min: 4, Max: 6, Drop: 4, Text: of(hints.Transport)},
		{Key: "model", Title: "MODEL", Min: 12, Max: 30, Drop: 2, Text: of(hints.Model)},
		{Key: "serial", Title: "SERIAL", Min: 14, Max: 24, Drop: 1, Text: of(hints.Serial)},
		{Key: "wwn", Title: "WWN", Min: 18, Max: 24, Drop: 5, Text: of(hints.WWN)},
		{Key: "why", Title: "REASON", Min: 18, Grow: 1, Role: theme.Muted, Text: func(d disk) string { return d.why }},
	})
	return t
}

// noDisks explains why the list is empty. It returns "" if the list is not empty, or if an error message explains it.
func (s *Screen) noDisks() string {
	var refusal *models.Refusal
	switch found, read := s.disks.Value(); {
	case read && len(found.rows) == 0:
		return "Inspection found no disks."
	case read:
		return ""
	case errors.As(s.disks.Err(), &refusal):
		return refusal.WhyOnScreen() + s.env.Keys.Text(". Inspect the node ({inspect}) in state manageable.")
	case s.disks.Err() != nil:
		return ""
	}
	return "Loading the inventory…"
}

// disksErr returns the error from reading the disks. A missing inventory, which is a refusal, is not an error.
func (s *Screen) disksErr() error {
	if _, refused := errors.AsType[*models.Refusal](s.disks.Err()); refused {
		return nil
	}
	return s.disks.Err()
}

// places lists the fields that a hint can be written to, each with a note that says how long the hint stays there.
var places = []struct {
	to    hints.Source
	about string
}{
	{hints.OfInstance, "until undeploy"},
	{hints.OfProperties, "permanently"},
}

// askPin asks in which field to store a hint that selects the disk at the cursor. The root then shows the request, asks
// for confirmation and sends it.
func (s *Screen) askPin() tea.Cmd {
	found, _ := s.disks.Value()
	d, ok := s.diskRows.Cursor()
	if !ok || found == nil {
		return nil
	}
	var items []overlay.Item
	for _, p := range places {
		item := overlay.Item{ID: string(p.to), Title: string(p.to), Note: p.about}
		if _, hints, err := found.PinDisk(d.check.Disk.Name, p.to); err != nil {
			item.Disabled = reason(err)
		} else {
			item.Detail = hints.String()
		}
		items = append(items, item)
	}
	node, name := found.Node.Ref(), d.check.Disk.Name
	return screen.Send(screen.Ask{Overlay: overlay.NewPick("Pin "+d.name+": write root_device into", items, func(to string) tea.Cmd {
		return screen.Send(screen.StartAction{
			ID: action.PinDisk, Nodes: []models.NodeRef{node}, Action: provision.Pin(found.NodeDisks, name, hints.Source(to)), Exact: true,
			CommandLine: []string{"hints", "set", node.Label(), "--disk", name, "--to", to},
		})
	})})
}

// reason returns the text of an error without the remedy that names a shell command.
func reason(err error) string {
	if refusal, is := errors.AsType[*models.Refusal](err); is {
		return refusal.WhyOnScreen()
	}
	return models.OnScreen(err)
}

func (s *Screen) whyPin() string {
	if s.tab != disksTab {
		return "only in the Disks tab"
	}
	found, read := s.disks.Value()
	d, ok := s.diskRows.Cursor()
	switch {
	case !read:
		return "disks unknown"
	case !ok:
		return textNoDisk
	}
	why := ""
	for _, p := range places {
		_, _, err := found.PinDisk(d.check.Disk.Name, p.to)
		if err == nil {
			return ""
		}
		if why == "" {
			why = reason(err)
		}
	}
	return why
}

func (s *Screen) showDisk() tea.Cmd {
	found, _ := s.disks.Value()
	d, ok := s.diskRows.Cursor()
	if !ok || found == nil {
		return nil
	}
	glyph, word, role := d.verdictStyle(found.search.Hints.IsSet())
	lines := []overlay.Text{{Role: role, Text: glyph + " " + word + ": " + d.why, Indent: 2}, {}}
	for _, a := range d.attributes {
		lines = append(lines, overlay.Text{Text: fmt.Sprintf("%-11s %s", a.Name, a.Value), Indent: 12})
	}
	if len(d.check.Hints) > 0 {
		lines = append(lines, overlay.Text{}, overlay.Text{Role: theme.Strong, Text: "Hints one by one"})
	}
	for i := range d.check.Hints {
		glyph, role, text := hintMark(&d.check.Hints[i])
		lines = append(lines, overlay.Text{Role: role, Text: glyph + " " + text, Indent: 2})
	}
	lines = append(lines, overlay.Text{}, overlay.Text{Role: theme.Strong, Text: "All disks"})
	now := s.env.ServerNow()
	for _, line := range found.hintsLine(now) {
		text := ""
		for _, span := range line {
			text += span.Text
		}
		lines = append(lines, overlay.Text{Text: text[1:], Indent: 2})
	}
	for _, r := range found.remarks(now) {
		lines = append(lines, overlay.Text{Role: r.role, Text: r.glyph + " " + r.text, Indent: 2})
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewNote("Disk "+d.name, lines)})
}
