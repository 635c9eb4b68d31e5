package fleet

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
)

func (s *Screen) beginTyping() {
	s.typing, s.wrong = true, nil
	s.input.SetValue(s.filter.String())
	s.input.CursorEnd()
}

// typed takes a key of the filter's line. The filter holds as it is written: what
// cannot be understood yet leaves the last one that could be in force.
func (s *Screen) typed(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			s.typing = s.wrong != nil
			if s.typing {
				return nil
			}
			s.input.Remember(s.filter.String())
			return s.settle()
		case "esc":
			s.typing, s.wrong = false, nil
			return s.setFilter(models.Filter{})
		case "pgdown", "pgup":
			s.table.Page(map[string]int{"pgdown": 1, "pgup": -1}[key.String()])
			return nil
		}
	}
	s.input.Update(msg)
	f, err := models.ParseFilter(s.input.Value())
	s.wrong = err
	if err != nil || f.String() == s.filter.String() {
		return nil
	}
	return s.setFilter(f)
}

func (s *Screen) setFilter(f models.Filter) tea.Cmd {
	s.filter = f
	if fields := f.Fields(); len(fields) > 0 {
		s.env.Session.Need(fields...)
	}
	return s.refresh()
}
