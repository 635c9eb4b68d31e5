package ramdisk

import (
	"fmt"
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// asideFrom is the minimum width, in cells, for two panes side by side.
const asideFrom = 110

// Draw draws the current tab below its heading.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	s.wide = w >= asideFrom
	content := s.content(t, w, max(h-2, 0)) // drawn first, because it sets the scroll position that the line of tabs shows
	tabs := s.tabs.Draw(t, titles, int(s.tab), s.place(), w)
	if s.search.Typing() {
		tabs = s.search.Draw(t, w, "")
	}
	return body.Page(t, w, h, s.heading(t, w), tabs, func(int) string { return content })
}

func (s *Screen) content(t *theme.Theme, w, h int) string {
	switch s.tab {
	case tabForm:
		return s.drawForm(t, w, h)
	case tabFile:
		return s.drawFile(t, w, h)
	case tabServing:
		return body.PaneOr(t, &s.serving, s.env.Keys.Text(textNotServed)+textNotServedRest, w, h)
	case tabPreview:
	}
	return body.PaneOr(t, &s.preview, s.nothingMade(), w, h)
}

// place returns the scroll position in the text that is shown, or "" if only the form is shown.
func (s *Screen) place() string {
	switch s.tab {
	case tabForm:
		if s.wide {
			return s.preview.Position()
		}
		return ""
	case tabPreview, tabFile, tabServing:
	}
	return s.reading().Position()
}

func (s *Screen) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " Ignition  ")}
	var right []body.Span
	switch s.tab {
	case tabFile:
		mark, word, role := s.verdict()
		if s.bench.File != "" {
			left = append(left, body.S(theme.Plain, cell.Cut(s.bench.File, max(w/3, 10))+"  "))
		}
		left = append(left, body.S(role, mark+" "+word))
		right = []body.Span{body.S(theme.Muted, s.counted())}
	case tabServing:
		left = append(left, s.servingWord()...)
	case tabForm, tabPreview:
		left = append(left, s.state()...)
		if v := s.built.Preview; v.Size > 0 && s.buildErr == nil {
			right = []body.Span{body.S(theme.Muted, fmt.Sprintf("spec %s · %s · %s packed", v.Spec, userdata.SizeText(int64(v.Size)), userdata.SizeText(int64(v.Packed))))}
		}
	}
	return body.Line(t, w, left, right)
}

// state names the profile and says whether the configuration is ready, being built or invalid.
func (s *Screen) state() []body.Span {
	profile := body.S(theme.Plain, string(profileOf(s.bench.Values))+"  ")
	problems := len(ignition.InputErrors(s.buildErr))
	switch {
	case s.env.Maker() == nil:
		return []body.Span{body.S(theme.Bad, theme.GlyphFailed+" not available")}
	case !s.hasBuilt:
		return []body.Span{profile, body.S(theme.Busy, theme.GlyphWorking+" building")}
	case problems > 0:
		return []body.Span{profile, body.S(theme.Bad, fmt.Sprintf("%s %s", theme.GlyphFailed, models.Counted(problems, "problem")))}
	case s.buildErr != nil:
		return []body.Span{profile, body.S(theme.Bad, theme.GlyphFailed+" invalid")}
	case s.built.Preview.Packed > userdata.EmbedLimit && s.bench.Capacity == 0:
		return []body.Span{profile, body.S(theme.Warn, theme.GlyphMaint+" larger than a live image's embed area: the ISO grows")}
	case len(s.built.Preview.Notes) > 0:
		return []body.Span{profile, body.S(theme.Warn, theme.GlyphMaint+" "+models.Counted(len(s.built.Preview.Notes), "note"))}
	}
	return []body.Span{profile, body.S(theme.Good, theme.GlyphActive+" ready")}
}

// counted counts the errors and warnings in the file. It returns "" if the file has not been checked.
func (s *Screen) counted() string {
	if !s.check.known {
		return ""
	}
	count := map[userdata.Severity]int{}
	for _, p := range s.check.report.Problems {
		count[p.Severity]++
	}
	return models.Counted(count[userdata.SeverityError], "error") + ", " + models.Counted(count[userdata.SeverityWarning], "warning")
}

func (s *Screen) nothingMade() string {
	if s.env.Maker() == nil {
		return "Configurations cannot be built here."
	}
	return "Building the configuration…"
}

func (s *Screen) drawForm(t *theme.Theme, w, h int) string {
	if !s.wide {
		return s.form.Draw(t, w, h)
	}
	left := min(w/2, 90)
	return body.Beside(t, s.form.Draw(t, left, h), body.PaneOr(t, &s.preview, s.nothingMade(), w-left-1, h), w, h)
}

// drawFile draws the current problem and, below it, the source. The facts about the file are drawn beside the source on
// wide screens, and above it otherwise.
func (s *Screen) drawFile(t *theme.Theme, w, h int) string {
	if s.wide != s.check.factsBeside || w != s.check.width {
		s.check.factsBeside, s.check.width = s.wide, w
		if s.check.known {
			s.setSource()
			if len(s.check.report.Problems) > 0 {
				s.show()
			}
		}
	}
	lines := s.currentProblem(t, w, h)
	rest := h - len(lines)
	if rest <= 0 {
		return cell.Block(lines, w, h)
	}
	var below string
	if s.wide && s.check.known {
		left := min(w*2/5, 80)
		facts := s.facts(left, rest)
		if len(facts) > rest {
			facts = append(facts[:rest-1:rest-1], pane.Text(theme.Muted, s.env.Keys.Text(textMoreProblems)))
		}
		s.file.Resize(w-left-1, rest)
		s.jump()
		below = body.Beside(t, cell.Block(body.Draw(t, facts, left), left, rest), body.PaneOr(t, &s.file, textFileEmpty, w-left-1, rest), w, rest)
	} else {
		s.file.Resize(w, rest)
		s.jump()
		below = body.PaneOr(t, &s.file, s.nothingRead(), w, rest)
	}
	return cell.Block(append(lines, body.Split(below)...), w, h)
}

// facts returns the facts about the file, wrapped to w cells, in about most lines if most is not 0.
func (s *Screen) facts(w, most int) []pane.Line {
	if w <= 0 {
		return s.check.facts // nothing has been drawn yet
	}
	var lines []pane.Line
	for _, fact := range s.check.facts {
		if most > 0 && len(lines) > most {
			break
		}
		if len(fact) < 2 {
			lines = append(lines, fact)
			continue
		}
		lead := cell.Width(fact[0].Text)
		for i, part := range cell.Wrap(plain(fact[1:]), max(w-lead-1, 1)) {
			first := body.S(theme.Plain, cell.Blanks(lead))
			if i == 0 {
				first = fact[0]
			}
			lines = append(lines, pane.Line{first, body.S(theme.Plain, part)})
		}
	}
	return lines
}

func plain(line pane.Line) string {
	var b strings.Builder
	for _, span := range line {
		b.WriteString(span.Text)
	}
	return b.String()
}

// currentProblem draws the current problem in a few lines.
func (s *Screen) currentProblem(t *theme.Theme, w, h int) []string {
	c := &s.check
	var lines []pane.Line
	switch {
	case c.err != nil:
		lines = body.IndentedMost(theme.Bad, theme.GlyphFailed+" "+models.OnScreen(c.err), w-1, 1, max(h/3, 1))
	case !c.known || len(c.report.Problems) == 0:
		return nil
	default:
		p := c.report.Problems[c.problem]
		mark, role := body.Problem(p.Severity)
		where := p.Path
		if p.Line > 0 {
			where = fmt.Sprintf("line %d, column %d  %s", p.Line, p.Column, where)
		}
		lines = append(lines, pane.Line{
			body.S(role, " "+mark+" "+p.Severity.String()), body.S(theme.Strong, fmt.Sprintf(" %d of %d  ", c.problem+1, len(c.report.Problems))),
			body.S(theme.Plain, where), body.S(theme.Muted, "  "+string(p.ID)),
		})
		lines = append(lines, body.IndentedMost(theme.Plain, p.Message, w-1, 3, max(min(h/4, 3), 1))...)
	}
	if h < 6 {
		lines = lines[:min(len(lines), 1)]
	}
	drawn := body.Draw(t, lines, w)
	if h >= 10 {
		drawn = append(drawn, t.Rule(w))
	}
	return drawn
}

func (s *Screen) nothingRead() string {
	switch {
	case s.bench.File == "":
		return s.env.Keys.Text("{ignition-check} opens and checks a Butane or Ignition file.")
	case s.check.err != nil:
		return ""
	}
	return "Reading the file…"
}
