package ui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/screen"
	"ironworks/ui/screen/compare"
	"ironworks/ui/screen/connect"
	"ironworks/ui/screen/deploy"
	"ironworks/ui/screen/drivers"
	"ironworks/ui/screen/enroll"
	"ironworks/ui/screen/events"
	"ironworks/ui/screen/explain"
	"ironworks/ui/screen/fleet"
	"ironworks/ui/screen/hardware"
	"ironworks/ui/screen/node"
	"ironworks/ui/screen/ramdisk"
	"ironworks/ui/screen/rules"
	"ironworks/ui/screen/stepfiles"
	"ironworks/ui/screen/tasks"
	"ironworks/ui/screen/watch"
)

const maxHistory = 30

type history struct {
	visited []screen.Screen
	at      int
}

// front returns the current screen, or nil before the first one is opened.
func (h *history) front() screen.Screen {
	if h.at >= len(h.visited) {
		return nil
	}
	return h.visited[h.at]
}

// push adds s after the current screen and makes it current. As in a browser, this closes the screens from which the
// operator went back.
func (h *history) push(s screen.Screen) {
	if len(h.visited) > 0 {
		for _, gone := range h.visited[h.at+1:] {
			gone.Close()
		}
		h.visited = h.visited[:h.at+1]
	}
	h.visited = append(h.visited, s)
	if len(h.visited) > maxHistory {
		// The first screen, which is home, stays.
		h.visited[1].Close()
		h.visited = slices.Delete(h.visited, 1, 2)
	}
	h.at = len(h.visited) - 1
}

func (h *history) closeAll() {
	for _, s := range h.visited {
		s.Close()
	}
}

// Open opens the screen that ref refers to, unless it is already in front.
func (c *Console) Open(ref screen.Ref) tea.Cmd {
	if s := c.history.front(); s != nil && s.Ref() == ref {
		return nil
	}
	s := c.make(ref)
	if s == nil {
		return nil
	}
	c.history.push(s)
	return tea.Batch(s.Start(), s.Shown())
}

func (c *Console) openAt(msg screen.Open) tea.Cmd {
	cmd := c.Open(msg.Ref)
	if s := c.history.front(); msg.Then != "" && s != nil && s.Ref() == msg.Ref {
		cmd = tea.Batch(cmd, s.Do(msg.Then))
	} else if msg.Message != nil && s != nil && s.Ref() == msg.Ref {
		cmd = tea.Batch(cmd, s.Update(msg.Message))
	}
	return cmd
}

func (c *Console) make(ref screen.Ref) screen.Screen {
	switch ref.Kind {
	case screen.KindFleet:
		return fleet.New(c.env)
	case screen.KindNode:
		return node.New(c.env, ref.ID)
	case screen.KindEvents:
		return events.New(c.env)
	case screen.KindConductors:
		return drivers.New(c.env)
	case screen.KindConnect:
		return connect.New(c.env)
	case screen.KindTasks:
		return tasks.New(c.env)
	case screen.KindIgnition:
		return ramdisk.New(c.env)
	case screen.KindWatch:
		return watch.New(c.env)
	case screen.KindDeploy:
		return deploy.New(c.env, ref.ID)
	case screen.KindEnroll:
		return enroll.New(c.env)
	case screen.KindRules:
		return rules.New(c.env)
	case screen.KindTemplates, screen.KindRunbooks:
		return stepfiles.New(c.env, ref.Kind)
	case screen.KindCompare:
		return compare.New(c.env, ref.ID)
	case screen.KindHardware:
		return hardware.New(c.env, ref.ID)
	case screen.KindExplain:
		return explain.New(c.env, ref.ID)
	case screen.KindTask:
		number, _ := strconv.Atoi(ref.ID)
		return tasks.NewTask(c.env, number)
	}
	return nil
}

// chosen returns the nodes selected on the last screen in the history that has any selected nodes.
func (c *Console) chosen() []models.NodeRef {
	for _, s := range slices.Backward(c.history.visited) {
		if targets := s.Targets(); len(targets) > 0 {
			return targets
		}
	}
	return nil
}

// openFile opens the Ignition screen if a file was named on the command line. Only its first call does so.
func (c *Console) openFile() tea.Cmd {
	if c.opts.File == "" || c.fileOpened {
		return nil
	}
	c.fileOpened = true
	return c.Open(screen.Ref{Kind: screen.KindIgnition})
}

// walk moves through the history by the given number of screens, backward if it is negative.
func (c *Console) walk(by int) tea.Cmd {
	to := c.history.at + by
	if to < 0 || to >= len(c.history.visited) {
		return nil
	}
	c.history.at = to
	return c.history.front().Shown()
}

// Home shows a main screen. If it has been visited, that screen is shown again, with its cursor and filter.
func (c *Console) Home(kind screen.Kind) tea.Cmd {
	ref := screen.Ref{Kind: kind}
	for i, s := range c.history.visited {
		if s.Ref() == ref && i != c.history.at {
			rest := slices.Delete(c.history.visited, i, i+1)
			c.history.at = len(rest)
			if kind == screen.KindFleet { // the home screen stays the first one
				c.history.at = 0
			}
			c.history.visited = slices.Insert(rest, c.history.at, s)
			return s.Shown()
		}
	}
	return c.Open(ref)
}
