package tasks

import (
	"fmt"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// Task is the screen of one task. It shows the progress and the result of each node.
type Task struct {
	screen.Base
	env    *screen.Env
	number int
	table  *table.Table[*row]
	// retries holds the last rejected request of each node, by UUID, with the time when the rejection was first seen.
	// The delay before the retry starts at this time.
	retries map[string]seenRetry
}

type seenRetry struct {
	progress provision.Progress
	at       time.Time
}

// NewTask returns the screen of the task with the given number.
func NewTask(env *screen.Env, number int) screen.Screen {
	s := &Task{
		Base: screen.NewBase(screen.Ref{Kind: screen.KindTask, ID: strconv.Itoa(number)}, "", action.List, action.Task),
		env:  env, number: number, retries: map[string]seenRetry{}, table: table.New(func(r *row) string { return r.node.UUID }),
	}
	s.table.SetColumns([]table.Column[*row]{
		{Key: "node", Title: "NODE", Min: 10, Max: 36, Text: func(r *row) string { return r.node.Label() }},
		{Key: "outcome", Title: "RESULT", Min: 10, Max: 12, Cell: func(r *row) table.Cell {
			return table.Cell{Glyph: r.look.glyph, GlyphRole: r.look.role, Text: r.look.word, Role: r.look.role}
		}},
		{Key: "now", Title: "DETAIL", Min: 16, Grow: 1, Cell: s.nowCell},
		{Key: "request", Title: "REQUEST", Min: 12, Max: 40, Drop: 1, Role: theme.Muted, Text: func(r *row) string { return r.requestID }},
	})
	return s
}

func (s *Task) nowCell(r *row) table.Cell {
	text := r.now
	if !r.retry.IsZero() {
		if wait := time.Until(r.retry); wait > 0 {
			text += " in " + models.Age(wait)
		} else {
			text += " now"
		}
	}
	return table.Cell{Text: text}
}

// Title returns the number and the name of the task, for the header.
func (s *Task) Title() string {
	title := "task " + strconv.Itoa(s.number)
	if t, ok := s.task(); ok {
		title += " " + name(t)
	}
	return title
}

func (s *Task) task() (*screen.Task, bool) { return s.env.Tasks.Get(s.number) }

// Shown updates the rows, because the task may have changed since the last visit.
func (s *Task) Shown() tea.Cmd {
	s.refresh()
	return nil
}

// Update updates the rows if tasks have changed.
func (s *Task) Update(msg tea.Msg) tea.Cmd {
	if _, changed := msg.(screen.TasksChanged); changed {
		s.refresh()
	}
	return nil
}

func (s *Task) refresh() {
	t, ok := s.task()
	if !ok {
		s.table.SetRows(nil)
		return
	}
	now, verb := time.Now(), isVerb(t)
	rows := make([]*row, len(t.Plan.Items))
	for i := range t.Plan.Items {
		item := &t.Plan.Items[i]
		var r row
		p, known := t.Progress[item.Node.UUID]
		res, finished := t.ResultOf(i)
		switch {
		case p.Enrolled != nil:
			r = enrolled(item, p.Enrolled)
		case finished:
			r = ended(item, &res)
		default:
			r = runningRow(item, p, known, verb)
			r.retry = s.retryAt(p, now)
			if t.Cancels.Has(item.Node.UUID) {
				r.look = outcomeLook{glyph: theme.GlyphWaiting, word: "canceling", role: theme.Muted}
			}
		}
		if by := t.Retried[item.Node.UUID]; by > 0 {
			r.now = fmt.Sprintf("retried in task %d; ", by) + r.now
		}
		rows[i] = &r
	}
	s.table.SetRows(rows)
}

// retryAt returns the local time at which a rejected request is sent again, or zero if it is not retried.
func (s *Task) retryAt(p provision.Progress, now time.Time) time.Time {
	if p.Retry == nil {
		delete(s.retries, p.Node.UUID)
		return time.Time{}
	}
	h, known := s.retries[p.Node.UUID]
	if !known || h.progress.Retry != p.Retry {
		h = seenRetry{progress: p, at: now}
		s.retries[p.Node.UUID] = h
	}
	return h.at.Add(p.Retry.Delay)
}

// Do runs the screen's action with the given ID.
func (s *Task) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open, action.Explain:
		if r, ok := s.table.Cursor(); ok {
			return screen.SendOpen(id, r.node)
		}
	case action.Retry:
		if s.DisabledReason(id) == "" {
			return screen.Send(screen.RetryTask{Task: s.number})
		}
	case action.StopFollowing:
		if s.DisabledReason(id) == "" {
			return screen.Send(screen.LeaveTask{Task: s.number})
		}
	case action.CancelNode:
		if r, ok := s.table.Cursor(); ok && s.DisabledReason(id) == "" {
			return screen.Send(screen.CancelNode{Task: s.number, UUID: r.node.UUID})
		}
	default:
		body.Steer(s.table, id, 1)
	}
	return nil
}

// Click selects the node at the given position. open reports whether to open it, because it was already selected.
func (s *Task) Click(x, y int) (open bool, cmd tea.Cmd) {
	return s.table.Click(x, y-body.PageTop).WasCurrent, nil
}

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *Task) DisabledReason(id action.ID) string {
	t, ok := s.task()
	if !ok {
		if id == action.Open || id == action.Explain || id == action.Retry || id == action.StopFollowing || id == action.CancelNode {
			return "no such task"
		}
		return ""
	}
	switch id {
	case action.Retry:
		return s.whyRetry(t)
	case action.CancelNode:
		return s.whyCancelNode(t)
	case action.StopFollowing:
		switch {
		case !t.Running():
			return "the task has ended"
		case t.Unfollowed:
			return "no longer followed"
		case !s.env.Tasks.Owns(t):
			return s.env.ReadOnlyByConfig()
		}
	case action.Open, action.Explain:
		switch r, some := s.table.Cursor(); {
		case !some:
			return "the task has no nodes"
		case !s.here(t):
			return "the node is in context " + t.Context
		default:
			if _, _, there := s.env.Session.Store.Get(r.node.UUID); !there {
				return "the node no longer exists"
			}
		}
	default:
	}
	return ""
}

func (s *Task) whyCancelNode(t *screen.Task) string {
	r, some := s.table.Cursor()
	if !some {
		return "the task has no nodes"
	}
	i := t.Plan.Index(r.node.UUID)
	_, finished := t.ResultOf(i)
	switch {
	case !t.Running():
		return "the task has ended"
	case finished || t.Plan.Items[i].Refusal != nil:
		return "the node has finished"
	case t.Cancels == nil || t.Unfollowed:
		return "no longer followed"
	case !s.env.Tasks.Owns(t) && s.env.ReadOnlyByConfig() != "":
		return s.env.ReadOnlyByConfig()
	case t.Cancels.Has(r.node.UUID):
		return "already canceled"
	}
	return ""
}

func (s *Task) whyRetry(t *screen.Task) string {
	switch {
	case len(t.Failed()) == 0 && t.Running():
		return "no node has failed yet"
	case len(t.Failed()) == 0:
		return "no node failed"
	case !s.here(t):
		return "the task ran in context " + t.Context
	case s.env.ReadOnly:
		return s.env.WhyReadOnly()
	}
	return ""
}

func (s *Task) here(t *screen.Task) bool {
	return s.env.Session != nil && s.env.Session.Context.Name == t.Context
}

// Copies returns the request ID, the reason, the UUID and the name of the node at the cursor. It also returns the
// command line that would run the task again.
func (s *Task) Copies() []screen.Copyable {
	var copies []screen.Copyable
	add := func(name, text string, shape screen.Shape) {
		if text != "" {
			copies = append(copies, screen.Copyable{Name: name, Text: text, Shape: shape})
		}
	}
	if r, ok := s.table.Cursor(); ok {
		add("request id", r.requestID, screen.OneLine)
		add("reason", r.whole, screen.Lines)
		add("uuid", r.node.UUID, screen.OneLine)
		add("name", r.node.Name, screen.OneLine)
	}
	if t, ok := s.task(); ok {
		add("command", t.Command, screen.OneLine)
	}
	return copies
}
