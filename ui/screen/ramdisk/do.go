package ramdisk

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/ui/action"
	"ironworks/ui/screen/body"
)

// sideways is how far a text scrolls to the side, in cells.
const sideways = 8

// Do carries out one of the screen's actions.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.NextTab:
		return s.turnTo(s.tab + 1)
	case action.PrevTab:
		return s.turnTo(s.tab - 1)
	case action.IgnitionCheck:
		return s.askFile()
	default:
	}
	if isOutput(id) {
		if s.Why(id) != "" {
			return nil
		}
		return s.output(id)
	}
	if s.tab == tabForm {
		return s.fill(id)
	}
	return s.read(id)
}

func (s *Screen) turnTo(to tab) tea.Cmd {
	n := tab(len(titles))
	s.tab = (to + n) % n
	s.lookAtServing()
	if s.tab == tabFile {
		return s.recheck()
	}
	return nil
}

// fill is what an action does in the form.
func (s *Screen) fill(id action.ID) tea.Cmd {
	switch id {
	case action.EditField:
		s.form.Edit()
	case action.ResetField:
		s.form.Set(s.first[s.form.Focus()])
	case action.PageUp, action.PageDown:
		if s.wide {
			body.Steer(&s.preview, id, 1)
			return nil
		}
		body.Steer(s.form, id, 1)
	default:
		body.Steer(s.form, id, 1)
	}
	return s.changed()
}

// read is what an action does in a text.
func (s *Screen) read(id action.ID) tea.Cmd {
	p := s.reading()
	switch id {
	case action.Search:
		s.search.Begin(p.Query())
	case action.NextMatch, action.PrevMatch:
		by := 1
		if id == action.PrevMatch {
			by = -1
		}
		switch {
		case p.Query() == "" && s.tab == tabFile:
			s.problem(by)
		case by > 0:
			p.Next()
		default:
			p.Prev()
		}
	case action.WrapLines:
		p.SetWrap(!p.Wrap())
	default:
		body.Steer(p, id, sideways)
	}
	return nil
}

// isOutput says that an action does something with the configuration.
func isOutput(id action.ID) bool {
	switch id {
	case action.IgnitionSave, action.IgnitionEmbed, action.IgnitionWrap, action.IgnitionServe, action.IgnitionApply, action.IgnitionStop:
		return true
	default:
		return false
	}
}

func (s *Screen) output(id action.ID) tea.Cmd {
	switch id {
	case action.IgnitionSave:
		return s.askSave()
	case action.IgnitionEmbed:
		return s.askEmbed()
	case action.IgnitionWrap:
		return s.askWrap()
	case action.IgnitionServe:
		return s.offer()
	case action.IgnitionApply:
		return s.askApply()
	case action.IgnitionStop:
		return s.end()
	default:
		return nil
	}
}

// Why says why an action cannot be done now.
func (s *Screen) Why(id action.ID) string {
	switch id {
	case action.IgnitionSave, action.IgnitionEmbed, action.IgnitionWrap:
		return s.whySource()
	case action.IgnitionServe:
		if s.running() {
			return "something is being served already; x stops it"
		}
		return s.whySource()
	case action.IgnitionStop:
		if !s.running() {
			return "nothing is being served"
		}
	case action.IgnitionApply:
		if s.env.Session == nil {
			return "there is no Ironic: no context is open"
		}
	case action.IgnitionCheck:
		if s.env.Maker() == nil {
			return "there is nothing here to check with"
		}
	case action.NextMatch, action.PrevMatch:
		switch {
		case s.reading().Query() != "":
		case s.tab != tabFile:
			return "nothing is searched for; / searches"
		case len(s.check.report.Problems) == 0:
			return "there are no problems to go to"
		}
	default:
	}
	return ""
}
