// Package logs is the log of one or several nodes: its lines, filters and sources.
package logs

import (
	"context"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/widget/logview"
)

// Log shows the logs of nodes, with their followers, which end with Close.
type Log struct {
	env  *screen.Env
	view *logview.View
	// kept is the recording if the log is not live; followed sends its lines.
	kept     *Kept
	followed screen.Logs
	nodeLogs []*nodeLog
	// dropped counts the lines that are missing because they arrived faster than they were read.
	dropped int

	filter models.LogFilter
	level  models.LogLevel
	prompt body.Prompt
	// filtering is true if the input is a filter, not a search.
	filtering bool
	// file is where the log was saved last.
	file   string
	closed bool
}

// nodeLog is the log of one node.
type nodeLog struct {
	node models.NodeRef
	// cancel stops following; nil while the node is not followed. turn numbers the followers: batches of earlier ones
	// are dropped.
	cancel context.CancelFunc
	turn   int
	lines  <-chan agentlog.Batch
	status map[models.LogSource]agentlog.Status
	// starts has the time of the first line of each boot.
	starts map[string]time.Time
	// last has the time of the last line of each boot. upTo is the copy of last from the time when following restarted:
	// the sources send lines up to upTo again, and the log skips them.
	last, upTo map[string]time.Time
	// keepalive is the text of the last keepalive.
	keepalive string
	// ended is true when the follower has ended.
	ended bool
	// serial is true if the serial console is read.
	serial bool
}

// New returns a log that follows nothing.
func New(env *screen.Env) *Log { return NewWithin(env, logview.Default) }

// NewWithin returns a log like New, with other limits.
func NewWithin(env *screen.Env, limits logview.Limits) *Log {
	return &Log{env: env, view: logview.New(limits), level: models.LogDebug}
}

type (
	// opened is the result of following a node.
	opened struct {
		of    *Log
		lane  int
		turn  int
		lines <-chan agentlog.Batch
	}
	// batchReceived is a batch of lines. last is true for the last batch of a follower.
	batchReceived struct {
		of    *Log
		lane  int
		turn  int
		batch agentlog.Batch
		last  bool
		// lines is the source of the batch.
		lines <-chan agentlog.Batch
	}
)

// Follow follows exactly these nodes from now on; existing lines stay.
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

// source returns the follower of logs, or nil.
func (l *Log) source() screen.Logs {
	if l.kept == nil && l.env.Session != nil {
		return l.env.Session.Logs
	}
	return l.followed
}

// Restart starts following again where a follower has ended.
func (l *Log) Restart(nodes ...models.NodeRef) tea.Cmd {
	for _, one := range l.nodeLogs {
		one.ended = false
	}
	return l.Follow(nodes...)
}

// laneOf returns the index of a node's log, which it adds if necessary.
func (l *Log) laneOf(n models.NodeRef) int {
	for i, one := range l.nodeLogs {
		if one.node.UUID == n.UUID {
			return i
		}
	}
	l.nodeLogs = append(l.nodeLogs, &nodeLog{node: n, status: map[models.LogSource]agentlog.Status{}, starts: map[string]time.Time{}, last: map[string]time.Time{}})
	names := make([]string, len(l.nodeLogs))
	for i, one := range l.nodeLogs {
		names[i] = printable.Line(one.node.Label())
	}
	l.view.SetLanes(names)
	return len(l.nodeLogs) - 1
}

// begin follows a node, in a command.
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
	return func() tea.Msg { return opened{of: l, lane: i, turn: turn, lines: logs.Follow(ctx, node, more...)} }
}

func (one *nodeLog) end() {
	if one.cancel != nil {
		one.cancel()
		one.cancel, one.lines = nil, nil
	}
}

// next waits for a batch. The follower closes the channel at its end.
func (l *Log) next(i int) tea.Cmd {
	one := l.nodeLogs[i]
	lines, turn := one.lines, one.turn
	return func() tea.Msg {
		b, ok := <-lines
		return batchReceived{of: l, lane: i, turn: turn, batch: b, last: !ok, lines: lines}
	}
}

// Update handles a message or a typed key; mine reports whether it was for this log.
func (l *Log) Update(msg tea.Msg) (mine bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case opened:
		if msg.of != l {
			return false, nil
		}
		one := l.nodeLogs[msg.lane]
		if msg.turn != one.turn || one.cancel == nil {
			return true, drain(msg.lines)
		}
		one.lines = msg.lines
		return true, l.next(msg.lane)
	case batchReceived:
		if msg.of != l {
			return false, nil
		}
		return true, l.receive(&msg)
	case serialWanted:
		if msg.of != l {
			return false, nil
		}
		return true, l.serial(msg.lane)
	case saving:
		if msg.of != l {
			return false, nil
		}
		return true, msg.cmd
	case saved:
		if msg.of != l {
			return false, nil
		}
		return true, l.saved(msg)
	case tea.KeyPressMsg, tea.PasteMsg:
		if !l.prompt.Typing() {
			return false, nil
		}
		l.typed(msg)
		return true, nil
	}
	return false, nil
}

// drain reads the rest of a canceled follower, which would otherwise block.
func drain(lines <-chan agentlog.Batch) tea.Cmd {
	return func() tea.Msg {
		for range lines { //nolint:revive // to the end
		}
		return nil
	}
}

func (l *Log) receive(msg *batchReceived) tea.Cmd {
	one := l.nodeLogs[msg.lane]
	switch {
	case msg.turn != one.turn || one.cancel == nil:
		if msg.last {
			return nil
		}
		return drain(msg.lines)
	case msg.last:
		one.end()
		one.ended = true
		return nil
	}
	l.addBatch(msg.lane, &msg.batch)
	return l.next(msg.lane)
}

// addBatch adds the lines and states of a batch.
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

// wasShown reports whether a line was shown before following restarted.
func (one *nodeLog) wasShown(line *models.LogLine) bool {
	upTo, known := one.upTo[line.Boot]
	return known && !line.Time.IsZero() && !line.Time.After(upTo)
}

// boot stores the time of a line, and returns the time of the first line of the same boot.
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

// viewLine converts a line for the view.
func viewLine(line *models.LogLine) logview.Line {
	return logview.Line{
		Time: line.Time, Level: logview.Level(max(line.Level, 0)), Tag: line.Unit, Text: line.Text, Mark: line.Known, //nolint:gosec // levels are few
		Origin: originOf(line.Source),
	}
}

func originOf(source models.LogSource) int {
	for i, s := range models.LogSources() {
		if s == source {
			return i
		}
	}
	return len(models.LogSources())
}

// lineOf converts a line of the view back to a log line, with the fields that filters use.
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

// narrow applies filter and level.
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

// Suspend stops following and drops the lines. Following again reloads the lines that the sources still have.
func (l *Log) Suspend() {
	for _, one := range l.nodeLogs {
		one.end()
		clear(one.last)
		clear(one.status)
		one.ended, one.serial = false, false
	}
	l.view.Clear()
}

// Rewound restarts the log after a jump back in a recording.
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

// Close stops following.
func (l *Log) Close() {
	l.closed = true
	l.env.Logs.Remove(l)
	for _, one := range l.nodeLogs {
		one.end()
	}
}
