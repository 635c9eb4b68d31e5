package node

import (
	"errors"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	// bmcNames is the width of the name column, and barWidth is the width of a sensor's bar. Both are in cells.
	bmcNames = 22
	barWidth = 10
)

// drawBMC draws the data last read from the BMC, below the note that bmcState returns.
func (s *Screen) drawBMC(t *theme.Theme, w, h int) []string {
	b := s.bmc
	lines := s.bmcState(w)
	look, read := b.look.Value()
	if read {
		lines = append(lines, bmcLines(look, w)...)
	}
	s.room = h
	b.pane.Resize(w, h)
	b.pane.SetLines(lines)
	return body.Split(b.pane.Draw(t))
}

// bmcState says when the BMC was read, or why there is no data, and names the keys to press.
func (s *Screen) bmcState(w int) []pane.Line {
	b := s.bmc
	_, read := b.look.Value()
	say := func(text string) []pane.Line { return append(body.Indented(theme.Muted, text, w-1, 1), nil) }
	switch err := b.look.Err(); {
	case b.bmcs == nil && s.session.Replay != nil:
		return say("Recordings contain no BMC data.")
	case b.bmcs == nil:
		return say("BMC queries are not available here.")
	case b.look.Busy():
		return say("Querying the BMC (may take a minute)…")
	case err != nil:
		return append(s.bmcFault(err, w), nil)
	case !read:
		return say(s.env.Keys.Text(textBMCNotAsked))
	}
	return []pane.Line{{body.S(theme.Muted, " "+body.Read(time.Now(), b.look.Asked())+s.env.Keys.Text(textBMCAgain))}}
}

func (s *Screen) bmcFault(err error, w int) []pane.Line {
	none, noRedfish := errors.AsType[*models.NoRedfishError](err)
	login, denied := errors.AsType[*provision.BMCCredentialsError](err)
	keys := s.env.Keys
	switch {
	case noRedfish:
		return s.withoutRedfish(none, w)
	case denied && login.Withheld != "":
		text := "The password from " + login.Withheld + " is not sent to " + models.MaskURL(login.Address) +
			": its host is not in the context's bmc.hosts. " + keys.Text(textLogInHere)
		return body.Indented(theme.Warn, text, w-1, 1)
	case denied && login.Rejection == nil:
		text := "The BMC at " + models.MaskURL(login.Address) + " requires the password of " + login.Username +
			", which Ironic masks. " + keys.Text(textLogInKeep)
		return body.Indented(theme.Warn, text, w-1, 1)
	case denied:
		return append(body.Fault(err, w), body.Indented(theme.Plain, keys.Text(textOtherLogin), w, 3)...)
	case fingerprintOf(err) != "":
		return append(body.Fault(err, w), body.Indented(theme.Plain, keys.Text(textShowsFingerprint), w, 3)...)
	}
	return body.Fault(err, w)
}

// withoutRedfish shows Ironic's data about a machine that lacks Redfish.
func (s *Screen) withoutRedfish(none *models.NoRedfishError, w int) []pane.Line {
	text := "No redfish_address in driver_info: no BMC to query."
	if none.IPMI != "" {
		text = "The node uses IPMI (" + none.IPMI + "), which ironworks cannot query."
	}
	lines := body.Indented(theme.Warn, text, w-1, 1)
	lines = append(lines, body.Indented(theme.Muted, s.env.Keys.Text(textIPMIHint), w-1, 1)...)
	lines = append(lines, nil)
	n, _ := s.detail.Value()
	if n == nil {
		return lines
	}
	return append(lines, columns(models.BMCOfIronic(n), w)...)
}

// bmcLines returns the sections of the report, in two columns if w is large enough.
func bmcLines(look *provision.BMCReport, w int) []pane.Line {
	heading, sections := look.Page()
	lines := []pane.Line{{body.S(theme.Strong, " "+heading), body.S(theme.Muted, "  "+look.BMC.Address)}}
	if w < twoColumns {
		for _, section := range sections {
			lines = append(lines, sectionLines(section, w)...)
		}
		return lines
	}
	half := w / 2
	var left, right []pane.Line
	for _, section := range sections {
		drawn := sectionLines(section, half-1)
		if len(right) == 0 && len(left) > 0 && section.Title != "" {
			drawn = drawn[1:] // no empty line at the top of the column
		}
		if len(left) <= len(right) {
			left = append(left, drawn...)
		} else {
			right = append(right, drawn...)
		}
	}
	return append(lines, sideBySide(left, right, half)...)
}

func sectionLines(section provision.BMCSection, w int) []pane.Line {
	var lines []pane.Line
	if section.Title != "" {
		lines = title(section.Title)
	}
	for _, row := range section.Rows {
		lines = append(lines, rowLines(row, w)...)
	}
	return lines
}

func rowLines(row provision.BMCRow, w int) []pane.Line {
	role := toneRoles[row.Tone]
	var bar []body.Span
	room := w - bmcNames - 4
	if row.Bar && room > 3*barWidth {
		full := int(min(max(row.Done, 0), 1) * barWidth)
		barRole := role
		if barRole == theme.Plain {
			barRole = theme.Good
		}
		bar = []body.Span{
			body.S(barRole, strings.Repeat(theme.GlyphFull, full)), body.S(theme.Muted, strings.Repeat(theme.GlyphEmpty, barWidth-full)+" "),
		}
		room -= barWidth + 1
	}
	name := row.Name
	var lines []pane.Line
	for i, text := range body.IndentedMost(role, row.Text, max(room, 8), 0, 6) {
		lead := pane.Line{body.S(theme.Muted, "   "+cell.Fit(name, bmcNames)+" ")}
		if i == 0 {
			lead = append(lead, bar...)
		} else if bar != nil {
			lead = append(lead, body.S(theme.Plain, cell.Blanks(barWidth+1)))
		}
		lines = append(lines, append(lead, text...))
		name = ""
	}
	return lines
}

// toneRoles maps the tones of a report to styles.
var toneRoles = map[provision.Tone]theme.Role{
	provision.TonePlain: theme.Plain,
	provision.ToneMuted: theme.Muted,
	provision.ToneGood:  theme.Good,
	provision.ToneWarn:  theme.Warn,
	provision.ToneBad:   theme.Bad,
}
