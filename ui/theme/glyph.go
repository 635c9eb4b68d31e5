package theme

import (
	"strings"

	"ironworks/models"
)

// The glyphs of the console. Each takes one cell, as does its ASCII replacement.
const (
	GlyphActive  = "●"
	GlyphWorking = "◐"
	GlyphWaiting = "◌"
	GlyphIdle    = "○"
	GlyphHold    = "■"
	GlyphFailed  = "✖"
	GlyphMaint   = "▲"
	GlyphUnknown = "?"
	GlyphCursor  = "❯"
	GlyphMark    = "+"
	GlyphDone    = "✓"
	GlyphRule    = "─"
	GlyphFull    = "▓"
	GlyphEmpty   = "░"
	GlyphUp      = "▴"
	GlyphDown    = "▾"
	GlyphFolded  = "▸"
	GlyphFound   = "◆"
)

// ascii replaces the console's glyphs. Remote text changes only where it uses the same glyphs.
var ascii = strings.NewReplacer(
	GlyphActive, "*", GlyphWorking, "~", GlyphWaiting, ".", GlyphIdle, "o", GlyphHold, "#",
	GlyphFailed, "x", GlyphMaint, "!", GlyphCursor, ">", GlyphDone, "v", GlyphRule, "-",
	GlyphFull, "#", GlyphEmpty, ".", GlyphUp, "^", GlyphDown, "v", GlyphFolded, ">", GlyphFound, "&",
	"│", "|", "…", ".", "→", ">", "·", "-", "–", "-", "≤", "<", "↑", "^", "↓", "v",
	"╭", "+", "╮", "+", "╰", "+", "╯", "+", "├", "+", "┤", "+", "’", "'",
	"‘", "'", "“", "\"", "”", "\"", "‹", "<", "›", ">", "←", "<", "≥", ">", "×", "x", "—", "-", "•", "*",
	"⠋", "|", "⠙", "/", "⠹", "-", "⠸", "\\",
)

// Plain replaces glyphs by ASCII of the same width if the theme asks for it.
func (t *Theme) Plain(screen string) string {
	if !t.opts.ASCII {
		return screen
	}
	return ascii.Replace(screen)
}

// Rule returns a horizontal line.
func (t *Theme) Rule(w int) string { return t.Paint(Muted, strings.Repeat(GlyphRule, max(w, 0))) }

// State returns glyph and role of a provision state. The state's name stands beside them, so that color and glyph are
// not required.
func State(s models.ProvisionState) (glyph string, role Role) {
	switch s.Class() {
	case models.ClassFailed:
		return GlyphFailed, Bad
	case models.ClassHold:
		return GlyphHold, Hold
	case models.ClassWait:
		return GlyphWaiting, Wait
	case models.ClassTransitional:
		return GlyphWorking, Busy
	case models.ClassUnknown:
		return GlyphUnknown, Warn
	case models.ClassStable:
	}
	if s == models.StateActive || s == models.StateRescue {
		return GlyphActive, Good
	}
	return GlyphIdle, Plain
}

// Node returns glyph and role of a node's state; maintenance is shown if no operation runs.
func Node(n *models.Node) (glyph string, role Role) {
	glyph, role = State(n.ProvisionState)
	switch {
	case n.ProvisionState.Failed():
	case n.Maintenance:
		return GlyphMaint, Warn
	case n.Fault != "":
		return glyph, Bad
	}
	return glyph, role
}
