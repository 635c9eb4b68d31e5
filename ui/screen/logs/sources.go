package logs

import (
	"cmp"
	"strings"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/overlay"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// sourceNames maps sources to the names that are shown for them.
var sourceNames = map[models.LogSource]string{
	models.LogSSH: "ssh", models.LogPush: "pushed", models.LogSerial: "console", models.LogArchive: "archive",
	models.LogStatus: "agent", models.LogServe: "served",
}

func sourceName(s models.LogSource) string { return cmp.Or(sourceNames[s], printable.Line(string(s))) }

func stateLook(s agentlog.State) (glyph string, role theme.Role) {
	switch s {
	case agentlog.StateWaiting:
		return theme.GlyphWaiting, theme.Muted
	case agentlog.StateConnecting:
		return theme.GlyphWorking, theme.Busy
	case agentlog.StateFollowing:
		return theme.GlyphActive, theme.Good
	case agentlog.StateFailed:
		return theme.GlyphFailed, theme.Bad
	case agentlog.StateEnded:
		return theme.GlyphIdle, theme.Muted
	}
	return theme.GlyphUnknown, theme.Warn
}

type sourceLine struct {
	role   theme.Role
	indent int
	text   string
}

// sourceLines describes all sources of all nodes: the state of each source and, if set, its remedy.
func (l *Log) sourceLines() []sourceLine {
	var all []sourceLine
	for _, one := range l.nodeLogs {
		indent := 1
		if len(l.nodeLogs) > 1 {
			all = append(all, sourceLine{theme.Strong, 1, printable.Line(one.node.Label())})
			indent = 3
		}
		known := len(all)
		for _, source := range models.LogSources() {
			s, there := one.status[source]
			if !there {
				continue
			}
			glyph, role := stateLook(s.State)
			all = append(all, sourceLine{role, indent, glyph + " " + s.Text(sourceName(source))})
			if source == models.LogStatus && one.keepalive != "" {
				all = append(all, sourceLine{theme.Plain, indent + 2, printable.Line(one.keepalive)})
			}
			if s.Remedy != "" {
				all = append(all, sourceLine{theme.Muted, indent + 2, "→ " + printable.Line(s.Remedy)})
			}
		}
		switch {
		case len(all) > known:
		case one.cancel == nil:
			all = append(all, sourceLine{theme.Muted, indent, "no longer followed"})
		default:
			all = append(all, sourceLine{theme.Muted, indent, "searching…"})
		}
	}
	return all
}

func (l *Log) sources(w int) []pane.Line {
	var lines []pane.Line
	for _, one := range l.sourceLines() {
		lines = append(lines, body.Indented(one.role, one.text, w-1, one.indent)...)
	}
	return lines
}

func (l *Log) sourcesNote() *overlay.Note {
	text := overlay.Plain("No log is being followed.")
	for i, one := range l.sourceLines() {
		if i == 0 {
			text = nil
		}
		lead := strings.Repeat(" ", one.indent-1)
		text = append(text, overlay.Text{Role: one.role, Text: lead + one.text, Indent: one.indent + 1})
	}
	if i := l.onlyLane(); i >= 0 && l.kept == nil && !l.nodeLogs[i].serial {
		text = append(text, overlay.Text{}, overlay.Text{Role: theme.Muted, Text: l.env.Keys.Text(textSerialHint), Indent: 1})
	}
	return overlay.NewNote("Log sources", text)
}
