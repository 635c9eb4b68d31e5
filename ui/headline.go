package ui

import (
	"fmt"
	"strconv"
	"time"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// headline holds the rounded connection state in the header, so that an idle fleet does not cause redraws.
type headline struct {
	latency time.Duration // rounded up to the next step
}

// update sets the latency from s. A lower one takes effect only below a quarter of the displayed value.
func (h *headline) update(s fleet.Status) {
	if s.Latency <= 0 {
		return
	}
	for _, ms := range []int{10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000} {
		step := time.Duration(ms) * time.Millisecond
		if s.Latency > step {
			continue
		}
		if step > h.latency || s.Latency < h.latency/4 {
			h.latency = step
		}
		return
	}
}

// connection returns the header's message about the age of the data. It chooses the longest form that fits into w
// cells or, if none fits, the shortest form. The message does not change as long as all is well.
func (c *Console) connection(w int) (text string, role theme.Role) {
	forms, role := c.connectionForms()
	for _, text = range forms {
		if cell.Width(text) <= w {
			break
		}
	}
	return text, role
}

// connectionForms returns descriptions of the connection state, the longest first.
func (c *Console) connectionForms() (forms []string, role theme.Role) {
	s := c.env.Status
	now := time.Now()
	switch {
	case c.live == nil:
		return []string{"no connection"}, theme.Bad
	case c.live.Replay != nil:
		return replayForms(c.live.Replay.State())
	case s.Fault != nil && s.Answered.IsZero():
		return []string{fmt.Sprintf("%s · %s", s.Fault.Kind, nextTry(s, now)), string(s.Fault.Kind)}, theme.Bad
	case s.Fault != nil:
		age := pictureAge(s, now)
		return []string{
			fmt.Sprintf("%s · data %s · %s", s.Fault.Kind, age, nextTry(s, now)),
			fmt.Sprintf("%s · %s · %s", s.Fault.Kind, age, nextTry(s, now)),
			age,
		}, theme.Bad
	case s.Answered.IsZero():
		if waited := now.Sub(c.env.Started); waited >= 2*time.Second {
			return []string{"no answer for " + models.Age(waited)}, theme.Warn
		}
		return []string{"connecting"}, theme.Muted
	case !s.Complete:
		read := strconv.Itoa(c.live.Store.Len())
		if s.Total > 0 {
			read += " of " + strconv.Itoa(s.Total)
		}
		return []string{"listing nodes: " + read, "listing " + read, "listing"}, theme.Warn
	case s.Behind || s.Stale(now) || now.Sub(s.AsOf) > c.freshest(s)+pollGrace:
		age := pictureAge(s, now)
		return []string{"catching up · data " + age, "data " + age, age}, theme.Warn
	}
	return c.liveForms(s)
}

// pictureAge returns the age of the oldest data that may be outdated, or "incomplete" while some is unread.
func pictureAge(s fleet.Status, now time.Time) string {
	if s.AsOf.IsZero() {
		return "incomplete"
	}
	return models.Age(now.Sub(s.AsOf)) + " old"
}

// pollGrace is the time by which a poll may exceed its period before the header shows the delay.
const pollGrace = 2 * time.Second

// liveForms returns descriptions of a connection without problems, the longest first. Each of them includes the
// number of conductors that are down. If no conductor is alive, none counts as down, because an Ironic on SQLite
// stores no heartbeats and reports its only conductor as dead after a minute (ironic/conductor/base_manager.py:
// _conductor_service_record_keepalive).
func (c *Console) liveForms(s fleet.Status) (forms []string, role theme.Role) {
	live := "updated ≤" + models.Age(c.freshest(s)) + " ago"
	conductors, role := "", theme.Muted
	alive := 0
	for _, one := range c.env.Conductors {
		if one.Alive {
			alive++
		}
	}
	if all := len(c.env.Conductors); all > 0 {
		conductors = models.Counted(all, "conductor") + " · "
		if down := all - alive; down > 0 && alive > 0 {
			role = theme.Warn
			live = fmt.Sprintf("%d of %d conductors down · %s", down, all, live)
			conductors = ""
		}
	}
	latency := ""
	if c.headline.latency > 0 {
		latency = "≤" + latencyText(c.headline.latency) + " · "
	}
	return []string{
		"API " + s.Version.String() + " · " + conductors + latency + live,
		conductors + live, live,
	}, role
}

// freshest returns the greatest age that the data reaches while all is well. It is the poller's period, rounded up.
func (c *Console) freshest(s fleet.Status) time.Duration {
	for _, step := range []time.Duration{1, 2, 5, 10, 20, 30} {
		if s.Period <= step*time.Second {
			return step * time.Second
		}
	}
	return (s.Period + time.Minute - 1).Truncate(time.Minute)
}

func latencyText(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

func nextTry(s fleet.Status, now time.Time) string {
	left := s.NextTry.Sub(now).Round(time.Second)
	if left <= 0 {
		return "retrying now"
	}
	return "retry in " + models.Age(left)
}

// header draws the first line, which shows where the operator is and how old the data is.
func (c *Console) header(w int) string {
	t := c.theme
	where := ""
	if c.env.Session != nil {
		where = printable.Line(c.env.Session.Context.Name)
	}
	mark, badges := c.mark(), ""
	if c.env.ReadOnly {
		badges += " [read-only]"
	}
	if n := c.env.Tasks.Running(); n > 0 {
		badges += " " + spinner(c.spin) + " " + models.Counted(n, "task")
	}
	crumb := ""
	if s := c.history.front(); s != nil {
		crumb = " › " + printable.Line(s.Title())
	}
	name := ""
	if w >= 60 {
		name = " ironworks "
	}
	room := w - 1
	wanted := cell.Width(name) + cell.Width(mark) + 1 + cell.Width(where) + cell.Width(badges) + cell.Width(crumb) + 1
	right, role := c.connection(max(room-wanted, room/3))
	right = cell.Cut(right, room)
	room -= cell.Width(right) + 1
	left := ""
	add := func(r theme.Role, part string) {
		part = cell.Cut(part, max(room, 0))
		room -= cell.Width(part)
		left += t.Paint(r, part)
	}
	add(theme.Strong, name)
	add(theme.Warn, mark)
	add(theme.Accent, " "+where)
	add(theme.Warn, badges)
	add(theme.Plain, crumb)
	return left + cell.Blanks(room+1) + t.Paint(role, right) + " "
}

// mark returns the label that every screen shows in a recording or a lab, or "".
func (c *Console) mark() string {
	switch {
	case c.replay() != nil:
		return " REPLAY "
	case c.env.Session != nil && c.env.Session.Context.Lab:
		return " LAB "
	}
	return ""
}

// spinner returns the glyph for running tasks. It changes once a second; nothing else is animated.
func spinner(at int) string { return [...]string{"⠋", "⠙", "⠹", "⠸"}[at%4] }
