package connect

import (
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	textAnswered  = "Answered %s (API %s, %s)."
	textNoIronic1 = " No Ironic is configured: this is the default address. Start with --url http://HOST:6385,"
	textNoIronic2 = " or add a context to a configuration file. Searched:"
	textClockSkew = "server clock is %s %s this machine's; ages use the server clock"
	textMoreLines = "… and %d more lines: enlarge the window, or copy"
)

// noteworthySkew is the largest clock skew that is not shown. A larger one makes Ironic's log hard to match with local
// times.
const noteworthySkew = 2 * time.Second

// labels is the width of the label column, in cells.
const labels = 14

// below describes the context at the cursor. Errors and values are wrapped to w cells; body.Draw cuts the rest.
func (s *Screen) below(w int) []pane.Line {
	c, ok := s.table.Cursor()
	switch {
	case !ok:
		return nil
	case c.Err != nil:
		return unusableLines(c, w)
	case s.isCurrent(c):
		return s.connectionLines(c, w)
	}
	lines := append(s.testLines(c, w), pane.Line{body.S(theme.Plain, "   enter: switch to "+c.Name)}, nil)
	return append(lines, settings(c, w)...)
}

func (s *Screen) testLines(c screen.Context, w int) []pane.Line {
	p := s.probes[c.Name]
	health, known := p.Value()
	switch {
	case p == nil:
	case p.Err() != nil:
		return append(body.Fault(p.Err(), w-1), nil)
	case known:
		text := fmt.Sprintf(textAnswered, body.Ago(time.Now(), p.At()), health.Version, health.Latency.Round(time.Millisecond))
		return []pane.Line{{body.S(theme.Good, " "+theme.GlyphActive+" "), body.S(theme.Plain, text)}, nil}
	}
	return nil
}

func unusableLines(c screen.Context, w int) []pane.Line {
	lines := []pane.Line{{body.S(theme.Bad, " "+theme.GlyphFailed+" "+c.Name+" is unusable:")}}
	for line := range strings.SplitSeq(models.OnScreen(c.Err), "\n") {
		lines = append(lines, body.Indented(theme.Plain, line, w-1, 3)...)
	}
	lines = append(lines, nil)
	return append(lines, settings(c, w)...)
}

func (s *Screen) connectionLines(c screen.Context, w int) []pane.Line {
	st, now := &s.env.Status, time.Now()
	var lines []pane.Line
	switch {
	case st.Fault != nil:
		lines = s.errorLines(now, w)
	case st.Connected:
		text := fmt.Sprintf("Connected. Last response %s.", body.Ago(now, st.Answered))
		lines = append(lines, pane.Line{body.S(theme.Good, " "+theme.GlyphActive+" "), body.S(theme.Plain, text)})
	default:
		text := fmt.Sprintf("Connecting for %s: no response yet.", models.Age(now.Sub(s.env.Started)))
		lines = append(lines, pane.Line{body.S(theme.Busy, " "+theme.GlyphWorking+" "), body.S(theme.Plain, text)})
	}
	lines = append(lines, nil)
	if c.Searched != "" && !st.Connected {
		lines = append(lines, searchedLines(c, w)...)
	}
	c.ReadOnly = s.env.ReadOnly
	lines = append(lines, settings(c, w)...)
	return append(lines, s.connectionFacts(w)...)
}

// searchedLines says that no Ironic is configured, and where a configuration was searched for.
func searchedLines(c screen.Context, w int) []pane.Line {
	lines := []pane.Line{{body.S(theme.Warn, textNoIronic1)}, {body.S(theme.Warn, textNoIronic2)}}
	for line := range strings.SplitSeq(strings.TrimSpace(c.Searched), "\n") {
		lines = append(lines, body.Indented(theme.Muted, strings.TrimSpace(line), w-1, 3)...)
	}
	return append(lines, nil)
}

func (s *Screen) errorLines(now time.Time, w int) []pane.Line {
	st := &s.env.Status
	lines := body.Fault(st.Fault, w-1)
	text := fmt.Sprintf("%s; ", st.Fault.Kind)
	if wait := st.NextTry.Sub(now).Round(time.Second); wait <= 0 {
		text += "retrying now"
	} else {
		text += "retry in " + models.Age(wait)
	}
	if st.Failures > 1 {
		text += fmt.Sprintf(", failed %d times", st.Failures)
	}
	if st.Answered.IsZero() {
		text += ", never connected"
	} else {
		text += ", last response " + body.Ago(now, st.Answered)
	}
	return append(lines, body.Indented(theme.Muted, text+"; ctrl+r retries now", w-1, 3)...)
}

func settings(c screen.Context, w int) []pane.Line {
	mode := ""
	if c.ReadOnly {
		mode = "read-only mode: changes are refused"
	}
	return labeled([][2]string{
		{"endpoint", c.Endpoint}, {"authentication", c.Auth}, {"mode", mode}, {"source", c.Source},
	}, w)
}

func (s *Screen) connectionFacts(w int) []pane.Line {
	st := &s.env.Status
	rows := [][2]string{}
	add := func(name, value string) { rows = append(rows, [2]string{name, value}) }
	if at := s.env.Session.API.Endpoint(); at != "" && at != s.env.Session.Context.Endpoint {
		add("Ironic", at)
	}
	if !st.Version.IsZero() {
		add("API version", fmt.Sprintf("%s (console supports 1.%d to 1.%d)", st.Version, models.OldestMinor, models.NewestMinor))
	}
	if st.Latency > 0 {
		add("latency", st.Latency.Round(time.Millisecond).String())
	}
	if skew := st.Skew.Round(time.Second); skew.Abs() > noteworthySkew {
		way := "ahead of"
		if skew < 0 {
			way = "behind"
		}
		add("clock", fmt.Sprintf(textClockSkew, models.Age(skew.Abs()), way))
	}
	if st.Requests > 0 {
		add("requests", fmt.Sprintf("%d in %s", st.Requests, models.Age(time.Since(s.env.Started))))
	}
	if lacks := s.env.Session.API.Refused(); len(lacks) > 0 {
		add("unsupported", "fields that this Ironic does not return: "+strings.Join(lacks, ", "))
	}
	return labeled(rows, w)
}

// labeled returns a line for each label and its value. Long values are wrapped, and rows without a value are omitted.
func labeled(rows [][2]string, w int) []pane.Line {
	var lines []pane.Line
	for _, row := range rows {
		if row[1] == "" {
			continue
		}
		name, blank := fmt.Sprintf("   %-*s ", labels, row[0]), cell.Blanks(labels+4)
		value := body.Wrapped(theme.Plain, row[1], max(w-labels-5, 8))
		lines = append(lines, body.Prefixed(value, body.S(theme.Muted, name), body.S(theme.Muted, blank))...)
	}
	return lines
}
