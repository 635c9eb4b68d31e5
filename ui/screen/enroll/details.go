package enroll

import (
	"fmt"
	"strings"

	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// setDetails fills the details pane for the row at the cursor, and wraps the text to w cells. It does nothing if
// neither the row nor the width has changed.
func (s *Screen) setDetails(w int) {
	key, lines := "", func(*page) {}
	switch s.tab {
	case tabNodes:
		if r, ok := s.nodes.Cursor(); ok {
			key, lines = number(r.at), func(p *page) { s.nodeLines(p, r.item) }
		}
	case tabBMCs:
		if r, ok := s.bmcs.Cursor(); ok {
			key, lines = number(r.at), func(p *page) { bmcLines(p, r.found) }
		}
	case tabResult:
		if r, ok := s.results.Cursor(); ok {
			key, lines = r.node.UUID, func(p *page) { resultLines(p, r) }
		}
	case tabForm:
	}
	key = fmt.Sprint(s.tab, " ", w, " ", key)
	if key == s.shown {
		return
	}
	p := &page{w: w}
	lines(p)
	s.details.SetLines(p.lines)
	if s.shown != "" {
		s.details.Top()
	}
	s.shown = key
}

// page collects the lines of the details, wrapped to w cells.
type page struct {
	w     int
	lines []pane.Line
}

// head adds a line with a glyph, a name in bold, and further text.
func (p *page) head(role theme.Role, glyph, name, more string) {
	p.lines = append(p.lines, pane.Line{body.S(role, " "+glyph+" "), body.S(theme.Strong, name), body.S(theme.Muted, "  "+more)})
}

// add adds the text, indented and wrapped. It adds nothing if the text is empty.
func (p *page) add(role theme.Role, text string) {
	if text != "" {
		p.lines = append(p.lines, body.Indented(role, text, p.w-1, 3)...)
	}
}

// labeled adds the text, preceded by its name. It adds nothing if the text is empty.
func (p *page) labeled(name, text string) {
	if text != "" {
		p.add(theme.Plain, fmt.Sprintf("%-8s %s", name, text))
	}
}

// nodeLines adds the details of a compared node, such as the reason for a refusal, the differences and the requests.
func (s *Screen) nodeLines(p *page, it *enroll.Item) {
	glyph, role := kindLook(it.Kind)
	p.head(role, glyph, it.Node.Label(), it.UUID+"  "+it.Node.Source.String())
	p.add(theme.Bad, it.Reason)
	p.add(theme.Plain, it.Remedy)
	if len(it.MatchedBy) > 0 {
		p.add(theme.Muted, textMatched+strings.Join(it.MatchedBy, ", "))
	}
	if warning := s.warningOf(it); warning != "" {
		p.add(theme.Warn, theme.GlyphMaint+" "+warning)
	}
	for _, change := range it.Differences() {
		p.add(theme.Warn, change)
	}
	if it.Node.Prepare != nil {
		p.add(theme.Warn, textPrepare+it.Node.Prepare.String())
	}
	if len(it.NotCompared) > 0 {
		p.add(theme.Muted, textNotComparable+strings.Join(it.NotCompared, ", "))
	}
	for _, note := range it.Node.Notes {
		p.add(theme.Warn, theme.GlyphMaint+" "+note)
	}
	requests, commands := s.requestsOf(it)
	switch {
	case it.Kind.Refused():
		p.add(theme.Muted, textNotSent)
	case len(requests) == 0:
		p.add(theme.Muted, textNothingToSend)
	}
	for _, r := range requests {
		for part := range strings.SplitSeq(r.String(), "\n") {
			p.add(theme.Plain, strings.TrimSpace(part))
		}
	}
	for _, command := range commands {
		p.add(theme.Muted, "$ "+command)
	}
}

func (s *Screen) warningOf(it *enroll.Item) string {
	return provision.EnrollWarning(it, goalOf(s.values), s.values[keyNoInspect] == switchedOn)
}

func (s *Screen) detailsOf(it *enroll.Item) string {
	return provision.EnrollDetails(it, goalOf(s.values), s.values[keyNoInspect] == switchedOn)
}

func (s *Screen) requestsOf(it *enroll.Item) (requests []request.Request, commands []string) {
	return provision.EnrollRequests(it, goalOf(s.values), s.values[keyNoInspect] == switchedOn)
}

func bmcLines(p *page, d *provision.Discovered) {
	glyph, role := statusLook(d.Status)
	p.head(role, glyph, d.Address, string(d.Status))
	if d.Err != nil {
		for part := range strings.SplitSeq(models.OnScreen(d.Err), "\n") {
			p.add(theme.Plain, part)
		}
	}
	if d.BMC == nil {
		return
	}
	p.labeled("system", d.BMC.System.Path)
	p.labeled("UUID", d.BMC.System.UUID)
	if note := d.Note(); note != "" {
		p.add(theme.Warn, note+": "+strings.Join(d.BMC.System.Paths, ", "))
	}
	for i := range d.BMC.NICs {
		p.labeled("NIC", strings.TrimSpace(d.BMC.NICs[i].MAC+"  "+d.BMC.NICs[i].Link))
	}
}

func resultLines(p *page, r *resultRow) {
	p.head(r.role, r.glyph, r.node.Label(), r.node.UUID)
	p.labeled("state", r.state)
	p.labeled("done", r.did)
	if r.err != nil {
		p.add(theme.Bad, models.OnScreen(r.err))
	} else {
		p.add(theme.Plain, r.reason)
	}
	p.add(theme.Plain, r.remedy)
	if r.requestID != "" {
		p.add(theme.Muted, "request "+r.requestID)
	}
}
