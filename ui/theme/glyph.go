package theme

import (
	"strings"

	"ironworks/models"
)

// The glyphs of the console. Every one takes one cell, so that its ASCII stand-in fits
// in the same place.
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
)

// ascii has a stand-in of one cell for every glyph that the console itself uses.
// Remote text stays as it is, except where it uses the same glyphs.
var ascii = strings.NewReplacer(
	GlyphActive, "*", GlyphWorking, "~", GlyphWaiting, ".", GlyphIdle, "o", GlyphHold, "#",
	GlyphFailed, "x", GlyphMaint, "!", GlyphCursor, ">", GlyphDone, "v", GlyphRule, "-",
	GlyphFull, "#", GlyphEmpty, ".", GlyphUp, "^", GlyphDown, "v",
	"│", "|", "…", ".", "→", ">", "·", "-", "–", "-", "≤", "<", "↑", "^", "↓", "v",
	"╭", "+", "╮", "+", "╰", "+", "╯", "+", "├", "+", "┤", "+", "’", "'",
	"‘", "'", "“", "\"", "”", "\"", "‹", "<", "›", ">", "←", "<", "≥", ">", "×", "x", "—", "-", "•", "*",
	"⠋", "|", "⠙", "/", "⠹", "-", "⠸", "\\",
)

// Plain replaces the console's glyphs by ASCII ones of the same width where the theme
// asks for it.
func (t *Theme) Plain(screen string) string {
	if !t.opts.ASCII {
		return screen
	}
	return ascii.Replace(screen)
}

// Rule is a horizontal line.
func (t *Theme) Rule(w int) string { return t.Paint(Muted, strings.Repeat(GlyphRule, max(w, 0))) }

// State is how a provision state looks: a glyph and a role. The word beside it is the
// state's own, so that neither colour nor glyph has to be known.
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

// Node is how a node's state looks: maintenance shows where the state rests.
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
