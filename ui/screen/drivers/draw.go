package drivers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	textNoContext    = "   No context is open; {connect} shows why."
	textNoConductors = "No conductors: Ironic accepts requests, but no operation can run until a conductor starts."
	textNoHeartbeat  = "Ironic reports every conductor as dead. With SQLite it stores no heartbeats, so its conductor may still work."
	textNoTypes      = "No live conductor enables a hardware type: no node can be managed."
)

// Draw draws the table of the current tab. If the last request failed, the error appears above the table. On the
// Hardware types tab, the interfaces of the type at the cursor appear below the table.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	tabs := s.tabs.Draw(t, []string{"Conductors", "Hardware types"}, s.tab, "", w)
	return body.Page(t, w, h, s.heading(t, w), tabs, func(h int) string {
		if s.conductors == nil {
			return cell.Block([]string{"", t.Paint(theme.Muted, s.env.Keys.Text(textNoContext))}, w, h)
		}
		if s.tab == conductorsTab {
			return s.drawConductors(t, w, h)
		}
		return s.drawDrivers(t, w, h)
	})
}

func (s *Screen) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " Conductors & drivers")}
	if s.conductors == nil {
		return body.Line(t, w, left, nil)
	}
	if hosts, known := s.conductors.Value(); known {
		alive := 0
		for i := range hosts {
			if hosts[i].Alive {
				alive++
			}
		}
		role := theme.Good
		switch {
		case alive == 0 && len(hosts) > 0:
			role = theme.Warn
		case alive < len(hosts) || alive == 0:
			role = theme.Bad
		}
		text := fmt.Sprintf("  %d of %d conductors alive", alive, len(hosts))
		if len(hosts) == 0 {
			text = "  no conductors"
		}
		left = append(left, body.S(role, text))
	}
	if s.tab == driversTab {
		return body.Line(t, w, left, []body.Span{body.FreshnessOf(s.drivers)})
	}
	return body.Line(t, w, left, []body.Span{body.FreshnessOf(s.conductors)})
}

func (s *Screen) drawConductors(t *theme.Theme, w, h int) string {
	lines := body.FaultAbove(t, s.conductors.Err(), w)
	if noneAlive(s.conductors) {
		lines = append(lines, cell.Wrap(t.Paint(theme.Warn, " "+textNoHeartbeat), w)...)
	}
	s.hosts.Empty = body.EmptyText(s.conductors, "Loading conductors…", textNoConductors)
	s.listAt = body.PageTop + len(lines)
	s.hosts.Resize(w, h-len(lines))
	return cell.Block(append(lines, body.Split(s.hosts.Draw(t))...), w, h)
}

// noneAlive reports whether there are conductors but none of them is alive. That may be wrong: with SQLite, Ironic does
// not store heartbeats (ironic/conductor/base_manager.py).
func noneAlive(of *fetch.Source[[]models.Conductor]) bool {
	hosts, known := of.Value()
	return known && len(hosts) > 0 && !slices.ContainsFunc(hosts, func(c models.Conductor) bool { return c.Alive })
}

func (s *Screen) drawDrivers(t *theme.Theme, w, h int) string {
	head := body.FaultAbove(t, s.drivers.Err(), w)
	s.types.Empty = body.EmptyText(s.drivers, "Loading hardware types…", textNoTypes)
	room := h - len(head)
	below := s.interfaces(w)
	rows := room
	if len(below) > 0 {
		rows = min(s.types.Len()+1, max(room-len(below)-1, room/3, 2))
	}
	s.listAt = body.PageTop + len(head)
	s.types.Resize(w, rows)
	lines := append(head, body.Split(s.types.Draw(t))...)
	if len(below) > 0 {
		lines = append(lines, t.Rule(w))
		lines = append(lines, body.Draw(t, below, w)...)
	}
	return cell.Block(lines, w, h)
}

// kindWidth is the width of the INTERFACE column, in cells.
const kindWidth = 12

// interfaces lists the interfaces of the type at the cursor by kind, the default first, and the kinds without one.
func (s *Screen) interfaces(w int) []pane.Line {
	d, ok := s.types.Cursor()
	if !ok {
		return nil
	}
	lines := []pane.Line{{body.S(theme.Muted, "   "+cell.Fit("INTERFACE", kindWidth)+"  DEFAULT, OTHERS")}}
	var without []string
	for _, kind := range slices.Sorted(maps.Keys(d.Enabled)) {
		enabled := d.Enabled[kind]
		if len(enabled) == 1 && enabled[0] == "no-"+kind {
			without = append(without, kind)
			continue
		}
		lines = append(lines, interfaceLine(kind, d.Default[kind], enabled))
	}
	switch {
	case len(d.Enabled) == 0:
		lines = append(lines, pane.Line{body.S(theme.Muted, "   Ironic does not report its interfaces.")})
	case len(without) > 0:
		lines = append(lines, body.Indented(theme.Muted, "no interface: "+strings.Join(without, ", "), w, 3)...)
	}
	return lines
}

func interfaceLine(kind, preset string, enabled []string) pane.Line {
	line := pane.Line{body.S(theme.Plain, "   "+cell.Fit(kind, kindWidth)+"  ")}
	others := slices.DeleteFunc(slices.Clone(enabled), func(e string) bool { return e == preset })
	if preset == "" {
		line = append(line, body.S(theme.Warn, "no default"))
	} else {
		line = append(line, body.S(theme.Strong, preset))
	}
	if len(others) > 0 {
		line = append(line, body.S(theme.Muted, "  "+strings.Join(others, "  ")))
	}
	return line
}
