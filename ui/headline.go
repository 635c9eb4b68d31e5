package ui

import (
	"fmt"
	"strconv"
	"time"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// headline is what of the connection stands in the header. It is rounded, so that an
// idle fleet costs no bytes: a latency that trembles does not change it.
type headline struct {
	latency time.Duration // the smallest of the steps that holds it
}

// note takes the latency in: up at once, down only when it is far below.
func (h *headline) note(s fleet.Status) {
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

// connection says how fresh the picture is, for the header's right side: the longest of
// its forms that fits w cells. The words stay the same while all is well.
func (c *Console) connection(w int) (text string, role theme.Role) {
	forms, role := c.connectionForms()
	for _, text = range forms {
		if cell.Width(text) <= w {
			break
		}
	}
	return text, role
}

// connectionForms are the forms, from the longest to the shortest.
func (c *Console) connectionForms() (forms []string, role theme.Role) {
	s := c.env.Status
	now := c.opts.Clock.Now()
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
			fmt.Sprintf("%s · picture %s · %s", s.Fault.Kind, age, nextTry(s, now)),
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
	case s.Behind || s.Stale(now) || now.Sub(s.AsOf) > c.freshest(s)+grace:
		age := pictureAge(s, now)
		return []string{"catching up · picture " + age, "picture " + age, age}, theme.Warn
	}
	return c.liveForms(s)
}

// pictureAge is since when the picture may be wrong.
func pictureAge(s fleet.Status, now time.Time) string {
	if s.AsOf.IsZero() {
		return "incomplete"
	}
	return models.Age(now.Sub(s.AsOf)) + " old"
}

// grace is how long a round may take beyond its period before the header says so.
const grace = 2 * time.Second

// liveForms are for when all is well: a conductor that is down is said in all of them.
// Where none is alive nothing is said: an Ironic on SQLite keeps no heartbeats, and
// calls its only conductor dead after a minute (ironic/conductor/base_manager.py:
// _conductor_service_record_keepalive).
func (c *Console) liveForms(s fleet.Status) (forms []string, role theme.Role) {
	live := "live ≤" + models.Age(c.freshest(s))
	conductors, role := "", theme.Muted
	alive := 0
	for _, one := range c.env.Conductors {
		if one.Alive {
			alive++
		}
	}
	if all := len(c.env.Conductors); all > 0 {
		conductors = fmt.Sprintf("%d conductor%s · ", all, plural(all))
		if down := all - alive; down > 0 && alive > 0 {
			role = theme.Warn
			live = fmt.Sprintf("%d of %d conductors down · %s", down, all, live)
			conductors = ""
		}
	}
	latency := ""
	if c.said.latency > 0 {
		latency = "≤" + latencyText(c.said.latency) + " · "
	}
	return []string{
		"API " + s.Version.String() + " · " + conductors + latency + live,
		conductors + live, live,
	}, role
}

// freshest is how old the picture can be while all is well: the poller's period, in steps,
// so that it stands still.
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
		return "trying again"
	}
	return "next try in " + models.Age(left)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// header is the first line: where we are, and how fresh that is.
func (c *Console) header(w int) string {
	t := c.theme
	where := ""
	if c.env.Session != nil {
		where = models.Printable(c.env.Session.Context.Name)
	}
	mark := c.mark()
	badges := ""
	if c.env.ReadOnly {
		badges += " [read-only]"
	}
	if n := c.env.Tasks.Running(); n > 0 {
		badges += fmt.Sprintf(" %s %d task%s", spinner(c.spin), n, plural(n))
	}
	crumb := ""
	if s := c.history.front(); s != nil {
		crumb = " › " + s.Title()
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

// mark says on every screen that nothing here is real, or now.
func (c *Console) mark() string {
	switch {
	case c.replay() != nil:
		return " REPLAY "
	case c.env.Session != nil && c.env.Session.Context.Lab:
		return " LAB "
	}
	return ""
}

// spinner turns once a second while something is under way: the only thing that moves
// by itself.
func spinner(at int) string { return [...]string{"⠋", "⠙", "⠹", "⠸"}[at%4] }
