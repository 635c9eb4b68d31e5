package deploy

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

// diskRow is one disk, and what the hints make of it.
type diskRow struct {
	hints.DiskCheck
	id string // names may be there twice
}

func diskTable() *table.Table[diskRow] {
	t := table.New(func(d diskRow) string { return d.id })
	text := func(key, title string, least, most, drop int, of func(d *hints.Disk) string) table.Column[diskRow] {
		return table.Column[diskRow]{Key: key, Title: title, Min: least, Max: most, Drop: drop, Cell: func(r diskRow) table.Cell {
			return table.Cell{Text: models.Printable(of(&r.Disk))}
		}}
	}
	size := text("size", "GIB", 7, 9, 0, func(d *hints.Disk) string { return fmt.Sprintf("%.1f", d.GiB()) })
	size.Right = true
	t.SetColumns([]table.Column[diskRow]{
		{Key: "name", Title: "DISK", Min: 14, Max: 24, Cell: func(r diskRow) table.Cell {
			c := table.Cell{Text: models.Printable(r.Disk.Name), Glyph: theme.GlyphIdle, GlyphRole: theme.Muted}
			switch {
			case r.Picked:
				c.Glyph, c.GlyphRole, c.Role = theme.GlyphActive, theme.Danger, theme.Strong
			case r.Skipped:
				c.Glyph, c.GlyphRole = theme.GlyphHold, theme.Hold
			}
			return c
		}},
		size,
		text("model", "MODEL", 8, 24, 2, func(d *hints.Disk) string { return d.Model }),
		text("serial", "SERIAL", 8, 24, 3, func(d *hints.Disk) string { return d.Serial }),
		text("wwn", "WWN", 8, 24, 4, func(d *hints.Disk) string { return d.WWN }),
		text("bus", "BUS", 4, 6, 5, func(d *hints.Disk) string { return d.Transport }),
		{Key: "why", Title: "VERDICT", Min: 26, Grow: 1, Cell: func(r diskRow) table.Cell {
			role := theme.Muted
			if r.Picked {
				role = theme.Danger
			}
			return table.Cell{Text: models.Printable(r.Why), Role: role}
		}},
	})
	return t
}

// inventory is what inspection found in the node in hand; nil where that is not known.
func (s *Screen) inventory() *hints.Inventory {
	if f := s.known(); f != nil {
		return f.Inventory
	}
	return nil
}

// known is what the checks have read of the node in hand, nil before.
func (s *Screen) known() *plan.Facts {
	n, read := s.node()
	if s.action == nil || !read {
		return nil
	}
	return s.action.Facts(n)
}

// search is the agent's search for the disk, with the hints of the plan as it is now.
func (s *Screen) diskSearch() hints.Search {
	f := s.planned()
	return hints.Search{By: hints.GenerationOf(f.Version), Hints: f.Hints.Hints, Skip: f.Hints.Skip}
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

// pickDisk writes the most stable hint that only fits the disk under the cursor.
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
		return nil, models.Printable(err.Error()) + "; e writes hints by hand"
	case err != nil:
		return nil, models.Printable(err.Error())
	}
	search := s.diskSearch()
	search.Hints = rootHints
	if _, err := search.Pick(inv.Disks); err != nil {
		return nil, "skip_block_devices of the node leaves " + models.Printable(row.Disk.Name) + " alone"
	}
	return s.setHints(rootHints), ""
}

func (s *Screen) setHints(hints hints.Hints) tea.Cmd {
	return s.changeOne(plan.PartRootDevice, func(f *plan.Fields) { f.RootDevice.Hints = hints })
}

// askHints asks for hints to be written by hand.
func (s *Screen) askHints() tea.Cmd {
	was := ""
	if h := s.planned().Hints.Hints; h.Given() {
		was = h.String()
	}
	fields := []form.Field{
		{Key: "hints", Label: "Hints", Required: true, Value: was, Placeholder: `{"size": ">= 400"}`, Help: "root device hints as JSON, as ironworks hints match takes them"},
	}
	if len(s.refs) > 1 {
		fields = append(fields, form.Field{Key: "all", Label: "For all", Kind: form.Toggle, Help: "for all nodes of the plan; else for the one in hand"})
	}
	return s.ask("Root device hints", fields, func(v map[string]string) (tea.Cmd, string, string) {
		hints, err := hints.Decode([]byte(v["hints"]))
		switch {
		case err != nil:
			return nil, "hints", models.Printable(err.Error())
		case !hints.Given():
			return nil, "hints", `There are no hints in it: want {"wwn": "…"}.`
		}
		return s.decide(func() tea.Cmd {
			if v["all"] == "true" {
				return s.change(plan.PartRootDevice, func(f *plan.Fields) { f.RootDevice.Hints = hints })
			}
			return s.setHints(hints)
		}), "", ""
	})
}

// turnHints writes them to the other place.
func (s *Screen) turnHints() tea.Cmd {
	to := hints.OfProperties
	if s.fields().RootDevice.To == hints.OfProperties {
		to = hints.OfInstance
	}
	return s.change(plan.PartRootDevice, func(f *plan.Fields) { f.RootDevice.To = to })
}

// hintsTo is where the plan's hints are written.
func (s *Screen) hintsTo() hints.Source {
	if s.fields().RootDevice.To == hints.OfProperties {
		return hints.OfProperties
	}
	return hints.OfInstance
}

func (s *Screen) whyHints() string {
	if !s.fields().RootDevice.Hints.Given() {
		return "the plan has no hints; enter picks a disk"
	}
	return ""
}

// noDisks says why there are none to pick from.
func (s *Screen) noDisks() string {
	f := s.known()
	name := models.Printable(s.inHand().Label())
	switch {
	case f != nil && !s.planned().Kind.PicksDisk():
		return fmt.Sprintf("A deployment of the kind %s picks no disk by hints: there is nothing to choose here.", s.planned().Kind)
	case f == nil && s.err != nil:
		return "The node could not be read."
	case f == nil:
		return "Ironic is being asked for the node's disks…"
	case f.InventoryError != "":
		return "The inventory could not be read: " + models.Printable(f.InventoryError)
	case f.Inventory == nil:
		return "Ironic has no inventory of " + name + ": its disks are not known. Inspect it first (manage, inspect, provide), or write hints by hand (e)."
	case len(f.Inventory.Disks) == 0:
		return "Inspection found no disk in " + name + ". Inspect it again, or write hints by hand (e)."
	}
	return ""
}

// drawDisk paints the disks, and below them the hints.
func (s *Screen) drawDisk(t *theme.Theme, w, h int) string {
	s.disks.Empty = s.noDisks()
	below := s.hintLines(w, max(h-s.disks.Len()-5, 2))
	top := max(h-len(below), min(h, 2))
	s.disks.Resize(w, top)
	if s.known() != nil && !s.planned().Kind.PicksDisk() {
		return cell.Block(body.Draw(t, body.Indented(theme.Muted, s.noDisks(), w-1, 1), w), w, h)
	}
	return cell.Block(append(body.Split(s.disks.Draw(t)), body.Draw(t, below, w)...), w, h)
}

// hintLines are what counts for the node, where it comes from, and what the disk under
// the cursor has to say: that in at most most lines.
func (s *Screen) hintLines(w, most int) []pane.Line {
	f := s.planned()
	lines := []pane.Line{nil}
	switch {
	case s.fields().RootDevice.Hints.Given():
		lines = append(lines, body.Few(theme.Strong, "plan: "+models.Printable(s.fields().RootDevice.Hints.String())+" to "+string(s.hintsTo()), w-1, 1, 2)...)
	case f.Hints.Hints.Given():
		lines = append(lines, body.Few(theme.Plain, fmt.Sprintf("the node has hints in %s: %s", f.Hints.Source, models.Printable(f.Hints.Hints.String())), w-1, 1, 2)...)
	default:
		said := "no hints: the agent takes the smallest disk of 4 GiB or more"
		if s.disks.Len() > 0 {
			said += "; enter picks the one under the cursor"
		}
		lines = append(lines, body.Few(theme.Warn, said, w-1, 1, 2)...)
	}
	if row, ok := s.disks.Cursor(); ok {
		d := &row.Disk
		parts := []string{d.Name, row.Why, fmt.Sprintf("%.1f GiB", d.GiB())}
		for _, name := range []hints.Hint{hints.Vendor, hints.Model, hints.Serial, hints.WWN, hints.Transport, hints.ByPath, hints.HCTL} {
			if text := d.Attribute(name); text != "" {
				parts = append(parts, string(name)+" "+text)
			}
		}
		lines = append(lines, body.Few(theme.Muted, models.Printable(strings.Join(parts, " · ")), w-1, 1, most)...)
	}
	return lines
}
