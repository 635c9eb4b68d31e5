package ui

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/replay"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// leap is the recorded time that one key press skips, forward or backward.
const leap = 30 * time.Second

// replay returns the recording that is playing, or nil if the session is connected to Ironic.
func (c *Console) replay() *replay.Player {
	if c.env.Session == nil {
		return nil
	}
	return c.env.Session.Replay
}

func (c *Console) play(id action.ID) tea.Cmd {
	r := c.replay()
	if r == nil {
		return nil
	}
	s := r.State()
	switch id {
	case action.PlayPause:
		r.Pause(!s.Paused)
	case action.PlayFaster:
		r.SetSpeed(speedAfter(s.Speed, 1))
	case action.PlaySlower:
		r.SetSpeed(speedAfter(s.Speed, -1))
	case action.PlayBack:
		r.Seek(s.At.Add(-leap))
	case action.PlayAhead:
		r.Seek(s.At.Add(leap))
	case action.PlayPrevious:
		c.seekTo(r, momentBefore(r.Moments(), s.At))
	case action.PlayNext:
		c.seekTo(r, momentAfter(r.Moments(), s.At))
	case action.PlayTo:
		return c.Show(c.moments(r, s))
	default:
	}
	return nil
}

// speedAfter returns the next higher speed if by is 1, or the next lower one if by is -1.
func speedAfter(now float64, by int) float64 {
	speeds := replay.Speeds()
	at, found := slices.BinarySearch(speeds, now)
	if !found && by > 0 {
		at-- // now lies between two speeds
	}
	return speeds[min(max(at+by, 0), len(speeds)-1)]
}

// momentBefore returns the last moment that is at least 1 s before at, so that pressing the key repeatedly moves back
// even while the recording plays. momentAfter returns the first moment after at. Both return nil if there is none.
func momentBefore(all []replay.Moment, at time.Time) *replay.Moment {
	for i := range slices.Backward(all) {
		if all[i].At.Before(at.Add(-time.Second)) {
			return &all[i]
		}
	}
	return nil
}

func momentAfter(all []replay.Moment, at time.Time) *replay.Moment {
	if i := slices.IndexFunc(all, func(m replay.Moment) bool { return m.At.After(at) }); i >= 0 {
		return &all[i]
	}
	return nil
}

func (c *Console) seekTo(r *replay.Player, m *replay.Moment) {
	if m == nil {
		c.Say(screen.Say{Text: "no more changes in the recording"})
		return
	}
	r.Seek(m.At)
	c.Say(screen.Say{Text: m.At.Local().Format(time.TimeOnly) + "  " + m.Node.Label() + "  " + m.Text})
}

func (c *Console) moments(r *replay.Player, s replay.State) screen.Overlay {
	all := r.Moments()
	items := []overlay.Item{{ID: "0", Title: s.From.Local().Format(time.DateTime), Detail: "beginning"}}
	times := []time.Time{s.From}
	for i := range all {
		m := &all[i]
		detail := m.Node.Label() + "  " + m.Text
		if m.Bad {
			detail = theme.GlyphFailed + " " + detail
		}
		items = append(items, overlay.Item{ID: strconv.Itoa(len(times)), Title: m.At.Local().Format(time.DateTime) + "  +" + models.Age(m.At.Sub(s.From)), Detail: detail})
		times = append(times, m.At)
	}
	return overlay.NewPick("Jump to", items, func(id string) tea.Cmd {
		if i, err := strconv.Atoi(id); err == nil && i < len(times) {
			r.Seek(times[i])
		}
		return nil
	})
}

// rewound resets the screens after the recording has jumped back in time.
func (c *Console) rewound() tea.Cmd {
	c.env.Events.Reset()
	c.env.Installs.Reset()
	var cmds []tea.Cmd
	for _, s := range c.history.visited {
		cmds = append(cmds, s.Update(screen.Rewound{}))
	}
	return tea.Batch(append(cmds, c.SendToScreen(screen.Reload{}))...)
}

// replayForms returns descriptions of the position in the recording for the header, the longest first.
func replayForms(s replay.State) (forms []string, role theme.Role) {
	at, speed := s.At.Local(), "×"+strconv.FormatFloat(s.Speed, 'g', 4, 64)
	role = theme.Warn
	switch {
	case !s.At.Before(s.To):
		speed = "ended"
	case s.Paused:
		speed = "paused"
	default:
		role = theme.Muted
	}
	far := "+" + models.Age(s.At.Sub(s.From)) + " of " + models.Age(s.To.Sub(s.From))
	return []string{
		at.Format(time.DateTime) + " · " + far + " · " + speed,
		at.Format(time.TimeOnly) + " · " + far + " · " + speed,
		at.Format(time.TimeOnly) + " · " + speed, at.Format(time.TimeOnly),
	}, role
}
