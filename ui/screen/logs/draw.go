package logs

import (
	"fmt"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	textNoMatch      = "None of %d lines matches the filter. {clear-filter} clears it."
	textNoneKept     = "No lines recorded for the %s. The console and ironworks logs record lines while they follow a log."
	textNone         = "No lines: "
	textEarlierLogs  = "Logs of earlier operations: open them in Timeline (enter)."
	textSaveTitle    = "Save log"
	textSerialIPMI   = "With IPMI, a console allows only one reader: the current reader is disconnected."
	textSerialEnable = "A disabled console is enabled, and disabled again when you stop or leave. Ironic then clears the node's last error."
	textSerialHint   = "{log-serial} also reads the machine's serial console."
)

// Draw draws a heading with the sources and the filter and, below it, the lines.
func (l *Log) Draw(t *theme.Theme, w, h int) []string {
	if h <= 0 {
		return nil
	}
	l.view.Resize(w, h-1)
	lines := []string{l.heading(t, w)}
	if text := l.nothing(w); text != nil {
		lines = append(lines, body.Draw(t, text[:min(len(text), h-1)], w)...)
	} else {
		lines = append(lines, body.Split(l.view.Draw(t))...)
	}
	return body.Split(cell.Block(lines, w, h))
}

// heading draws the input while a search or filter is being edited, and the sources and filters otherwise.
func (l *Log) heading(t *theme.Theme, w int) string {
	if l.prompt.Typing() {
		return l.prompt.Draw(t, w, "")
	}
	left := append([]body.Span{body.S(theme.Plain, " ")}, l.from()...)
	switch fresh := l.view.Fresh(); {
	case l.view.Len() == 0 || l.kept != nil || len(l.nodeLogs) == 1 && l.noRamdisk(l.nodeLogs[0]) != "":
	case l.view.Following():
		left = append(left, body.S(theme.Good, "  following"))
	case fresh > 0:
		left = append(left, body.S(theme.Hold, fmt.Sprintf("  paused, +%d new", fresh)))
	default:
		left = append(left, body.S(theme.Hold, "  paused"))
	}
	if !l.filter.IsZero() {
		left = append(left, body.S(theme.Accent, "  & "+printable.Line(l.filter.String())))
	}
	if l.level < models.LogDebug {
		left = append(left, body.S(theme.Accent, "  "+levelTexts[l.level]))
	}
	if q := l.view.Query(); q != "" {
		left = append(left, body.S(theme.Accent, "  / "+printable.Line(q)))
	}
	return body.Line(t, w, left, l.counts())
}

// levelTexts maps minimum levels to the texts that are shown for them.
var levelTexts = map[models.LogLevel]string{
	models.LogInfo: "info and above", models.LogWarning: "warnings and above", models.LogError: "errors only",
}

// counts draws the position in the log and the number of lost lines. It omits the position while the newest line is
// followed, because redrawing the changing number would take more bytes than the line.
func (l *Log) counts() []body.Span {
	var spans []body.Span
	if !l.view.Following() && l.view.Shown() > 0 {
		spans = append(spans, body.S(theme.Muted, l.view.Position()))
	}
	if l.dropped > 0 {
		if len(spans) > 0 {
			spans = append(spans, body.S(theme.Muted, " · "))
		}
		spans = append(spans, body.S(theme.Warn, fmt.Sprintf("%d lines dropped: rate too high", l.dropped)))
	}
	return spans
}

func (l *Log) from() []body.Span {
	if l.kept != nil {
		return []body.Span{body.S(theme.Hold, "recorded: "+l.kept.Name), body.S(theme.Muted, "  esc back")}
	}
	switch len(l.nodeLogs) {
	case 0:
		return []body.Span{body.S(theme.Muted, "Log")}
	case 1:
		if text := l.noRamdisk(l.nodeLogs[0]); text != "" {
			return []body.Span{body.S(theme.Muted, text)}
		}
		return l.nodeLogs[0].source()
	}
	followed := 0
	for _, one := range l.nodeLogs {
		if _, works := one.working(); works && one.cancel != nil {
			followed++
		}
	}
	return []body.Span{body.S(theme.Muted, fmt.Sprintf("logs of %d nodes, %d live", len(l.nodeLogs), followed))}
}

// source draws the best working source. If none works, it draws the state of the best source that has not ended.
func (one *nodeLog) source() []body.Span {
	if s, works := one.working(); works {
		spans := []body.Span{body.S(theme.Muted, sourceName(s.Source)+" "+printable.Line(s.Address))}
		if skew := s.Skew.Round(time.Second); s.SkewKnown && skew.Abs() > time.Second {
			side := "ahead"
			if skew < 0 {
				side = "behind"
			}
			spans = append(spans, body.S(theme.Warn, "  clock "+models.Age(skew.Abs())+" "+side))
		}
		return spans
	}
	for _, source := range models.LogSources() {
		if s, found := one.status[source]; found && s.State != agentlog.StateEnded {
			_, role := stateLook(s.State)
			return []body.Span{body.S(role, cell.Cut(s.Text(sourceName(source)), 90))}
		}
	}
	return []body.Span{body.S(theme.Muted, "Log")}
}

// noRamdisk explains why the log is empty if no lines are expected: the node is in a stable state and no source
// works. It returns "" if a ramdisk is running, will run, or may still be running after a failure.
func (l *Log) noRamdisk(one *nodeLog) string {
	if l.kept != nil || one.serial || l.env.Session == nil {
		return ""
	}
	if _, works := one.working(); works {
		return ""
	}
	row, _, there := l.env.Session.Store.Get(one.node.UUID)
	if n := &row.Node; !there || n.ProvisionState.Class() != models.ClassStable || n.Internal != nil && n.Internal.AgentURL != "" {
		return ""
	}
	return fmt.Sprintf("no ramdisk in state %s", row.Node.ProvisionState)
}

// working returns the best source that is being followed, except the agent's status, which has no lines.
func (one *nodeLog) working() (agentlog.Status, bool) {
	for _, source := range models.LogSources() {
		if s, found := one.status[source]; found && s.State == agentlog.StateFollowing && source != models.LogStatus {
			return s, true
		}
	}
	return agentlog.Status{}, false
}

// nothing returns lines that explain why no log lines are shown. It returns nil if some are shown.
func (l *Log) nothing(w int) []pane.Line {
	why := ""
	switch {
	case l.view.Shown() > 0:
		return nil
	case l.view.Len() > 0:
		why = fmt.Sprintf(l.env.Keys.Text(textNoMatch), l.view.Len())
	case l.kept != nil && len(l.nodeLogs) > 0 && l.nodeLogs[0].ended && l.nodeLogs[0].status[models.LogArchive].Reason == "":
		why = fmt.Sprintf(textNoneKept, l.kept.Name)
	case l.kept != nil && (len(l.nodeLogs) == 0 || !l.nodeLogs[0].ended):
		why = "Loading recorded lines…"
	case l.source() == nil:
		why = "Logs are not available here."
	case len(l.nodeLogs) == 0:
		why = "No running operations. Ramdisk logs appear here during deploy, clean and inspect."
	}
	if why != "" {
		return body.Indented(theme.Muted, why, w-1, 3)
	}
	var lines []pane.Line
	if text := l.noRamdisk(l.nodeLogs[0]); text != "" && len(l.nodeLogs) == 1 {
		lines = body.Indented(theme.Plain, textNone+text+".", w-1, 1)
	} else {
		lines = append(append(body.Indented(theme.Plain, "No lines yet. Log sources:", w-1, 1), nil), l.sources(w)...)
	}
	if l.kept == nil && len(l.nodeLogs) == 1 && l.env.Session.Journal != nil {
		lines = append(append(lines, nil), body.Indented(theme.Muted, textEarlierLogs, w-1, 1)...)
	}
	return lines
}
