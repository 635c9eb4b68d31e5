package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/session"
)

// watchPeriod is shorter than the console's: whoever watches wants to see states that
// scripts pass through in a fraction of a second. On a fleet whose answers take longer
// the poller's own bound, ten times the latency, is what counts.
const watchPeriod = 200 * time.Millisecond

type watchFlags struct {
	until    string
	timeout  time.Duration
	interval time.Duration
}

func (a *app) watchCommand() *cobra.Command {
	var flags watchFlags
	cmd := &cobra.Command{
		Use:   "watch [NODE…]",
		Short: "Print what happens to nodes as it happens",
		Long: "Print what happens to the nodes, or to all of them, until interrupted.\n" +
			"-o json prints one object a line: time, node {uuid, name}, kind, from, to, reason.\n" +
			"A resting state that passed between two looks is told with \"inferred\": true.",
		Example:           "  ironworks watch -o json\n  ironworks watch n1 n2 --until active --timeout 30m",
		ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			return a.watch(cmd, flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.until, "until", "", "end when every named node (or any, when none is named) is in this provision state")
	f.DurationVar(&flags.timeout, "timeout", 0, "end with exit code 1 after this long")
	f.DurationVar(&flags.interval, "interval", 0, "look this often (default 200ms), but not more often than every ten times the latency")
	return cmd
}

func (f *watchFlags) check() error {
	f.until = strings.ReplaceAll(f.until, "_", " ")
	if f.until != "" && !models.ProvisionState(f.until).Known() {
		alt := models.ProvisionState(strings.ReplaceAll(f.until, "-", " "))
		if !alt.Known() {
			return usagef("--until %q is not a provision state; there are %s", f.until, stateNames())
		}
		f.until = string(alt)
	}
	return nil
}

func stateNames() string {
	var names []string
	for _, s := range models.States() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// watcher prints events and knows when it is time to stop.
type watcher struct {
	app     *app
	store   *fleet.Store
	until   models.ProvisionState
	named   []string
	stop    context.CancelCauseFunc
	mu      sync.Mutex
	lost    bool
	ever    bool
	ready   bool
	failure error
}

// errReached ends a watch that has seen what it waited for.
var errReached = errors.New("reached")

func (a *app) watch(cmd *cobra.Command, flags watchFlags, names []string) error {
	s, err := a.connect(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := context.WithCancelCause(cmd.Context())
	defer stop(nil)
	if flags.timeout > 0 {
		timer := time.AfterFunc(flags.timeout, func() {
			stop(fmt.Errorf("watch: timed out after %s", flags.timeout))
		})
		defer timer.Stop()
	}
	slices.Sort(names)
	names = slices.Compact(names)
	period := flags.interval
	if period == 0 {
		period = watchPeriod
	}
	w := &watcher{app: a, store: fleet.NewStore(), until: models.ProvisionState(flags.until), named: names, stop: stop}
	kept := s.Journal(ctx)
	defer kept.Close()
	poller := fleet.NewPoller(s.Client, w.store, fleet.Options{
		Clock: clock{}, Fast: period, Idle: period, Only: names,
		GiveUp: func(*models.Fault) bool { return !w.ever },
	})
	var reading sync.WaitGroup
	reading.Go(func() { w.readLogs(ctx, kept) })
	err = poller.Run(ctx, func(u fleet.Update) {
		kept.Note(session.UpdateRecords(w.store, u))
		w.update(u)
	})
	cause := context.Cause(ctx)
	stop(nil)
	reading.Wait()
	switch {
	case errors.Is(cause, errReached):
		return nil
	case w.failure != nil:
		return w.failure
	case cmd.Context().Err() != nil:
		return nil // Ctrl-C is how a watch ends
	case cause != nil:
		return cause
	case err == nil:
		return errors.New("watch: every named node was deleted")
	}
	return err
}

// How often watch reads from the journal what ramdisks' logs tell, and of how many nodes at
// most that Ironic waits for.
const (
	logsPeriod = 2 * time.Second
	mostLogs   = 50
)

// readLogs tells the store what others keep of the logs of ramdisks that boot: the console, or
// ironworks logs. What cannot be read is not told.
func (w *watcher) readLogs(ctx context.Context, kept *journal.Journal) {
	from := map[string]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(logsPeriod):
		}
		left := mostLogs
		for _, row := range w.store.Rows(models.Filter{}, explain.Columns()[0], false) {
			uuid := row.Node.UUID
			if row.Node.ProvisionState.Class() != models.ClassWait {
				delete(from, uuid)
				continue
			}
			if left--; left < 0 {
				break
			}
			if from[uuid].IsZero() {
				from[uuid] = time.Now().Add(-session.LogReach)
			}
			var lines []models.LogLine
			for l, err := range kept.Lines(ctx, uuid, from[uuid], time.Time{}) {
				if err != nil {
					break
				}
				lines = append(lines, l)
			}
			if n := len(lines); n > 0 {
				if from[uuid] = lines[n-1].Time; from[uuid].IsZero() {
					from[uuid] = lines[n-1].Received
				}
				w.store.Heard(lines, w.store.Status().Skew)
			}
		}
	}
}

// update is called by the poller with what is new.
func (w *watcher) update(u fleet.Update) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connection(u.Status)
	for i := range u.Events {
		if err := w.app.printEvent(&u.Events[i]); err != nil {
			w.failure = err
			w.stop(err)
			return
		}
	}
	w.checkUntil(u.Events)
}

// connection tells on the error stream that contact was lost, and that it is back.
func (w *watcher) connection(s fleet.Status) {
	switch {
	case s.Connected:
		if w.lost {
			w.app.complain("connected again")
		}
		w.lost, w.ever = false, true
		if s.Complete && !w.ready {
			// For people, and for scripts that must not act before somebody looks.
			w.app.complain("watching %d nodes (API %s)", w.store.Len(), s.Version)
			w.ready = true
		}
	case w.ever && s.Fault != nil:
		if !w.lost {
			w.app.complain("lost contact: %s; trying again every few seconds", reasonAndHint(s.Fault))
		}
		w.lost = true
	}
}

func (w *watcher) checkUntil(events []models.Event) {
	if w.until == "" {
		return
	}
	for i := range events {
		e := &events[i]
		if e.Kind != models.EventProvisionState {
			continue
		}
		switch to := models.ProvisionState(e.To); {
		case len(w.named) == 0 && to == w.until:
			w.stop(errReached)
		case len(w.named) > 0 && to != w.until && to.Failed():
			w.failure = fmt.Errorf("watch: %s is %q and not %q: %s",
				models.Printable(e.Node.Label()), e.To, w.until, models.Printable(e.Reason))
			w.stop(w.failure)
		}
	}
	if len(w.named) > 0 && w.store.Status().Complete && w.allReached() {
		w.stop(errReached)
	}
}

func (w *watcher) allReached() bool {
	rows := w.store.Rows(models.Filter{}, explain.Columns()[0], false)
	for i := range rows {
		if rows[i].Node.ProvisionState != w.until {
			return false
		}
	}
	return len(rows) > 0
}

// printEvent writes one event at once, whatever buffers there are.
func (a *app) printEvent(e *models.Event) error {
	var line string
	switch a.output {
	case outputJSON:
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		line = string(harmlessJSON(data))
	case outputName:
		line = models.Printable(e.Node.Label())
	case outputYAML:
		var b strings.Builder
		if err := writeYAML(&b, []*models.Event{e}); err != nil {
			return err
		}
		line = strings.TrimRight(b.String(), "\n")
	case outputTable, "":
		line = eventLine(e)
	}
	_, err := fmt.Fprintln(a.stdout, line)
	return err
}

func eventLine(e *models.Event) string {
	return fmt.Sprintf("%s  %-16s  %s", e.Time.Local().Format("15:04:05"), models.Printable(e.Node.Label()), e.Text())
}
