// Package theme maps roles to colors, states to glyphs, and glyphs to ASCII. It has colors for dark and light
// terminals that support many colors, few, or none.
package theme

import (
	"image/color"
	"slices"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Role is the meaning of a text. The color of a text depends only on its role.
type Role int

// The roles that text can have.
const (
	Plain   Role = iota // ordinary text
	Muted               // less important
	Strong              // names, headings
	Accent              // the header and the cursor, in the color of the context
	Good                // as it should be
	Busy                // running
	Wait                // waiting for a machine
	Warn                // needs attention
	Bad                 // failed
	Hold                // stopped on purpose
	Key                 // a key to press
	Added               // an added line of a diff
	Removed             // a removed line of a diff
	Danger              // irreversible
	Match               // text found by a search
	roles
)

const reset = "\x1b[m"

// Options selects the theme for a terminal and a context.
type Options struct {
	// Light means that the terminal has a light background.
	Light bool
	// Profile is the color support of the terminal. Unknown counts as full support.
	Profile colorprofile.Profile
	// Accent is the color of the context, as a name that the configuration file accepts or as #rrggbb. If empty, a
	// default is used.
	Accent string
	// ASCII means that all glyphs are replaced by ASCII characters.
	ASCII bool
}

// Theme paints text. Its styles are built once, so that drawing only needs to join strings.
type Theme struct {
	opts Options
	open [roles]string
	row  *Theme
}

// New returns a theme for the given options.
func New(o Options) *Theme {
	t := &Theme{opts: o, row: &Theme{opts: o}}
	c, back := colours(o), rowColour(o)
	for role := range roles {
		style := ansi.Style{}
		// Bold roles can be told from others even on a terminal without colors.
		if slices.Contains([]Role{Strong, Bad, Key, Danger, Accent}, role) {
			style = style.Bold()
		}
		if role == Match {
			style = style.Reverse(true)
		}
		if role == Muted && c[role] == nil {
			style = style.Faint()
		}
		if c[role] != nil {
			style = style.ForegroundColor(c[role])
		}
		if len(style) > 0 {
			t.open[role] = style.String()
		}
		t.row.open[role] = onRow(style, back).String()
	}
	t.row.row = t.row
	return t
}

// onRow returns the style for text in the cursor's row: on the background back or, without one, underlined.
func onRow(style ansi.Style, back color.Color) ansi.Style {
	if back == nil {
		return append(ansi.Style{}, style...).Underline(true)
	}
	return append(ansi.Style{}, style...).BackgroundColor(back)
}

// rowColour returns the background of the cursor's row, or nil if the terminal has too few colors for one.
func rowColour(o Options) color.Color {
	switch {
	case o.Profile == colorprofile.NoTTY, o.Profile == colorprofile.ASCII, o.Profile == colorprofile.ANSI:
		return nil
	case o.Light:
		return lipgloss.Color("#dfe5ec")
	}
	return lipgloss.Color("#2c333c")
}

// Row returns the theme for the cursor's row.
func (t *Theme) Row() *Theme { return t.row }

// Options returns the options of the theme.
func (t *Theme) Options() Options { return t.opts }

// Dimmed returns a theme in which all text is faint, for data that is no longer live.
func (t *Theme) Dimmed() *Theme {
	dim := &Theme{opts: t.opts, row: &Theme{opts: t.opts}}
	for role := range roles {
		dim.open[role] = "\x1b[2m"
		dim.row.open[role] = onRow(ansi.Style{}.Faint(), rowColour(t.opts)).String()
	}
	dim.row.row = dim.row
	return dim
}

// Paint returns text in the style of role r. The text must not contain styles.
func (t *Theme) Paint(r Role, text string) string {
	if t.open[r] == "" || text == "" {
		return text
	}
	return t.open[r] + text + reset
}

// colours returns the color of each role. A nil color means the terminal's default color.
func colours(o Options) [roles]color.Color {
	var c [roles]color.Color
	if o.Profile == colorprofile.NoTTY || o.Profile == colorprofile.ASCII {
		return c
	}
	few := o.Profile == colorprofile.ANSI
	// pick returns the color with the 16-color index, or the tone for a dark or light background.
	pick := func(index, dark, light string) color.Color {
		switch {
		case few && index == "":
			return nil
		case few:
			return lipgloss.Color(index)
		case o.Light:
			return lipgloss.Color(light)
		}
		return lipgloss.Color(dark)
	}
	c[Muted] = pick("", "#8b929c", "#667079")
	c[Good] = pick("2", "#7cc88f", "#1d7a3e")
	c[Busy] = pick("6", "#62b8f5", "#0b6bb8")
	c[Wait] = pick("3", "#e2c36b", "#8a6400")
	c[Warn] = pick("3", "#efa553", "#a65300")
	c[Bad] = pick("1", "#ff7b72", "#c0212b")
	c[Hold] = pick("5", "#c69cf4", "#7a3fb8")
	c[Added], c[Removed], c[Danger] = c[Good], c[Bad], c[Bad]
	c[Accent] = accent(o.Accent, pick)
	return c
}

// accent returns the accent color of the context. The names of colors are those that config accepts.
func accent(name string, pick func(index, dark, light string) color.Color) color.Color {
	tones := map[string][3]string{ // 16-color index, tone on dark, tone on light
		"black":   {"7", "#c9d1d9", "#000000"},
		"red":     {"1", "#ff6b6b", "#c0212b"},
		"orange":  {"3", "#ff9f45", "#b35900"},
		"yellow":  {"3", "#ecd06f", "#806000"},
		"green":   {"2", "#7fd38d", "#1d7a3e"},
		"cyan":    {"6", "#62d3d3", "#0a7580"},
		"blue":    {"4", "#78b0ff", "#1c5fc4"},
		"magenta": {"5", "#e08af0", "#9428a8"},
		"purple":  {"5", "#b79bff", "#6a3fc0"},
		"pink":    {"5", "#ff9ac4", "#b82a70"},
		"white":   {"7", "#e8eaed", "#2b2f33"},
		"gray":    {"7", "#a8b0b8", "#5a636b"},
		"":        {"6", "#5fd7c4", "#00776a"},
	}
	tone, known := tones[name]
	if !known {
		return lipgloss.Color(name) // #rrggbb; the writer reduces it to the colors of the terminal
	}
	return pick(tone[0], tone[1], tone[2])
}
