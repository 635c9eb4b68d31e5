package logs

import (
	"strings"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/ui/overlay"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// sourceName is what a way is called.
func sourceName(s models.LogSource) string {
	switch s {
	case models.LogSSH:
		return "ssh"
	case models.LogPush:
		return "pushed"
	case models.LogSerial:
		return "console"
	case models.LogArchive:
		return "archive"
	case models.LogStatus:
		return "agent"
	case models.LogServe:
		return "served"
	}
	return models.Printable(string(s))
}

// stateLook is how a source's state looks.
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

// statusText is a source with its state, and why.
func statusText(s *agentlog.Status) string {
	text := sourceName(s.Source)
	if s.Address != "" {
		text += " " + models.Printable(s.Address)
	}
	text += ": " + models.Printable(string(s.State))
	if s.Why != "" {
		text += ", " + models.Printable(s.Why)
	}
	return text
}

// said is a line of text about sources, before it is broken.
type said struct {
	role   theme.Role
	indent int
	text   string
}

// told tells of every way of every node: how it does, why it does not work, and what can
// be done.
func (l *Log) told() []said {
	var all []said
	for _, one := range l.lanes {
		indent := 1
		if len(l.lanes) > 1 {
			all = append(all, said{theme.Strong, 1, models.Printable(one.node.Label())})
			indent = 3
		}
		known := len(all)
		for _, source := range models.LogSources() {
			s, there := one.status[source]
			if !there {
				continue
			}
			glyph, role := stateLook(s.State)
			all = append(all, said{role, indent, glyph + " " + statusText(&s)})
			if source == models.LogStatus && one.sign != "" {
				all = append(all, said{theme.Plain, indent + 2, models.Printable(one.sign)})
			}
			if s.WayOut != "" {
				all = append(all, said{theme.Muted, indent + 2, "→ " + models.Printable(s.WayOut)})
			}
		}
		switch {
		case len(all) > known:
		case one.cancel == nil:
			all = append(all, said{theme.Muted, indent, "is not followed any more"})
		default:
			all = append(all, said{theme.Muted, indent, "is being looked for…"})
		}
	}
	return all
}

func (l *Log) sources(w int) []pane.Line {
	var lines []pane.Line
	for _, one := range l.told() {
		lines = append(lines, body.Indented(one.role, one.text, w-1, one.indent)...)
	}
	return lines
}

// sourcesNote is all that as a dialog.
func (l *Log) sourcesNote() *overlay.Note {
	text := overlay.Plain("No node's log is followed.")
	for i, one := range l.told() {
		if i == 0 {
			text = nil
		}
		lead := strings.Repeat(" ", one.indent-1)
		text = append(text, overlay.Text{Role: one.role, Text: lead + one.text, Indent: one.indent + 1})
	}
	if i := l.alone(); i >= 0 && l.kept == nil && !l.lanes[i].serial {
		text = append(text, overlay.Text{}, overlay.Text{Role: theme.Muted, Text: "c reads the machine's serial console, too.", Indent: 1})
	}
	return overlay.NewNote("Where the log comes from", text)
}
