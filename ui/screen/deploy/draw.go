package deploy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	// asideFrom is the minimum width of the screen, in cells, at which the checks are drawn beside the page.
	asideFrom = 110
	// asideMost is the maximum width of the checks beside the page, in cells. They also take at most 2/5 of the
	// screen's width.
	asideMost = 62
	// slow is the time after which the heading also shows how long the checks have been running.
	slow = 3 * time.Second
)

// Draw draws the current page with the checks beside or below it.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	s.wide = w >= asideFrom
	content := s.content(t, w, max(h-2, 0)) // comes first, because it sets the scroll position that the tab line shows
	titles := make([]string, pageCount)
	for p := range pageCount {
		mark, _ := verdictGlyph(s.verdicts[p])
		titles[p] = mark + " " + p.title() // without a page number: number keys open other screens
	}
	place := ""
	if s.page() == pageReview {
		place = s.review.Position()
	}
	tabs := s.tabs.Draw(t, titles, int(s.page()), place, w)
	if s.search.Typing() {
		tabs = s.search.Draw(t, w, "")
	}
	return body.Page(t, w, h, s.heading(t, w), tabs, func(int) string { return content })
}

func verdictGlyph(verdict plan.CheckSeverity) (string, theme.Role) {
	switch verdict {
	case plan.CheckOK:
		return theme.GlyphDone, theme.Good
	case plan.CheckWarn:
		return theme.GlyphMaint, theme.Warn
	case plan.CheckRefuse:
		return theme.GlyphFailed, theme.Bad
	case plan.CheckUnknown:
		return theme.GlyphUnknown, theme.Warn
	}
	return theme.GlyphIdle, theme.Muted
}

func (s *Screen) content(t *theme.Theme, w, h int) string {
	if s.wide {
		aside := min(asideMost, w*2/5)
		s.checks.SetLines(s.checkLines(aside))
		return body.Beside(t, s.drawPage(t, w-aside-1, h), body.PaneOr(t, &s.checks, s.noChecks(), aside, h), w, h)
	}
	below := min(max(h/3, 3), 7)
	if h < 8 {
		return s.drawPage(t, w, h)
	}
	s.checks.SetLines(s.checkLines(w))
	checks := body.Split(body.PaneOr(t, &s.checks, s.noChecks(), w, below))
	title := " checks "
	if place := s.checks.Position(); place != "" {
		title += place + " "
	}
	lines := append(body.Split(s.drawPage(t, w, h-below-1)), body.Rule(t, theme.Muted, title, w))
	return cell.Block(append(lines, checks...), w, h)
}

func (s *Screen) drawPage(t *theme.Theme, w, h int) string {
	switch s.page() {
	case pageDisk:
		return s.drawDisk(t, w, h)
	case pageSteps:
		return s.drawSteps(t, w, h)
	case pageBoot:
		return s.drawBoot(t, w, h)
	case pageReview:
		if s.reviewed != w {
			s.reviewed = w
			s.review.SetLines(s.reviewLines(w))
		}
		return body.PaneOr(t, &s.review, s.noChecks(), w, h)
	case pageRamdisk, pageCount:
	}
	return s.ramdisk.Draw(t, w, h)
}

// heading shows the current node, the number of nodes, the kind of deployment, and the state of the checks.
func (s *Screen) heading(t *theme.Theme, w int) string {
	n, _ := s.node()
	glyph, role := theme.Node(n)
	left := []body.Span{body.S(theme.Strong, " Deploy  ")}
	if len(s.refs) > 1 {
		left = append(left, body.S(theme.Plain, fmt.Sprintf("%d nodes  < %d > ", len(s.refs), min(s.draft.Node, len(s.refs)-1)+1)))
	}
	left = append(left, body.S(theme.Strong, cell.Cut(n.Label(), max(w/3, 8))+"  "),
		body.S(role, glyph+" "+string(n.ProvisionState)))
	// The kind is omitted on narrow screens, because the first page shows it, too.
	kind := body.S(theme.Muted, "  "+string(s.planned().Kind))
	fresh, short := s.freshness()
	room := w - body.Width(left) - 3
	switch {
	case body.Width([]body.Span{kind, fresh}) <= room:
		left = append(left, kind)
	case body.Width([]body.Span{fresh}) > room:
		fresh.Text = short
	}
	return body.Line(t, w, left, []body.Span{fresh})
}

// freshness returns the state of the checks. whole includes their age; short does not.
func (s *Screen) freshness() (whole body.Span, short string) {
	now := time.Now()
	says := func(role theme.Role, glyph, text, age string) (body.Span, string) {
		return body.S(role, glyph+" "+text+age), glyph + " " + text
	}
	switch {
	case s.session == nil || s.session.Checks == nil:
		return says(theme.Bad, theme.GlyphFailed, "not connected", "")
	case s.busy && now.Sub(s.since) >= slow:
		return says(theme.Busy, theme.GlyphWorking, "checking", " for "+models.Age(now.Sub(s.since)))
	case s.busy:
		return says(theme.Busy, theme.GlyphWorking, "checking", "")
	case s.err != nil && s.action != nil:
		return says(theme.Bad, theme.GlyphFailed, "connection lost", " · "+body.Read(now, s.at))
	case s.err != nil:
		return says(theme.Bad, theme.GlyphFailed, "not checked", "")
	}
	mark, role := verdictGlyph(s.verdicts[pageReview])
	result := s.worstChecks()
	if len(s.refs) > 1 {
		result = fmt.Sprintf("%d ready, %d refused", s.ready, s.refused)
	}
	return says(role, mark, result, " · "+body.Read(now, s.at))
}

// worstChecks returns a phrase, such as "2 warnings", that counts the current node's checks of the worst severity.
func (s *Screen) worstChecks() string {
	worst, n := s.verdicts[pageReview], 0
	if node, read := s.node(); read {
		for _, c := range s.judged[node.UUID] {
			if c.Severity == worst && !c.Overridden {
				n++
			}
		}
	}
	switch {
	case worst == plan.CheckRefuse && n > 0:
		return models.Counted(n, "check") + " failed"
	case worst == plan.CheckRefuse:
		return "refused"
	case worst == plan.CheckWarn && n > 0:
		return models.Counted(n, "warning")
	case worst == plan.CheckWarn:
		return "checks overridden"
	case worst == plan.CheckUnknown:
		return models.Counted(n, "check") + " unknown"
	}
	return "ready"
}

func (s *Screen) noChecks() string {
	switch {
	case s.session == nil || s.session.Checks == nil:
		return "No context is open: checks are not available."
	case s.err != nil:
		return "Could not load the nodes."
	}
	return "Loading…"
}

// checkLines returns lines with the current node's checks, wrapped to w cells. The Review page shows all checks. The
// other pages show their own checks and name the failed checks of other pages.
func (s *Screen) checkLines(w int) []pane.Line {
	x := &reviewText{w: w}
	if s.err != nil {
		x.lines = append(x.lines, body.Fault(s.err, w-1)...)
		x.spans(3, body.S(theme.Muted, "   "), body.S(theme.Muted, s.env.Keys.Text(textPlanKept)))
	}
	n, read := s.node()
	if !read || s.action == nil {
		return x.lines
	}
	fine := 0
	elsewhere := map[page][]string{}
	p := s.page()
	worstFirst := func(a, b plan.Check) int { return cmp.Compare(rank(b.Severity), rank(a.Severity)) }
	for _, c := range slices.SortedStableFunc(slices.Values(s.judged[n.UUID]), worstFirst) {
		at := pageOf(c.ID)
		switch {
		case p != pageReview && at != p && c.Severity == plan.CheckRefuse:
			elsewhere[at] = append(elsewhere[at], string(c.ID))
		case p != pageReview && at != p:
		case c.Severity == plan.CheckOK:
			fine++
		default:
			x.check(c)
		}
	}
	if fine > 0 {
		x.spans(3, body.S(theme.Good, " "+theme.GlyphDone+" "), body.S(theme.Muted, fmt.Sprintf("%d passed", fine)))
	}
	for at := range pageCount {
		if len(elsewhere[at]) > 0 {
			x.spans(3, body.S(theme.Bad, " "+theme.GlyphFailed+" "), body.S(theme.Muted, "on "+at.title()+": "+strings.Join(elsewhere[at], ", ")))
		}
	}
	if len(s.refs) > 1 {
		x.spans(3, body.S(theme.Muted, "   "), body.S(theme.Muted, fmt.Sprintf(s.env.Keys.Text(textReadyCount), len(s.refs), s.ready, s.refused)))
	}
	return x.lines
}

// check adds lines for a check that did not pass, including its remedy and evidence.
func (x *reviewText) check(c plan.Check) {
	mark, role := verdictGlyph(c.Severity)
	name := string(c.ID)
	if c.Overridden {
		name += " (overridden)"
	}
	x.spans(3, body.S(role, " "+mark+" "), body.S(theme.Strong, name+" "), body.S(theme.Plain, c.Text))
	if c.ScreenRemedy != "" {
		x.spans(5, body.S(theme.Accent, "   → "), body.S(theme.Plain, c.ScreenRemedy))
	}
	for _, e := range c.Evidence {
		x.spans(7, body.S(theme.Muted, "     "), body.S(theme.Muted, e.String()))
	}
}
