package fleet

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/screen"
	"ironworks/viewstate"
)

// View returns the settings of the list, so that another run can restore them. It omits a sort order or filter that
// is the same as in the configuration, so that later changes to the configuration take effect.
func (s *Screen) View() viewstate.State {
	v := s.view()
	if *v.Sort == *s.configured.Sort {
		v.Sort = nil
	}
	if *v.Filter == *s.configured.Filter {
		v.Filter = nil
	}
	v.Wide, v.NoPreview, v.Marks = s.wide, s.plain, s.table.Marked()
	v.Group, v.Folded = s.groupBy, s.foldedValues()
	return v
}

// view returns the current order and filter.
func (s *Screen) view() viewstate.State {
	order, filter := s.sortColumn.Key, s.filter.String()
	if s.descending {
		order = "-" + order
	}
	return viewstate.State{Sort: &order, Filter: &filter}
}

// restore applies the list settings that an earlier run stored, and requests the API fields that they need.
func (s *Screen) restore(v *viewstate.State) {
	if v.Sort != nil {
		key, descending := strings.CutPrefix(*v.Sort, "-")
		if c, err := explain.FindColumn(key); err == nil {
			s.sortColumn, s.descending = c, descending
			s.needFields(c.Field)
		}
	}
	if v.Filter != nil {
		f, err := s.parse(*v.Filter)
		if err != nil {
			s.filterErr = fmt.Errorf(textFilterLost, *v.Filter, err)
		} else {
			s.filter = f
			s.needFields(f.Fields()...)
		}
	}
	s.wide, s.plain = v.Wide, v.NoPreview
	if slices.Contains(GroupFields(), v.Group) {
		s.groupBy, s.folded = v.Group, map[string]bool{}
		for _, value := range v.Folded {
			s.folded[value] = true
		}
		s.needGroupField()
	}
	for _, uuid := range v.Marks {
		s.table.Mark(uuid)
	}
}

// needFields requests API fields for filters and columns. It ignores empty names, because they mean fields that are
// in every listing.
func (s *Screen) needFields(fields ...string) {
	fields = slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return f == "" })
	if len(fields) > 0 && s.env.Session != nil {
		s.env.Session.NeedFields(fields...)
	}
}

// reportRestored reports the number of restored marks, because the next action applies to the marked nodes. It also
// reports a filter that could not be restored.
func (s *Screen) reportRestored() tea.Cmd {
	var cmds []tea.Cmd
	if s.filterErr != nil {
		cmds = append(cmds, screen.Send(screen.Say{Level: screen.Warning, Text: models.OnScreen(s.filterErr)}))
	}
	if n := len(s.table.Marked()); n > 0 {
		cmds = append(cmds, screen.Send(screen.Say{Text: s.env.Keys.Text(fmt.Sprintf(textMarksRestored, models.Counted(n, "mark")))}))
	}
	return tea.Batch(cmds...)
}
