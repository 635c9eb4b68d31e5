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

// serialWanted requests the serial console of a node.
type serialWanted struct {
	of   *Log
	lane int
}

// toggleSerial starts or stops reading the serial console. It asks before starting, because that disconnects other
// readers; stopping needs no question.
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
		Title: textSerialTitle + printable.Line(l.nodeLogs[i].node.Label()),
		Lines: []overlay.Text{
			{Role: theme.Plain, Text: textSerialWhat},
			{Role: theme.Warn, Text: textSerialIPMI},
			{Role: theme.Warn, Text: textSerialEnable},
		},
		Ask: textSerialAsk,
		Yes: screen.Send(serialWanted{of: l, lane: i}),
	})})
}

// serial starts to read the console.
func (l *Log) serial(i int) tea.Cmd {
	one := l.nodeLogs[i]
	if one.serial || l.closed || one.cancel == nil && !one.ended {
		return nil
	}
	one.serial, one.ended = true, false
	one.end()
	return l.begin(i)
}

// onlyLane returns the index of the only followed node; -1 with none or several.
func (l *Log) onlyLane() int {
	live := func(one *nodeLog) bool { return one.cancel != nil || one.ended }
	i := slices.IndexFunc(l.nodeLogs, live)
	if i < 0 || slices.ContainsFunc(l.nodeLogs[i+1:], live) {
		return -1
	}
	return i
}

// whySerial returns why no console can be read, "" if one can.
func (l *Log) whySerial() string {
	if l.kept != nil {
		return textSerialKept
	}
	if l.onlyLane() < 0 {
		return textSerialOne
	}
	return ""
}
