package deploy

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

type diskRow struct {
	hints.DiskCheck
	id string // unique even if names repeat
}

func diskTable() *table.Table[diskRow] {
	t := table.New(func(d diskRow) string { return d.id })
	t.SetColumns([]table.Column[diskRow]{
		{Key: "name", Title: "DISK", Min: 14, Max: 24, Cell: func(r diskRow) table.Cell {
			c := table.Cell{Text: r.Disk.Name, Glyph: theme.GlyphIdle, GlyphRole: theme.Muted}
			switch {
			case r.Picked:
				c.Glyph, c.GlyphRole, c.Role = theme.GlyphActive, theme.Danger, theme.Strong
			case r.Skipped:
				c.Glyph, c.GlyphRole = theme.GlyphHold, theme.Hold
			}
			return c
		}},
		{Key: "size", Title: "GIB", Min: 7, Max: 9, Right: true, Text: func(r diskRow) string { return fmt.Sprintf("%.1f", r.Disk.GiB()) }},
		{Key: "model", Title: "MODEL", Min: 8, Max: 24, Drop: 2, Text: func(r diskRow) string { return r.Disk.Model }},
		{Key: "serial", Title: "SERIAL", Min: 8, Max: 24, Drop: 3, Text: func(r diskRow) string { return r.Disk.Serial }},
		{Key: "wwn", Title: "WWN", Min: 8, Max: 24, Drop: 4, Text: func(r diskRow) string { return r.Disk.WWN }},
		{Key: "bus", Title: "BUS", Min: 4, Max: 6, Drop: 5, Text: func(r diskRow) string { return r.Disk.Transport }},
		{Key: "why", Title: "VERDICT", Min: 26, Grow: 1, Cell: func(r diskRow) table.Cell {
			role := theme.Muted
			if r.Picked {
				role = theme.Danger
			}
			return table.Cell{Text: r.Why, Role: role}
		}},
	})
	return t
}

func (s *Screen) inventory() *hints.Inventory {
	if f := s.checkedFacts(); f != nil {
		return f.Inventory
	}
	return nil
}

// checkedFacts returns the facts that the checks have gathered about the current node, or nil before the first checks.
func (s *Screen) checkedFacts() *plan.Facts {
	n, read := s.node()
	if s.action == nil || !read {
		return nil
	}
	return s.action.Facts(n)
}

// diskSearch returns the search with which the agent would find the root disk. It uses the effective hints.
func (s *Screen) diskSearch() hints.Search {
	f := s.planned()
	return hints.Search{Generation: hints.GenerationOf(f.Version), Hints: f.Hints.Hints, Skip: f.Hints.Skip}
}

func (s *Screen) diskRows() []diskRow {
	inv := s.inventory()
	if inv == nil {
		return nil
	}
	checks := s.diskSearch().Explain(inv.Disks).Disks
	rows := make([]diskRow, len(checks))
	for i, c := range checks {
		rows[i] = diskRow{DiskCheck: c, id: fmt.Sprintf("%d %s", i, c.Disk.Name)}
	}
	return rows
}

// pickDisk stores the most stable hint that matches only the disk at the cursor, or says why there is none.
func (s *Screen) pickDisk() (cmd tea.Cmd, why string) {
	row, ok := s.disks.Cursor()
	inv := s.inventory()
	if !ok || inv == nil {
		return nil, s.noDisks()
	}
	rootHints, err := hints.MostStable(row.Disk, inv.Disks)
	var unstable *hints.NoStableHintError
	switch {
	case errors.As(err, &unstable):
		return nil, models.OnScreen(err) + s.env.Keys.Text("; {hints-write} edits hints")
	case err != nil:
		return nil, models.OnScreen(err)
	}
	search := s.diskSearch()
	search.Hints = rootHints
	if _, err := search.Pick(inv.Disks); err != nil {
		return nil, "the node's skip_block_devices skips " + row.Disk.Name
	}
	return s.setHints(rootHints), ""
}

func (s *Screen) setHints(hints hints.Hints) tea.Cmd {
	return s.changeOne(plan.PartRootDevice, func(f *plan.Fields) { f.RootDevice.Hints = hints })
}

func (s *Screen) askHints() tea.Cmd {
	was := ""
	if h := s.planned().Hints.Hints; h.IsSet() {
		was = h.String()
	}
	fields := []form.Field{
		{Key: "hints", Label: "Hints", Required: true, Value: was, Placeholder: `{"size": ">= 400"}`, Help: textHintsHelp},
	}
	if len(s.refs) > 1 {
		fields = append(fields, form.Field{Key: "all", Label: "All nodes", Kind: form.Toggle, Help: textForAllHelp})
	}
	return s.openForm("Root device hints", fields, func(v map[string]string) (tea.Cmd, string, string) {
		hints, err := hints.Decode([]byte(v["hints"]))
		switch {
		case err != nil:
			return nil, "hints", models.OnScreen(err)
		case !hints.IsSet():
			return nil, "hints", `No hints given. Enter an object such as {"wwn": "…"}.`
		}
		return screen.SendLater(s, func() tea.Cmd {
			if v["all"] == "true" {
				return s.change(plan.PartRootDevice, func(f *plan.Fields) { f.RootDevice.Hints = hints })
			}
			return s.setHints(hints)
		}), "", ""
	})
}

// moveHints switches the destination of the plan's hints between instance_info and properties.
func (s *Screen) moveHints() tea.Cmd {
	to := hints.OfProperties
	if s.fields().RootDevice.To == hints.OfProperties {
		to = hints.OfInstance
	}
	return s.change(plan.PartRootDevice, func(f *plan.Fields) { f.RootDevice.To = to })
}

// noDisks returns the reason why no disk can be picked, or "" if one can.
func (s *Screen) noDisks() string {
	f := s.checkedFacts()
	name := s.currentRef().Label()
	switch {
	case f != nil && !s.planned().Kind.PicksDisk():
		return fmt.Sprintf("Deployments of kind %s do not use root device hints.", s.planned().Kind)
	case f == nil && s.err != nil:
		return "Could not load the node."
	case f == nil:
		return "Loading disks…"
	case f.InventoryError != "":
		return "Could not load the inventory: " + f.InventoryError
	case f.Inventory == nil:
		return "No inventory for " + name + s.env.Keys.Text(textNoInventoryFix)
	case len(f.Inventory.Disks) == 0:
		return "Inspection found no disks in " + name + s.env.Keys.Text(textNoDisksFix)
	}
	return ""
}

func (s *Screen) drawDisk(t *theme.Theme, w, h int) string {
	s.disks.Empty = s.noDisks()
	below := s.hintLines(w, max(h-s.disks.Len()-5, 2))
	top := max(h-len(below), min(h, 2))
	s.disks.Resize(w, top)
	if s.checkedFacts() != nil && !s.planned().Kind.PicksDisk() {
		return cell.Block(body.Draw(t, body.Indented(theme.Muted, s.noDisks(), w-1, 1), w), w, h)
	}
	return cell.Block(append(body.Split(s.disks.Draw(t)), body.Draw(t, below, w)...), w, h)
}

// hintLines returns the effective hints, their source, and the disk at the cursor. The argument most is the maximum
// number of lines that describe the disk.
func (s *Screen) hintLines(w, most int) []pane.Line {
	f := s.planned()
	lines := []pane.Line{nil}
	switch planned := s.fields().RootDevice; {
	case planned.Hints.IsSet():
		text := fmt.Sprintf("plan hints, written to %s: %s", cmp.Or(planned.To, hints.OfInstance), planned.Hints.String())
		lines = append(lines, body.IndentedMost(theme.Strong, text, w-1, 1, 2)...)
	case f.Hints.Hints.IsSet():
		lines = append(lines, body.IndentedMost(theme.Plain, fmt.Sprintf(textNodeHints, f.Hints.Source, f.Hints.Hints.String()), w-1, 1, 2)...)
	default:
		said := "no hints: the agent picks the smallest disk ≥ 4 GiB"
		if s.disks.Len() > 0 {
			said += s.env.Keys.Text("; {open} picks the selected disk")
		}
		lines = append(lines, body.IndentedMost(theme.Warn, said, w-1, 1, 2)...)
	}
	if row, ok := s.disks.Cursor(); ok {
		d := &row.Disk
		parts := []string{d.Name, row.Why, fmt.Sprintf("%.1f GiB", d.GiB())}
		for _, name := range []hints.Hint{hints.Vendor, hints.Model, hints.Serial, hints.WWN, hints.Transport, hints.ByPath, hints.HCTL} {
			if text := d.Attribute(name); text != "" {
				parts = append(parts, string(name)+" "+text)
			}
		}
		lines = append(lines, body.IndentedMost(theme.Muted, strings.Join(parts, " · "), w-1, 1, most)...)
	}
	return lines
}
