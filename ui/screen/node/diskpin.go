package node

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// places returns the fields that a hint can be written to, each with a note that says how long the hint stays there.
func places() []struct {
	to    hints.Source
	about string
} {
	return []struct {
		to    hints.Source
		about string
	}{
		{hints.OfInstance, "until undeploy"},
		{hints.OfProperties, "permanently"},
	}
}

// askPin opens a dialog that asks in which field to store a hint that selects the disk at the cursor. The root then
// shows the request, asks for confirmation and sends it.
func (s *Screen) askPin() tea.Cmd {
	found, _ := s.disks.Value()
	d, ok := s.diskRows.Cursor()
	if !ok || found == nil {
		return nil
	}
	var items []overlay.Item
	for _, p := range places() {
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
		return screen.Send(screen.PinDisk{
			Node: node, Pin: provision.Pin(found.NodeDisks, name, hints.Source(to)),
			CommandLine: []string{"hints", "set", node.Label(), "--disk", name, "--to", to},
		})
	})})
}

// reason returns the text of an error without the remedy that names a shell command.
func reason(err error) string {
	var refusal *models.Refusal
	if errors.As(err, &refusal) {
		return refusal.WhyOnScreen()
	}
	return models.OnScreen(err)
}

// whyPin returns the reason why the disk at the cursor cannot be pinned, or "" if it can.
func (s *Screen) whyPin() string {
	if s.tab != disksTab {
		return textDisksElsewhere
	}
	found, read := s.disks.Value()
	d, ok := s.diskRows.Cursor()
	switch {
	case !read:
		return textDisksUnknown
	case !ok:
		return textNoDisk
	}
	why := ""
	for _, p := range places() {
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

// showDisk opens a dialog with all facts about the disk at the cursor.
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
	for _, h := range d.check.Hints {
		glyph, role, text := theme.GlyphDone, theme.Good, fmt.Sprintf("%s %s", h.Hint, h.Wants)
		if !h.Matches {
			glyph, role, text = theme.GlyphFailed, theme.Bad, text+": "+h.Why
		}
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
