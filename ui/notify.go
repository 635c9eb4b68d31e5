package ui

import (
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/printable"
	"ironworks/ui/cell"
)

// Notify selects how the terminal announces the end of a long task.
type Notify string

// The kinds of notifications. iTerm2, WezTerm, kitty, foot and Windows Terminal understand NotifyOSC9; urxvt, foot,
// Ghostty and WezTerm understand NotifyOSC777.
const (
	NotifyOff    Notify = "off"
	NotifyBell   Notify = "bell"
	NotifyOSC9   Notify = "osc9"
	NotifyOSC777 Notify = "osc777"
)

// Notifies returns all kinds of notifications.
func Notifies() []Notify { return []Notify{NotifyOff, NotifyBell, NotifyOSC9, NotifyOSC777} }

// maxNotice is the maximum length of a notification, in cells.
const maxNotice = 200

// Notify tells the operator, in the way that the options select, that a long task has ended.
func (c *Console) Notify(text string) tea.Cmd {
	if sequence := c.opts.Notify.sequence(c.opts.Program, text); sequence != "" {
		return c.send(sequence)
	}
	return nil
}

// send returns a command that writes a control sequence to the terminal. The sequence is not part of the view.
func (c *Console) send(sequence string) tea.Cmd {
	if c.painter == nil {
		return tea.Raw(sequence)
	}
	return func() tea.Msg {
		_, _ = io.WriteString(c.painter.out, sequence) // if the client has disconnected, the painter will notice
		return nil
	}
}

func (n Notify) sequence(program, text string) string {
	// In OSC 777, a semicolon separates fields, so it cannot be part of the text.
	text = strings.ReplaceAll(cell.Cut(printable.Line(text), maxNotice), ";", ",")
	switch n {
	case NotifyBell:
		return "\a"
	case NotifyOSC9:
		return "\x1b]9;" + program + ": " + text + "\x1b\\"
	case NotifyOSC777:
		return "\x1b]777;notify;" + program + ";" + text + "\x1b\\"
	case NotifyOff:
	}
	return ""
}
