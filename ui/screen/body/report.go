package body

import (
	"fmt"

	"ironworks/ignition/userdata"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// Problem returns the glyph that marks a problem of severity s, and the role in which the glyph is drawn.
func Problem(s userdata.Severity) (string, theme.Role) {
	switch s {
	case userdata.SeverityError:
		return theme.GlyphFailed, theme.Bad
	case userdata.SeverityWarning:
		return theme.GlyphMaint, theme.Warn
	case userdata.SeverityInfo:
	}
	return theme.GlyphIdle, theme.Muted
}

// Report returns lines that list the problems of a configuration with their positions. The lines below the problems
// show what the configuration does. The first span of a line is a problem's glyph or an effect's name.
func Report(report userdata.Report) []pane.Line {
	var lines []pane.Line
	for _, problem := range report.Problems {
		mark, role := Problem(problem.Severity)
		place := ""
		if problem.Line > 0 {
			place = fmt.Sprintf("%d:%d ", problem.Line, problem.Column)
		}
		lines = append(lines, pane.Line{S(role, " "+mark+" "), S(theme.Strong, place), S(theme.Plain, problem.Message)})
	}
	if len(lines) > 0 {
		lines = append(lines, nil)
	}
	for _, row := range report.Summary.Rows() {
		lines = append(lines, pane.Line{S(theme.Muted, fmt.Sprintf(" %-9s", row.Name)), S(theme.Plain, row.Text)})
	}
	return lines
}
