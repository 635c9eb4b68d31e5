package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/presence"
	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

// Team configures the additional features of a console on a server.
type Team struct {
	// Enter registers the console with those of other users, and calls changed whenever one of them changes.
	Enter func(changed func()) *presence.Seat
	// WhyNoFiles is the reason why the operator cannot enter file names.
	WhyNoFiles string
	// WhyNoEditor is the reason why no editor is available.
	WhyNoEditor string
	// Forbidden maps actions that are impossible on a server to the reason.
	Forbidden map[action.ID]string
}

// roomChanged reports that a session has changed, a message has arrived, or the followed session shows something new.
type roomChanged struct{}

func (c *Console) enterRoom() {
	if c.opts.Team == nil {
		return
	}
	c.env.WhyNoFiles, c.env.WhyNoEditor, c.env.Forbidden = c.opts.Team.WhyNoFiles, c.opts.Team.WhyNoEditor, c.opts.Team.Forbidden
	c.env.Seat = c.opts.Team.Enter(reportTo(c.roomNews))
}

// roomChanged shows messages from other users. It stops following a session that has ended.
func (c *Console) roomChanged() tea.Cmd {
	for _, m := range c.env.Seat.Messages() {
		c.Say(screen.Say{Level: screen.Warning, Text: m.From + ": " + m.Text})
	}
	if me := c.env.Seat.Self(); me.Following != 0 {
		if _, _, there := c.env.Seat.Followed(); !there {
			c.env.Seat.Follow(0)
			c.Say(screen.Say{Text: "the session that you followed has ended"})
		}
	}
	return tea.Batch(c.reportOf(c.roomNews, roomChanged{}), c.SendToScreen(screen.PeopleChanged{}))
}

// lookAround tells other users which screen and node this session shows.
func (c *Console) lookAround() {
	s := c.history.front()
	if c.env.Seat == nil || s == nil {
		return
	}
	ref, node := s.Ref(), models.NodeRef{}
	switch ref.Kind {
	case screen.KindNode, screen.KindExplain, screen.KindHardware, screen.KindDeploy:
		if !strings.Contains(ref.ID, ",") {
			node = c.env.Node(ref.ID)
		}
	default:
	}
	c.env.Seat.Look(s.Title(), node)
}

// userList lists the connected users. This session then follows the session of the chosen user.
func (c *Console) userList() screen.Overlay {
	me := c.env.Seat.Self()
	var items []overlay.Item
	for _, p := range c.env.Seat.Sessions() {
		place := p.Screen
		switch {
		case p.Following != 0:
			place = "follows session " + strconv.Itoa(p.Following)
		case me.Nodes != "" && me.Nodes != p.Nodes:
			place = "" // the title of the screen may name a node that this user must not see
		}
		items = append(items, overlay.Item{
			ID: strconv.Itoa(p.ID), Title: fmt.Sprintf("%d %s", p.ID, p.User),
			Detail: strings.TrimSuffix(fmt.Sprintf("%s · %s · since %s · %s", p.Role, p.Address, p.Since.Local().Format(time.TimeOnly), place), " · "), Disabled: c.env.Seat.WhyNotFollow(p.ID),
		})
	}
	return overlay.NewPick("Connected users; enter follows", items, func(id string) tea.Cmd {
		n, _ := strconv.Atoi(id)
		return screen.Send(followPerson{n})
	})
}

type followPerson struct{ id int }

func (c *Console) follow(id int) {
	if why := c.env.Seat.WhyNotFollow(id); why != "" {
		c.Say(screen.Say{Level: screen.Warning, Text: string(action.Who) + ": " + why})
		return
	}
	c.env.Seat.Follow(id)
}

func (c *Console) messageForm() screen.Overlay {
	const key = "line"
	fields := []form.Field{{
		Key: key, Label: "Message", Required: true, Help: "A line that every connected user sees.", Max: presence.MessageMost,
	}}
	return overlay.NewForm("Message to all users", fields, func(v map[string]string) (tea.Cmd, string, string) {
		seat, text := c.env.Seat, v[key]
		return func() tea.Msg {
			seat.Say(text)
			return screen.Say{Text: "message sent"}
		}, "", ""
	})
}

// following returns the session that this session follows with its last frame, or false if it follows none.
func (c *Console) following() (presence.Frame, presence.Session, bool) {
	if c.env.Seat == nil || c.env.Seat.Self().Following == 0 {
		return presence.Frame{}, presence.Session{}, false
	}
	return c.env.Seat.Followed()
}

// mirror draws f, the last frame of session p, and cuts or pads it to w by h cells. The first line names the session.
func (c *Console) mirror(f presence.Frame, p presence.Session, w, h int) string {
	lines := strings.Split(f.Content, "\n")
	lines = lines[:min(len(lines), h-1)]
	if f.Content == "" {
		lines = []string{" Waiting for the next change on that screen…"}
	}
	size := ""
	if f.Width > w || f.Height > h-1 && f.Height > 0 {
		size = fmt.Sprintf(", %d×%d", f.Width, f.Height)
	}
	text := " " + fmt.Sprintf("Following %s (session %d%s), read-only; esc stops", p.User, p.ID, size)
	head := c.theme.Paint(theme.Accent, cell.Fit(printable.Line(text), w))
	return strings.Join([]string{head, cell.Block(lines, w, h-1)}, "\n")
}

// watches reports whether this session follows another one. If so, pasted text and the mouse have no effect, because
// they would act on this session's own screen, which is hidden.
func (c *Console) watches() bool {
	_, _, is := c.following()
	return is
}

// keyWhileFollowing handles a key press while this session follows another one. esc, q and ctrl+c stop following; all
// other keys do nothing, because the other session can only be watched.
func (c *Console) keyWhileFollowing(name string) tea.Cmd {
	switch name {
	case "esc", "q", "ctrl+c":
		c.env.Seat.Follow(0)
	}
	return nil
}
