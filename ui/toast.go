package ui

import (
	"time"

	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

const (
	toastShown   = 6 * time.Second
	failureShown = 15 * time.Second
	// toastRead is the minimum time for which a toast is shown, even if keys are pressed.
	toastRead   = 2 * time.Second
	maxMessages = 200
	toastLines  = 4
)

type toast struct {
	at    time.Time
	level screen.Level
	text  string
}

// toasts holds the messages so far. The last one is shown for a limited time.
type toasts struct {
	history []toast
	showing bool
}

// Say shows a message as a toast, and adds it to the list of messages.
func (c *Console) Say(s screen.Say) {
	text := printable.Lines(s.Text)
	if s.RequestID != "" {
		text += " · " + printable.Line(s.RequestID)
	}
	c.toasts.history = append(c.toasts.history, toast{at: time.Now(), level: s.Level, text: text})
	if more := len(c.toasts.history) - maxMessages; more > 0 {
		c.toasts.history = append([]toast{}, c.toasts.history[more:]...)
	}
	c.toasts.showing = true
}

func (s *toasts) expire(now time.Time) {
	if !s.showing {
		return
	}
	last := s.history[len(s.history)-1]
	shown := toastShown
	if last.level >= screen.Warning {
		shown = failureShown
	}
	s.showing = now.Sub(last.at) < shown
}

// dismissRead is called when a key is pressed. It hides the last message if it has been shown for at least toastRead.
func (s *toasts) dismissRead(now time.Time) {
	if s.showing && now.Sub(s.history[len(s.history)-1].at) >= toastRead {
		s.showing = false
	}
}

func role(l screen.Level) (theme.Role, string) {
	switch l {
	case screen.Success:
		return theme.Good, theme.GlyphDone
	case screen.Warning:
		return theme.Warn, theme.GlyphMaint
	case screen.Failure:
		return theme.Bad, theme.GlyphFailed
	case screen.Info:
	}
	return theme.Accent, "·"
}

// draw returns up to toastLines lines of the last message, or nil if no message is shown. If the message is longer,
// the last line names the key that shows the whole message.
func (s *toasts) draw(t *theme.Theme, keys *action.Keymap, w int) []string {
	if !s.showing || w < 8 {
		return nil
	}
	last := s.history[len(s.history)-1]
	r, glyph := role(last.level)
	parts := cell.Wrap(last.text, w-4)
	if len(parts) > toastLines {
		last := cell.Cut(parts[toastLines-1], max(w-20, 1)) + keys.Text("… ({messages} shows all)")
		parts = append(parts[:toastLines-1], last)
	}
	lines := make([]string, len(parts))
	for i, p := range parts {
		lead := "   "
		if i == 0 {
			lead = " " + glyph + " "
		}
		lines[i] = t.Paint(r, cell.Fit(lead+p, w))
	}
	return lines
}

func (s *toasts) list() *overlay.Note {
	lines := make([]overlay.Text, 0, len(s.history))
	for i := len(s.history) - 1; i >= 0; i-- {
		m := s.history[i]
		r, glyph := role(m.level)
		lines = append(lines, overlay.Text{Role: r, Text: m.at.Local().Format("15:04:05") + " " + glyph + " " + m.text})
	}
	if len(lines) == 0 {
		lines = overlay.Plain("No messages yet.")
	}
	return overlay.NewNote("Messages", lines)
}
