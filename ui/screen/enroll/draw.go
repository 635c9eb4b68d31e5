package enroll

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// asideFrom is the minimum width of the screen, in cells, at which the details are drawn beside the table.
const asideFrom = 150

// Draw draws the current tab below the heading and the tab names.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	content := s.content(t, w, max(h-2, 0))
	place := ""
	if s.tab != tabForm {
		place = s.details.Position()
	}
	left := append([]body.Span{body.S(theme.Strong, " Enroll  ")}, s.state()...)
	heading := body.Line(t, w, left, []body.Span{body.S(theme.Muted, "goal "+string(s.goal()))})
	return body.Page(t, w, h, heading, s.tabs.Draw(t, titles, int(s.tab), place, w), func(int) string { return content })
}

func (s *Screen) state() []body.Span {
	switch {
	case s.reading != nil:
		text := "reading"
		if of := s.reading.shown[1]; of > 0 {
			text = fmt.Sprintf("querying BMCs: %d of %d", s.reading.shown[0], of)
		}
		return []body.Span{body.S(theme.Busy, theme.GlyphWorking+" "+text), body.S(theme.Muted, "  esc cancels")}
	case s.task != nil && (s.task.Running() || !s.stale):
		return []body.Span{s.taskSpan()}
	case s.result.err != nil:
		return []body.Span{body.S(theme.Bad, theme.GlyphFailed+" "+textNotCompared)}
	case !s.read:
		return []body.Span{body.S(theme.Muted, textNotCompared)}
	case s.stale:
		return []body.Span{body.S(theme.Warn, theme.GlyphMaint+" "+textStale+"  "), body.S(theme.Muted, s.result.plan.String())}
	}
	role, glyph := theme.Good, theme.GlyphDone
	if s.result.plan.Refused()+s.result.found.CountFailed() > 0 {
		role, glyph = theme.Warn, theme.GlyphMaint
	}
	spans := []body.Span{body.S(role, glyph+" "), body.S(theme.Plain, s.result.plan.String())}
	if lost := s.result.found.CountFailed(); lost > 0 {
		spans = append(spans, body.S(theme.Bad, "  "+models.Counted(lost, "BMC")+" failed"))
	}
	return spans
}

// taskSpan counts the nodes of the task by result, for example "2 done, 1 running".
func (s *Screen) taskSpan() body.Span {
	tally := map[string]int{}
	for _, r := range s.results.Rows() {
		tally[r.word]++
	}
	text := models.Tally(tally, []string{"failed", "unknown", "refused", "done", "retrying", "stale", "running", "queued"})
	switch {
	case s.task.Running():
		return body.S(theme.Busy, theme.GlyphWorking+" "+text)
	case tally["failed"]+tally["unknown"]+tally["refused"] > 0:
		return body.S(theme.Bad, theme.GlyphFailed+" "+text)
	}
	return body.S(theme.Good, theme.GlyphDone+" "+text)
}

func (s *Screen) content(t *theme.Theme, w, h int) string {
	switch s.tab {
	case tabForm:
		return s.form.Draw(t, w, h)
	case tabNodes:
		s.nodes.Empty = s.env.Keys.Text(textPressCompare)
		switch {
		case s.reading != nil || s.result.err != nil:
			s.nodes.Empty = ""
		case s.read:
			s.nodes.Empty = "The input has no nodes."
		}
	case tabBMCs:
		s.bmcs.Empty = "No BMC queried: the source is a file."
		if !s.read && s.result.err == nil {
			s.bmcs.Empty = s.env.Keys.Text(textPressCompare)
		}
		if s.reading != nil {
			s.bmcs.Empty = ""
		}
	case tabResult:
		s.results.Empty = s.env.Keys.Text("Nothing enrolled yet. {enroll-start} enrolls the compared nodes.")
	}
	lines := s.above(t, w)
	s.listAt = body.PageTop + len(lines)
	return cell.Block(append(lines, body.Split(s.list(t, w, h-len(lines)))...), w, h)
}

// above returns why a comparison failed, and summaries of the input files and the queried BMCs.
func (s *Screen) above(t *theme.Theme, w int) []string {
	if s.tab != tabNodes && s.tab != tabBMCs {
		return nil
	}
	var lines []pane.Line
	if err := s.result.err; err != nil {
		if wrong, is := errors.AsType[*provision.EnrollInputError](err); is {
			err = wrong.Err // without the name of a command-line flag, because the form has fields instead
		}
		lines = append(lines, body.Fault(err, w)...)
		lines = append(lines, body.Indented(theme.Plain, s.env.Keys.Text(textComparingFail), w, 3)...)
	}
	if s.tab == tabNodes {
		for i := range s.result.found.Files {
			lines = append(lines, fileLines(&s.result.found.Files[i], w)...)
		}
		if c := s.result.in.Credentials; c != "" && s.read {
			lines = append(lines, body.Indented(theme.Muted, fmt.Sprintf(textCompleted, models.Counted(s.result.found.Completed, "node"), c), w, 3)...)
		}
	}
	if lost := s.result.found.BMCs; len(lost) > 0 && s.tab == tabNodes {
		lines = append(lines, body.Indented(theme.Muted, fmt.Sprintf(textBMCSummary, models.Counted(len(lost), "BMC system"), statuses(lost)), w, 1)...)
	}
	return body.Draw(t, lines, w)
}

func statuses(found []provision.Discovered) string {
	tally := map[provision.DiscoveryStatus]int{}
	for i := range found {
		tally[found[i].Status]++
	}
	return models.Tally(tally, []provision.DiscoveryStatus{
		provision.DiscoveryFound, provision.DiscoveryRefused, provision.DiscoveryUnreachable, provision.DiscoveryFailed,
	})
}

// mostNotes is the maximum number of notes about a file that are shown above the table.
const mostNotes = 3

func fileLines(f *nodefile.File, w int) []pane.Line {
	lines := body.IndentedMost(theme.Muted, fmt.Sprintf(textFileSummary, f.Name, models.Counted(len(f.Nodes), "node"), f.Format), w, 1, 2)
	if mapped := f.Mapped(); len(mapped) > 0 {
		lines = append(lines, body.IndentedMost(theme.Muted, "columns: "+strings.Join(mapped, ", "), w, 1, 1)...)
	}
	if f.Plan != nil && len(f.Plan.Nodes) > 0 {
		text := fmt.Sprintf(textDeployments, models.Counted(len(f.Plan.Nodes), "deployment"), f.Name)
		lines = append(lines, body.IndentedMost(theme.Plain, text, w, 1, 2)...)
	}
	for i, note := range f.Notes {
		if i == mostNotes {
			return append(lines, body.IndentedMost(theme.Warn, fmt.Sprintf("… %d more notes", len(f.Notes)-i), w, 3, 1)...)
		}
		lines = append(lines, body.IndentedMost(theme.Warn, note, w, 3, 1)...)
	}
	return lines
}

func (s *Screen) list(t *theme.Theme, w, h int) string {
	list := s.lists[s.tab]
	draw := func(w, h int) string {
		list.Resize(w, h)
		return list.Draw(t)
	}
	if list.Len() == 0 || h < 6 {
		return draw(w, h)
	}
	if w >= asideFrom {
		left := w * 3 / 5
		s.setDetails(w - left - 1)
		s.details.Resize(w-left-1, h)
		return body.Beside(t, draw(left, h), s.details.Draw(t), w, h)
	}
	s.setDetails(w)
	above := min(list.Len()+1, max(h/2, h-s.details.Len()-1))
	s.details.Resize(w, max(h-above-1, 0))
	lines := append(body.Split(draw(w, above)), t.Rule(w))
	return cell.Block(append(lines, body.Split(s.details.Draw(t))...), w, h)
}

// setDetails fills the details for the row at the cursor, unless neither the row nor the width has changed.
func (s *Screen) setDetails(w int) {
	key, lines := "", func(*page) {}
	switch s.tab {
	case tabNodes:
		if r, ok := s.nodes.Cursor(); ok {
			key, lines = strconv.Itoa(r.at), func(p *page) { s.nodeLines(p, r.item) }
		}
	case tabBMCs:
		if r, ok := s.bmcs.Cursor(); ok {
			key, lines = strconv.Itoa(r.at), func(p *page) { bmcLines(p, r.found) }
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
		p.add(theme.Muted, "matched by "+strings.Join(it.MatchedBy, ", "))
	}
	if warning := provision.EnrollWarning(it, s.goal(), s.withoutInspection()); warning != "" {
		p.add(theme.Warn, theme.GlyphMaint+" "+warning)
	}
	for _, change := range it.Differences() {
		p.add(theme.Warn, change)
	}
	if it.Node.Prepare != nil {
		p.add(theme.Warn, "before available: "+it.Node.Prepare.String())
	}
	if len(it.NotCompared) > 0 {
		p.add(theme.Muted, "not compared: "+strings.Join(it.NotCompared, ", "))
	}
	for _, note := range it.Node.Notes {
		p.add(theme.Warn, theme.GlyphMaint+" "+note)
	}
	requests, commands := provision.EnrollRequests(it, s.goal(), s.withoutInspection())
	switch {
	case it.Kind.Refused():
		p.add(theme.Muted, "nothing is sent")
	case len(requests) == 0:
		p.add(theme.Muted, "nothing to send")
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
