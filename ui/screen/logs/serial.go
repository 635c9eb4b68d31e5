package logs

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// toggleSerial starts or stops reading the serial console. Before it starts, it asks for confirmation, because
// reading disconnects other readers. Stopping needs no confirmation.
func (l *Log) toggleSerial() tea.Cmd {
	i := l.onlyLane()
	if i < 0 {
		return nil
	}
	if one := l.nodeLogs[i]; one.serial {
		one.serial = false
		delete(one.status, models.LogSerial)
		one.end()
		return l.begin(i)
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewConfirm(overlay.Question{
		Title: "Read the serial console of " + printable.Line(l.nodeLogs[i].node.Label()),
		Lines: []overlay.Text{
			{Role: theme.Plain, Text: "Output of the machine's serial line is added to this log. No input is sent."},
			{Role: theme.Warn, Text: textSerialIPMI},
			{Role: theme.Warn, Text: textSerialEnable},
		},
		Ask: "Read the console?",
		Yes: screen.SendLater(l, func() tea.Cmd { return l.serial(i) }),
	})})
}

func (l *Log) serial(i int) tea.Cmd {
	one := l.nodeLogs[i]
	if one.serial || l.closed || one.cancel == nil && !one.ended {
		return nil
	}
	one.serial, one.ended = true, false
	one.end()
	return l.begin(i)
}

// onlyLane returns the index of the only followed node, or -1 if none or several are followed.
func (l *Log) onlyLane() int {
	live := func(one *nodeLog) bool { return one.cancel != nil || one.ended }
	i := slices.IndexFunc(l.nodeLogs, live)
	if i < 0 || slices.ContainsFunc(l.nodeLogs[i+1:], live) {
		return -1
	}
	return i
}

func (l *Log) whySerial() string {
	if l.kept != nil {
		return "recorded log; read the console in the node's log tab"
	}
	if l.onlyLane() < 0 {
		return "only one console can be read at a time; open the node's log tab"
	}
	return ""
}
