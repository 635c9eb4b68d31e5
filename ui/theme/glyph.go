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

// ascii replaces the console's glyphs with ASCII characters, also where text from elsewhere contains them.
var ascii = strings.NewReplacer(
	GlyphActive, "*", GlyphWorking, "~", GlyphWaiting, ".", GlyphIdle, "o", GlyphHold, "#",
	GlyphFailed, "x", GlyphMaint, "!", GlyphCursor, ">", GlyphDone, "v", GlyphRule, "-",
	GlyphFull, "#", GlyphEmpty, ".", GlyphUp, "^", GlyphDown, "v", GlyphFolded, ">", GlyphFound, "&",
	"│", "|", "…", ".", "→", ">", "·", "-", "–", "-", "≤", "<", "↑", "^", "↓", "v",
	"╭", "+", "╮", "+", "╰", "+", "╯", "+", "├", "+", "┤", "+", "’", "'",
	"‘", "'", "“", "\"", "”", "\"", "‹", "<", "›", ">", "←", "<", "≥", ">", "×", "x", "—", "-", "•", "*",
	"⠋", "|", "⠙", "/", "⠹", "-", "⠸", "\\",
)

// Plain replaces the glyphs in screen with ASCII characters of the same width if the theme's options ask for that.
func (t *Theme) Plain(screen string) string {
	if !t.opts.ASCII {
		return screen
	}
	return ascii.Replace(screen)
}

// Rule returns a horizontal line of w cells.
func (t *Theme) Rule(w int) string { return t.Paint(Muted, strings.Repeat(GlyphRule, max(w, 0))) }

// State returns the glyph and the role of a provision state. The name of the state is always shown next to the glyph,
// so that operators do not have to rely on the color or the glyph.
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

// Node returns the glyph and the role of a node's state, maintenance or fault. Failures come first.
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
