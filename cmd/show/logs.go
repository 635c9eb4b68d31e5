package show

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ironworks/agentlog"
	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/session"
)

// logsFlags holds the flags of the logs command. The embedded LogsOrder holds the flags that need no parsing.
type logsFlags struct {
	session.LogsOrder
	since, level, filter string
	sources              []string
	kept                 bool
}

type logsOrder struct {
	session.LogsOrder
	kept   bool
	least  models.LogLevel
	wanted filter.LogFilter
}

func (a *app) logsCommand() *cobra.Command {
	var flags logsFlags
	cmd := &cobra.Command{
		Use:               "logs [NODE…]",
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			order, err := flags.parse(time.Now(), args)
			if err != nil {
				return err
			}
			if a.Output == cli.OutputName {
				return cli.Usagef("-o name: log lines have no name; use table, json or yaml")
			}
			switch {
			case order.kept:
				return a.pastLogs(cmd, &order, args)
			case a.JournalFile != "":
				return cli.Usagef("--journal needs --kept")
			}
			return a.Online(func(cmd *cobra.Command, s *session.Session, names []string) error {
				return a.logs(cmd, s, order, names)
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.Follow, "follow", "f", false, "follow the log until interrupted")
	f.StringVar(&flags.since, "since", "", "age or time of the oldest line: 10m, 2h, 2026-03-14T14:00:00Z")
	f.StringSliceVar(&flags.sources, "source", nil, "log sources: ssh, push, archive, status, serial (default: logs.sources of the context, or all available except serial)")
	f.StringVar(&flags.level, "level", "", "minimum level: critical, error, warning, notice, info, debug")
	f.StringVar(&flags.filter, "filter", "", "filter for lines: text, unit:x, level:=warn, known:, !not, ~letters")
	f.StringVar(&flags.Address, "address", "", "address of the ramdisk of one NODE (default: the address of its agent)")
	f.StringVar(&flags.Archive, "archive", "", "directory or file of logs that a conductor archived, or ssh://[user@]host/path")
	f.BoolVar(&flags.kept, "kept", false, "print the log lines of the journal, offline")
	a.JournalFlag(f)
	f.StringVar(&flags.Listen, "listen", "", "HOST:PORT to receive pushed journals on, until interrupted; from all machines if no NODE is given")
	return cmd
}

// parse converts the flags to an order. It rejects invalid and contradictory flags.
func (f logsFlags) parse(now time.Time, nodes []string) (logsOrder, error) {
	o := logsOrder{LogsOrder: f.LogsOrder, kept: f.kept, least: models.LogDebug}
	switch {
	case len(nodes) == 0 && f.Listen == "":
		return o, cli.Usagef("give a NODE, or --listen to receive pushed journals")
	case f.Address != "" && len(nodes) != 1:
		return o, cli.Usagef("--address needs exactly one NODE")
	case f.kept && (f.Follow || f.Listen != "" || f.Address != "" || f.Archive != "" || len(f.sources) > 0):
		return o, cli.Usagef("--kept reads the journal: only --since, --level, --filter, --journal and -o apply")
	}
	o.Follow = o.Follow || f.Listen != ""
	var err error
	if o.Since, err = cli.TimeFlag("--since", f.since, now); err != nil {
		return o, err
	}
	if f.level != "" {
		if o.least, err = models.ParseLogLevel(f.level); err != nil {
			return o, cli.Usagef("--level: %w", err)
		}
	}
	if o.wanted, err = filter.ParseLogFilter(f.filter); err != nil {
		return o, cli.Usagef("--filter: %w", err)
	}
	for _, name := range f.sources {
		switch s := models.LogSource(name); {
		case !slices.Contains(models.LogSources(), s):
			return o, cli.Usagef("--source %q: must be ssh, push, serial, archive or status%s", name, cli.DidYouMean(name, models.LogSources()))
		default:
			o.Sources = append(o.Sources, s)
		}
	}
	switch serial := slices.Contains(o.Sources, models.LogSerial); {
	case serial && len(nodes) == 0:
		return o, cli.Usagef("--source serial: no NODE given")
	case serial && !o.Follow:
		return o, cli.Usagef("--source serial: a serial console has no past lines; pass -f to follow it")
	}
	return o, nil
}

func (a *app) logs(cmd *cobra.Command, s *session.Session, order logsOrder, names []string) error {
	ctx, stop := context.WithCancelCause(cmd.Context())
	defer stop(nil)
	logs, err := s.Logs(ctx, names, order.LogsOrder, stop, func(text string) { a.PrintMessage("%s", text) })
	if err != nil {
		return err
	}
	defer func() {
		stop(nil)
		logs.Close()
	}()
	p := newLogsPrinter(a, &order, stop)
	var printing sync.WaitGroup
	for _, n := range logs.Nodes {
		lines := logs.Follow(n)
		printing.Go(func() {
			for b := range lines {
				p.printBatch(n, &b)
			}
		})
	}
	printing.Wait()
	switch cause := context.Cause(ctx); {
	case cmd.Context().Err() != nil && order.Follow:
		return nil // following ends normally on Ctrl-C
	case cause != nil:
		return cause
	}
	return p.verdict(logs.Nodes)
}

type logsPrinter struct {
	app   *app
	order *logsOrder
	stop  context.CancelCauseFunc

	mu     sync.Mutex
	status map[string]map[models.LogSource]agentlog.Status // by the node's uuid
	lines  map[string]int                                  // number of received lines, by the node's uuid
}

func newLogsPrinter(a *app, order *logsOrder, stop context.CancelCauseFunc) *logsPrinter {
	return &logsPrinter{app: a, order: order, stop: stop, status: map[string]map[models.LogSource]agentlog.Status{}, lines: map[string]int{}}
}

// printBatch prints a batch. If a write fails, it stops the command.
func (p *logsPrinter) printBatch(n models.NodeRef, b *agentlog.Batch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range b.Status {
		p.printStatus(n, b.Status[i])
	}
	if b.Dropped > 0 {
		p.app.PrintMessage("%s: %s dropped: the log is faster than the output can be written", nodeLabel(n), models.Counted(b.Dropped, "line"))
	}
	for i := range b.Lines {
		if b.Lines[i].Source != models.LogStatus { // a status line from the agent is a sign of life, not a log line
			p.lines[n.UUID]++
		}
	}
	lines := slices.DeleteFunc(b.Lines, func(l models.LogLine) bool {
		return l.Level > p.order.least || !l.Time.IsZero() && l.Time.Before(p.order.Since) || !p.order.wanted.Match(&l)
	})
	if err := p.app.printLines(lines); err != nil {
		p.stop(err)
	}
}

// printStatus prints the changed status of a followed source to stderr.
func (p *logsPrinter) printStatus(n models.NodeRef, s agentlog.Status) {
	if n.UUID == "" {
		n = s.Node
	}
	if p.status[n.UUID] == nil {
		p.status[n.UUID] = map[models.LogSource]agentlog.Status{}
	}
	before, had := p.status[n.UUID][s.Source]
	p.status[n.UUID][s.Source] = s
	if !p.order.Follow || s.State == agentlog.StateConnecting && s.Reason == "" || had && before.State == s.State && before.Reason == s.Reason {
		return
	}
	p.app.PrintMessage("%s: %s", nodeLabel(n), sourceText(&s))
}

func nodeLabel(n models.NodeRef) string {
	if n.UUID == "" {
		return "pushed journals"
	}
	return n.Label()
}

// sourceText returns the name, the state, the reason and the remedy of a source.
func sourceText(s *agentlog.Status) string {
	text := s.Text(string(s.Source))
	if s.Remedy != "" {
		text += " (" + s.Remedy + ")"
	}
	return text
}

// verdict returns an error that names the nodes without log lines, and the status of their log sources.
func (p *logsPrinter) verdict(nodes []models.NodeRef) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var failed []string
	for _, n := range nodes {
		if p.lines[n.UUID] > 0 || n.UUID == "" {
			continue
		}
		var why []string
		for _, source := range models.LogSources() {
			if s, found := p.status[n.UUID][source]; found {
				why = append(why, "\n  "+sourceText(&s))
			}
		}
		failed = append(failed, nodeLabel(n)+": no source has log lines; --kept prints the lines of the journal"+strings.Join(why, ""))
	}
	if failed == nil {
		return nil
	}
	return errors.New(strings.Join(failed, "\n"))
}

// printLines writes and flushes lines.
func (a *app) printLines(lines []models.LogLine) error {
	out := bufio.NewWriter(a.Stdout)
	for i := range lines {
		if err := a.WriteItem(out, &lines[i], "", lines[i].String()); err != nil {
			return err
		}
	}
	return out.Flush()
}

const linesAtOnce = 1000

// pastLogs prints the log lines of the journal, one node after the other.
func (a *app) pastLogs(cmd *cobra.Command, order *logsOrder, names []string) error {
	kept, cfg, err := a.OfflineJournal(cmd)
	if err != nil {
		return err
	}
	defer kept.Close()
	ctx := cmd.Context()
	for _, name := range names {
		node, err := a.JournalNode(ctx, kept, name)
		if err != nil {
			return err
		}
		var lines []models.LogLine
		found := 0
		for l, err := range kept.Lines(ctx, node.UUID, order.Since, time.Time{}) {
			if err != nil {
				return err
			}
			if found++; l.Level > order.least || !order.wanted.Match(&l) {
				continue
			}
			if lines = append(lines, l); len(lines) >= linesAtOnce {
				if err := a.printLines(lines); err != nil {
					return err
				}
				lines = lines[:0]
			}
		}
		if err := a.printLines(lines); err != nil {
			return err
		}
		if found == 0 {
			return fmt.Errorf("the journal of context %[2]s has no log lines of node %[1]s; the console and ironworks logs record lines while they follow a log",
				name, cfg.Current.Name)
		}
	}
	return nil
}
