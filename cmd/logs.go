package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/models"
	"ironworks/session"
)

type logsFlags struct {
	follow  bool
	since   string
	sources []string
	level   string
	filter  string
	address string
	archive string
	listen  string
	kept    bool
}

// logsOrder is what the flags of logs mean.
type logsOrder struct {
	logsFlags
	from   time.Time
	use    []models.LogSource
	least  models.LogLevel
	wanted models.LogFilter
}

func (a *app) logsCommand() *cobra.Command {
	var flags logsFlags
	cmd := &cobra.Command{
		Use:   "logs [NODE…]",
		Short: "Print what the ramdisks of nodes write",
		Long: "Print the log of the nodes' ramdisks: their journal over SSH, the journal that they push,\n" +
			"or what a conductor kept. Secrets in it are masked. Without -f it ends with what there is now.\n" +
			"--source serial reads the machine's serial console through Ironic, which enables it for that where it is not, and cuts off\n" +
			"whoever reads it now; in the end it is as it was.\n" +
			"Several nodes come as they come, each line with its node.\n" +
			"-o json prints one object a line: time, received, node {uuid, name}, source, unit, level (syslog's number), text,\n" +
			"boot, cursor, progress, known.\n" +
			"Why a source does not work is told on the error stream, with the way out; a node of which none works ends it with code 1.",
		Example: "  ironworks logs n1 -f\n  ironworks logs n1 n2 --since 10m --level warning\n" +
			"  ironworks logs n1 --archive /var/log/ironic/deploy -o json\n  ironworks logs --listen :6387\n" +
			"  ironworks logs n1 --kept --since 12h --level error",
		ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			order, err := flags.order(time.Now(), args)
			if err != nil {
				return err
			}
			if a.output == outputName {
				return usagef("-o name says nothing of a line; want table, json or yaml")
			}
			switch {
			case order.kept:
				return a.pastLogs(cmd, &order, args)
			case a.journalFile != "":
				return usagef("--journal goes with --kept")
			}
			return a.logs(cmd, order, args)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.follow, "follow", "f", false, "go on with what comes, until interrupted")
	f.StringVar(&flags.since, "since", "", "leave out what is older: 10m, 2h, or a time as in 2026-03-14T14:00:00Z")
	f.StringSliceVar(&flags.sources, "source", nil, "sources to use: ssh, push, archive, status, serial (default: those of the context, or all that can be used without serial)")
	f.StringVar(&flags.level, "level", "", "leave out what is less bad: critical, error, warning, notice, info")
	f.StringVar(&flags.filter, "filter", "", "print only some lines: text, unit:x, level:=warn, known:, !not, ~letters")
	f.StringVar(&flags.address, "address", "", "where the node's ramdisk is, instead of where its agent told Ironic (one NODE)")
	f.StringVar(&flags.archive, "archive", "", "folder or file with logs that a conductor kept, or ssh://[user@]host/path")
	f.BoolVar(&flags.kept, "kept", false, "print what the journal kept of the log; neither Ironic nor the machine is asked")
	a.journalFlag(f)
	f.StringVar(&flags.listen, "listen", "", "take the journals that ramdisks push at HOST:PORT, until interrupted; without a NODE those of all")
	return cmd
}

// order reads the flags.
func (f logsFlags) order(now time.Time, nodes []string) (logsOrder, error) {
	o := logsOrder{logsFlags: f, least: models.LogDebug}
	switch {
	case len(nodes) == 0 && f.listen == "":
		return o, usagef("whose log? name a NODE, or --listen for the journals that are pushed")
	case f.address != "" && len(nodes) != 1:
		return o, usagef("--address is that of one NODE")
	case f.kept && (f.follow || f.listen != "" || f.address != "" || f.archive != "" || len(f.sources) > 0):
		return o, usagef("--kept is what was kept of earlier: it goes with --since, --level, --filter and -o alone")
	}
	o.follow = o.follow || f.listen != ""
	var err error
	if o.from, err = sinceTime(f.since, now); err != nil {
		return o, err
	}
	if f.level != "" {
		if o.least, err = models.ParseLogLevel(f.level); err != nil {
			return o, usagef("--level: %w", err)
		}
	}
	if o.wanted, err = models.ParseLogFilter(f.filter); err != nil {
		return o, usagef("--filter: %w", err)
	}
	for _, name := range f.sources {
		switch s := models.LogSource(name); {
		case !slices.Contains(models.LogSources(), s):
			return o, usagef("--source %q: there are ssh, push, serial, archive, status", models.Printable(name))
		default:
			o.use = append(o.use, s)
		}
	}
	if slices.Contains(o.use, models.LogSerial) {
		if err := serialNeeds(nodes, o.follow); err != nil {
			return o, usagef("%w", err)
		}
	}
	return o, nil
}

// sinceTime reads how far back: a duration, or a time.
func sinceTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if age, err := models.ParseAge(text); err == nil {
		return now.Add(-age), nil
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if at, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usagef("--since %q: want 10m, 2h or a time as in 2026-03-14T14:00:00Z", models.Printable(text))
}

func (a *app) logs(cmd *cobra.Command, order logsOrder, names []string) error {
	s, err := a.connect(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := context.WithCancelCause(cmd.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop(nil)
	agents, err := a.agents(ctx, s, &order, names, &running)
	if err != nil {
		return err
	}
	way := session.LogsWay{
		Address: agents.of, Sources: order.use, Archive: order.archive, Since: order.from, Once: !order.follow, ServerClock: agents.skew,
	}
	if order.listen != "" {
		receiver, at, err := s.Receive(ctx, order.listen, stop, &running)
		if err != nil {
			return err
		}
		a.complain("taking pushed journals at %s", at)
		way.Push = receiver
	}
	kept := s.Journal(ctx)
	defer kept.Close()
	p := &logsPrinter{app: a, order: &order, stop: stop, status: map[string]map[models.LogSource]agentlog.Status{}, lines: map[string]int{}}
	follow := func(n models.NodeRef) <-chan agentlog.Batch {
		return session.KeepLines(ctx, session.LinesOf(kept), way.Push.Subscribe(ctx, n))
	}
	if len(names) > 0 {
		way.Serial = a.lends(s)
		follower, err := s.Follower(way)
		if err != nil {
			return err
		}
		logs := session.Kept(follower, session.LinesOf(kept))
		follow = func(n models.NodeRef) <-chan agentlog.Batch { return logs.Follow(ctx, n) }
	}
	// The zero node is all that push.
	nodes := []models.NodeRef{{}}
	if len(names) > 0 {
		nodes = agents.refs()
	}
	var printing sync.WaitGroup
	for _, n := range nodes {
		lines := follow(n)
		printing.Go(func() {
			for b := range lines {
				p.take(n, &b)
			}
		})
	}
	printing.Wait()
	switch cause := context.Cause(ctx); {
	case cmd.Context().Err() != nil && order.follow:
		return nil // Ctrl-C is how following ends
	case cause != nil:
		return cause
	}
	return p.verdict(nodes)
}

// agents knows where the ramdisks of some nodes are: as it was told at first, and what
// is heard of it later.
type agents struct {
	first []models.Node
	store *fleet.Store
	given string
}

// agents asks for the nodes, and follows them where the log is followed.
func (a *app) agents(ctx context.Context, s *session.Session, order *logsOrder, names []string, running *sync.WaitGroup) (*agents, error) {
	x := &agents{store: fleet.NewStore(), given: order.address}
	var uuids []string
	for _, name := range names {
		n, err := s.Client.Node(ctx, name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(uuids, n.UUID) {
			x.first, uuids = append(x.first, *n), append(uuids, n.UUID)
		}
	}
	if !order.follow || len(uuids) == 0 {
		return x, nil
	}
	lost := false
	poller := fleet.NewPoller(s.Client, x.store, fleet.Options{Clock: clock{}, Only: uuids})
	told := func(u fleet.Update) {
		if u.Status.Fault != nil && !lost {
			a.complain("lost contact with Ironic: %s; trying again every few seconds", reasonAndHint(u.Status.Fault))
		}
		lost = u.Status.Fault != nil
	}
	running.Go(func() { _ = poller.Run(ctx, told) }) // it ends with ctx; faults are told
	return x, nil
}

func (x *agents) refs() []models.NodeRef {
	refs := make([]models.NodeRef, len(x.first))
	for i := range x.first {
		refs[i] = x.first[i].Ref()
	}
	return refs
}

func (x *agents) of(n models.NodeRef) string {
	if x.given != "" {
		return x.given
	}
	if address := session.LastAgent(x.store)(n); address != "" {
		return address
	}
	i := slices.IndexFunc(x.first, func(f models.Node) bool { return f.UUID == n.UUID })
	if i < 0 || x.first[i].Internal == nil {
		return ""
	}
	return x.first[i].Internal.AgentURL
}

// skew is how far Ironic's clock is ahead, once it was heard.
func (x *agents) skew() (time.Duration, bool) {
	s := x.store.Status()
	return s.Skew, !s.Answered.IsZero()
}

// logsPrinter prints batches of several nodes.
type logsPrinter struct {
	app   *app
	order *logsOrder
	stop  context.CancelCauseFunc

	mu     sync.Mutex
	status map[string]map[models.LogSource]agentlog.Status // by the node's uuid
	lines  map[string]int                                  // that came, by the node's uuid
}

// take prints a batch. What cannot be written ends it all.
func (p *logsPrinter) take(n models.NodeRef, b *agentlog.Batch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range b.Status {
		p.tell(n, b.Status[i])
	}
	if b.Dropped > 0 {
		p.app.complain("%s: %d lines are not here: they came faster than they were taken", nodeLabel(n), b.Dropped)
	}
	for i := range b.Lines {
		if b.Lines[i].Source != models.LogStatus { // a sign of life is no log
			p.lines[n.UUID]++
		}
	}
	lines := slices.DeleteFunc(b.Lines, func(l models.LogLine) bool {
		return l.Level > p.order.least || !l.Time.IsZero() && l.Time.Before(p.order.from) || !p.order.wanted.Match(&l)
	})
	if err := p.app.printLines(lines); err != nil {
		p.stop(err)
	}
}

// tell says on the error stream what became of a source while it is followed.
func (p *logsPrinter) tell(n models.NodeRef, s agentlog.Status) {
	if n.UUID == "" {
		n = s.Node
	}
	if p.status[n.UUID] == nil {
		p.status[n.UUID] = map[models.LogSource]agentlog.Status{}
	}
	before, told := p.status[n.UUID][s.Source]
	p.status[n.UUID][s.Source] = s
	if !p.order.follow || s.State == agentlog.StateConnecting && s.Why == "" || told && before.State == s.State && before.Why == s.Why {
		return
	}
	p.app.complain("%s: %s", nodeLabel(n), sourceText(&s))
}

func nodeLabel(n models.NodeRef) string {
	if n.UUID == "" {
		return "pushed journals"
	}
	return models.Printable(n.Label())
}

// sourceText is a source, how it does, why, and the way out.
func sourceText(s *agentlog.Status) string {
	text := string(s.Source)
	if s.Address != "" {
		text += " " + s.Address
	}
	text += ": " + string(s.State)
	if s.Why != "" {
		text += ", " + s.Why
	}
	if s.WayOut != "" {
		text += " (" + s.WayOut + ")"
	}
	return models.Printable(text)
}

// verdict is nil when something was read of each node.
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
			if s, told := p.status[n.UUID][source]; told {
				why = append(why, "\n  "+sourceText(&s))
			}
		}
		failed = append(failed, nodeLabel(n)+": no source has a line of its log; --kept prints what was kept of earlier"+strings.Join(why, ""))
	}
	if failed == nil {
		return nil
	}
	return errors.New(strings.Join(failed, "\n"))
}

// printLines writes lines at once, whatever buffers there are.
func (a *app) printLines(lines []models.LogLine) error {
	out := bufio.NewWriter(a.stdout)
	for i := range lines {
		l := &lines[i]
		switch a.output {
		case outputJSON:
			data, err := json.Marshal(l)
			if err != nil {
				return err
			}
			_, _ = out.Write(append(harmlessJSON(data), '\n'))
		case outputYAML:
			if err := writeYAML(out, []*models.LogLine{l}); err != nil {
				return err
			}
		case outputTable, outputName, "":
			fmt.Fprintln(out, l.String())
		}
	}
	return out.Flush()
}
