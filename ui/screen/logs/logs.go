// Package logs shows the logs of one or more nodes, and the sources of these logs. The operator can search and filter
// the lines.
package logs

import (
	"context"
	"maps"
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
	followed screen.Logs
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

// nodeLog holds one node's sources, their states, and the progress of reading its log.
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

type (
	// opened is the message that reports that the log has started following a node. lines is the channel on which the
	// node's log arrives.
	opened struct {
		of    *Log
		lane  int
		turn  int
		lines <-chan agentlog.Batch
	}
	// batchReceived contains a batch of lines. If last is true, the follower has ended and there are no more batches.
	batchReceived struct {
		of    *Log
		lane  int
		turn  int
		batch agentlog.Batch
		last  bool
		// lines is the channel that the batch was received from.
		lines <-chan agentlog.Batch
	}
)

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
func (l *Log) source() screen.Logs {
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

// begin returns a command that starts following the node with index i.
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

// next returns a command that waits for the next batch. The follower closes the channel when it ends.
func (l *Log) next(i int) tea.Cmd {
	one := l.nodeLogs[i]
	lines, turn := one.lines, one.turn
	return func() tea.Msg {
		b, ok := <-lines
		return batchReceived{of: l, lane: i, turn: turn, batch: b, last: !ok, lines: lines}
	}
}

// Update handles a message or a typed key. mine reports whether the message was meant for this log.
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

// drain discards the remaining batches of a canceled follower, which would otherwise block.
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

// viewLine converts a log line to a line of the view.
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

// lineOf converts a line of the view back to a log line. It sets only the fields that filters and the text format
// use.
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

// narrow applies the filter and the minimum level to the view.
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

// Suspend stops following and drops the lines. When the log is followed again, it reloads the lines that the sources
// still have.
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
