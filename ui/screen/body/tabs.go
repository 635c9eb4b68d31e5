package body

import (
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/tabs"
)

// Tabs is a rule in which the names of a screen's views stand.
func Tabs(t *theme.Theme, titles []string, current, w int) string {
	need := len(titles) - 1
	for _, title := range titles {
		need += cell.Width(title) + 2
	}
	if need+3 > w {
		return tabs.Draw(t, titles, current, w)
	}
	return t.Rule(1) + tabs.Draw(t, titles, current, need) + t.Rule(w-need-1)
}
