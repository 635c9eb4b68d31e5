// Package logs shows the logs of nodes and their sources. The operator can search and filter the lines.
package logs

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/printable"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/widget/logview"
)

// Log shows the logs of nodes. It follows them until Close is called.
type Log struct {
	env  *screen.Env
	view *logview.View
	// kept describes the recording, or is nil if the log is live. followed sends the lines of the recording.
	kept     *Kept
	followed agentlog.Follower
	nodeLogs []*nodeLog
	// dropped counts the lines that are missing because they arrived faster than they were read.
	dropped int

	filter filter.LogFilter
	level  models.LogLevel
	prompt body.Prompt
	// filtering is true if the input is a filter, and false if it is a search.
	filtering bool
	// file is the path that the log was last saved to.
	file   string
	closed bool
}

type nodeLog struct {
	node models.NodeRef
	// cancel stops following; it is nil while the node is not followed. turn is the number of the current follower:
	// batches of earlier followers are dropped.
	cancel context.CancelFunc
	turn   int
	lines  <-chan agentlog.Batch
	status map[models.LogSource]agentlog.Status
	// starts maps each boot to the time of its first line.
	starts map[string]time.Time
	// last maps each boot to the time of its last line. upTo is a copy of last that is made whenever following
	// starts: the sources then send all their lines again, and the log skips the lines up to these times.
	last, upTo map[string]time.Time
	// keepalive is the text of the agent's last keepalive. It is shown beside the source.
	keepalive string
	// ended is true if the follower has closed its channel.
	ended bool
	// serial is true if the serial console is also followed.
	serial bool
}

// New returns a log that follows nothing.
func New(env *screen.Env) *Log { return NewWithin(env, logview.Default) }

// NewWithin is like New, but the log stores lines within the given limits.
func NewWithin(env *screen.Env, limits logview.Limits) *Log {
	return &Log{env: env, view: logview.New(limits), level: models.LogDebug}
}

// Follow makes the log follow exactly the given nodes from now on. Existing lines stay.
func (l *Log) Follow(nodes ...models.NodeRef) tea.Cmd {
	if l.closed || l.source() == nil {
		return nil
	}
	if len(nodes) > 0 && l.kept == nil {
		l.env.Logs.Use(l)
	}
	want := map[string]bool{}
	var cmds []tea.Cmd
	for _, n := range nodes {
		want[n.UUID] = true
		i := l.laneOf(n)
		if l.nodeLogs[i].cancel == nil && !l.nodeLogs[i].ended {
			cmds = append(cmds, l.begin(i))
		}
	}
	for _, one := range l.nodeLogs {
		if !want[one.node.UUID] {
			one.end()
		}
	}
	return tea.Batch(cmds...)
}

// source returns the source of the lines, or nil if there is none.
func (l *Log) source() agentlog.Follower {
	if l.kept == nil && l.env.Session != nil {
		return l.env.Session.Logs
	}
	return l.followed
}

// Restart is like Follow, but also restarts followers that have ended.
func (l *Log) Restart(nodes ...models.NodeRef) tea.Cmd {
	for _, one := range l.nodeLogs {
		one.ended = false
	}
	return l.Follow(nodes...)
}

// laneOf returns the index of the log of node n in nodeLogs. It adds the log if necessary.
func (l *Log) laneOf(n models.NodeRef) int {
	if i := slices.IndexFunc(l.nodeLogs, func(one *nodeLog) bool { return one.node.UUID == n.UUID }); i >= 0 {
		return i
	}
	l.nodeLogs = append(l.nodeLogs, &nodeLog{node: n, status: map[models.LogSource]agentlog.Status{}, starts: map[string]time.Time{}, last: map[string]time.Time{}})
	names := make([]string, len(l.nodeLogs))
	for i, one := range l.nodeLogs {
		names[i] = printable.Line(one.node.Label())
	}
	l.view.SetLanes(names)
	return len(l.nodeLogs) - 1
}

func (l *Log) begin(i int) tea.Cmd {
	one := l.nodeLogs[i]
	ctx, cancel := context.WithCancel(context.Background()) //nolint:gosec // end calls it
	one.turn++
	one.cancel, one.upTo = cancel, maps.Clone(one.last)
	logs, node, turn := l.source(), one.node, one.turn
	var more []models.LogSource
	if one.serial {
		more = append(more, models.LogSerial)
	}
	return func() tea.Msg {
		lines := logs.Follow(ctx, node, more...)
		return screen.NewLater(l, func() tea.Cmd {
			if !one.follows(turn) {
				return drain(lines)
			}
			one.lines = lines
			return l.next(i)
		})
	}
}

// follows reports whether the follower with the given number has neither been stopped nor replaced.
func (one *nodeLog) follows(turn int) bool { return turn == one.turn && one.cancel != nil }

func (one *nodeLog) end() {
	if one.cancel != nil {
		one.cancel()
		one.cancel, one.lines = nil, nil
	}
}

// next returns a command that waits for the next batch. The follower closes the channel when it ends.
func (l *Log) next(i int) tea.Cmd {
	one := l.nodeLogs[i]
	lines, turn := one.lines, one.turn
	return func() tea.Msg {
		b, more := <-lines
		return screen.NewLater(l, func() tea.Cmd {
			switch {
			case !one.follows(turn):
				return drain(lines)
			case !more:
				one.end()
				one.ended = true
				return nil
			}
			l.addBatch(i, &b)
			return l.next(i)
		})
	}
}

// Update handles a message or a typed key. mine reports whether the message was meant for this log.
func (l *Log) Update(msg tea.Msg) (mine bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case screen.Later:
		return msg.For(l), msg.Run(l)
	case tea.KeyPressMsg, tea.PasteMsg:
		if !l.prompt.Typing() {
			return false, nil
		}
		l.typed(msg)
		return true, nil
	}
	return false, nil
}

// drain discards the remaining batches of a canceled follower, which would otherwise block.
func drain(lines <-chan agentlog.Batch) tea.Cmd {
	return func() tea.Msg {
		for range lines { //nolint:revive // to the end
		}
		return nil
	}
}

// addBatch adds the lines of a batch to the log, and stores the states of the sources.
func (l *Log) addBatch(i int, b *agentlog.Batch) {
	one := l.nodeLogs[i]
	for _, s := range b.Status {
		one.status[s.Source] = s
	}
	l.dropped += b.Dropped
	now := l.env.ServerNow()
	lines := make([]logview.Line, 0, len(b.Lines))
	for k := range b.Lines {
		line := &b.Lines[k]
		switch {
		case line.Source == models.LogStatus:
			one.keepalive = line.Text // keepalives are shown beside their source instead
			continue
		case one.wasShown(line):
			continue
		}
		l.env.Installs.Add(line, now)
		next := viewLine(line)
		next.Lane, next.Start = i, one.boot(line)
		lines = append(lines, next)
	}
	l.view.Append(lines...)
}

// wasShown reports whether a line was already shown before following was restarted.
func (one *nodeLog) wasShown(line *models.LogLine) bool {
	upTo, known := one.upTo[line.Boot]
	return known && !line.Time.IsZero() && !line.Time.After(upTo)
}

// boot records the time of a line, and returns the time of the first line of the same boot.
func (one *nodeLog) boot(line *models.LogLine) time.Time {
	const boots = 100
	if line.Time.IsZero() {
		return one.starts[line.Boot]
	}
	if _, known := one.starts[line.Boot]; !known {
		if len(one.starts) >= boots {
			clear(one.starts)
			clear(one.last)
		}
		one.starts[line.Boot] = line.Time
	}
	one.last[line.Boot] = line.Time
	return one.starts[line.Boot]
}

// viewLine converts a log line to a line of the view. Its origin is the index of the source.
func viewLine(line *models.LogLine) logview.Line {
	origin := slices.Index(models.LogSources(), line.Source)
	if origin < 0 {
		origin = len(models.LogSources())
	}
	return logview.Line{
		Time: line.Time, Level: logview.Level(max(line.Level, 0)), Tag: line.Unit, Text: line.Text, Mark: line.Known, //nolint:gosec // levels are few
		Origin: origin,
	}
}

// lineOf converts a line of the view back, with only the fields that filters and the text format use.
func (l *Log) lineOf(line *logview.Line) models.LogLine {
	made := models.LogLine{Time: line.Time, Level: models.LogLevel(line.Level), Unit: line.Tag, Text: line.Text, Known: line.Mark}
	if line.Lane < len(l.nodeLogs) {
		made.Node = l.nodeLogs[line.Lane].node
	}
	if sources := models.LogSources(); line.Origin < len(sources) {
		made.Source = sources[line.Origin]
	}
	return made
}

func (l *Log) narrow() {
	if l.filter.IsZero() && l.level >= models.LogDebug {
		l.view.SetFilter(nil)
		return
	}
	filter, level := l.filter, l.level
	l.view.SetFilter(func(line *logview.Line) bool {
		if models.LogLevel(line.Level) > level {
			return false
		}
		made := l.lineOf(line)
		return filter.Match(&made)
	})
}

// Suspend stops following and drops the lines. Following later reloads the lines that the sources have.
func (l *Log) Suspend() {
	for _, one := range l.nodeLogs {
		one.end()
		clear(one.last)
		clear(one.status)
		one.ended, one.serial = false, false
	}
	l.view.Clear()
}

// Rewound restarts the log after the operator has jumped back in a recording.
func (l *Log) Rewound() tea.Cmd {
	var followed []models.NodeRef
	for _, one := range l.nodeLogs {
		if one.cancel != nil || one.ended {
			followed = append(followed, one.node)
		}
	}
	l.Suspend()
	for _, one := range l.nodeLogs {
		clear(one.starts)
	}
	l.dropped = 0
	if len(followed) == 0 {
		return nil
	}
	return l.Follow(followed...)
}

// Close stops following all nodes. The log cannot be used afterwards.
func (l *Log) Close() {
	l.closed = true
	l.env.Logs.Remove(l)
	for _, one := range l.nodeLogs {
		one.end()
	}
}
