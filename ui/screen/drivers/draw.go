package drivers

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// Draw paints the table of the view, with a fault above it and, for a hardware type, its
// interfaces below.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	tabs := body.Tabs(t, []string{"Conductors", "Hardware types"}, s.tab, "", w)
	return body.Page(t, w, h, s.heading(t, w), tabs, func(h int) string {
		if s.conductors == nil {
			return cell.Block([]string{"", t.Paint(theme.Muted, "   No context could be opened; 4 shows why.")}, w, h)
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
			text = "  no conductor"
		}
		left = append(left, body.S(role, text))
	}
	fresh := freshness(s, s.conductors)
	if s.tab == driversTab {
		fresh = freshness(s, s.drivers)
	}
	return body.Line(t, w, left, []body.Span{fresh})
}

func freshness[T any](s *Screen, of *fetch.Source[T]) body.Span {
	_, known := of.Value()
	return body.Freshness(s.env.Clock.Now(), of.Asked(), known, of.Busy(), of.Err())
}

func (s *Screen) drawConductors(t *theme.Theme, w, h int) string {
	lines := fault(t, s.conductors.Err(), w)
	if silent(s.conductors) {
		lines = append(lines, cell.Wrap(t.Paint(theme.Warn, " "+silentText), w)...)
	}
	s.hosts.Empty = "Asking Ironic for its conductors…"
	if _, known := s.conductors.Value(); known {
		s.hosts.Empty = "This Ironic has no conductor: it takes requests, but nothing can be done to any node until one runs."
	} else if s.conductors.Err() != nil {
		s.hosts.Empty = ""
	}
	s.hosts.Resize(w, h-len(lines))
	return cell.Block(append(lines, body.Split(s.hosts.Draw(t))...), w, h)
}

// silentText: ironic/conductor/base_manager.py leaves the heartbeats out with SQLite.
const silentText = "No conductor has sent a heartbeat for a minute. An Ironic on SQLite keeps none, and its conductor may work all the same."

// silent says that there are conductors, and that none of them is alive.
func silent(of *fetch.Source[[]models.Conductor]) bool {
	hosts, known := of.Value()
	return known && len(hosts) > 0 && !slices.ContainsFunc(hosts, func(c models.Conductor) bool { return c.Alive })
}

func (s *Screen) drawDrivers(t *theme.Theme, w, h int) string {
	head := fault(t, s.drivers.Err(), w)
	s.types.Empty = "Asking Ironic for its hardware types…"
	if _, known := s.drivers.Value(); known {
		s.types.Empty = "No hardware type is enabled by a conductor that is alive: no node can be driven."
	} else if s.drivers.Err() != nil {
		s.types.Empty = ""
	}
	room := h - len(head)
	below := s.interfaces(w)
	rows := room
	if len(below) > 0 {
		rows = min(s.types.Len()+1, max(room-len(below)-1, room/3, 2))
	}
	s.types.Resize(w, rows)
	lines := append(head, body.Split(s.types.Draw(t))...)
	if len(below) > 0 {
		lines = append(lines, t.Rule(w))
		lines = append(lines, body.Draw(t, below, w)...)
	}
	return cell.Block(lines, w, h)
}

// fault tells why the last request failed, above what was known before.
func fault(t *theme.Theme, err error, w int) []string {
	if err == nil {
		return nil
	}
	return append(body.Draw(t, body.Fault(err, w), w), "")
}

// kindWidth is the column of the kinds of interfaces.
const kindWidth = 12

// interfaces are those that a node of the type at the cursor may use: the default first.
// Kinds that it has nothing for stand together at the end.
func (s *Screen) interfaces(w int) []pane.Line {
	d, ok := s.types.Cursor()
	if !ok {
		return nil
	}
	kinds := make([]string, 0, len(d.Enabled))
	for k := range d.Enabled {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	head := pane.Line{body.S(theme.Muted, "   "+cell.Fit("INTERFACE", kindWidth)+"  "+"DEFAULT, and what else is enabled")}
	lines := []pane.Line{head}
	var without []string
	for _, kind := range kinds {
		if nothing(kind, d.Enabled[kind]) {
			without = append(without, models.Printable(kind))
			continue
		}
		lines = append(lines, interfaceLine(kind, d.Default[kind], d.Enabled[kind]))
	}
	switch {
	case len(kinds) == 0:
		lines = append(lines, pane.Line{body.S(theme.Muted, "   This Ironic does not say which interfaces it has.")})
	case len(without) > 0:
		lines = append(lines, body.Indented(theme.Muted, "none of: "+strings.Join(without, ", "), w, 3)...)
	}
	return lines
}

// nothing says that the only interface of a kind is the one that does nothing.
func nothing(kind string, enabled []string) bool {
	return len(enabled) == 1 && enabled[0] == "no-"+kind
}

func interfaceLine(kind, preset string, enabled []string) pane.Line {
	line := pane.Line{body.S(theme.Plain, "   "+cell.Fit(models.Printable(kind), kindWidth)+"  ")}
	var others []string
	for _, e := range enabled {
		if e != preset {
			others = append(others, models.Printable(e))
		}
	}
	if preset == "" {
		line = append(line, body.S(theme.Warn, "no default"))
	} else {
		line = append(line, body.S(theme.Strong, models.Printable(preset)))
	}
	if len(others) > 0 {
		line = append(line, body.S(theme.Muted, "  "+strings.Join(others, "  ")))
	}
	return line
}
