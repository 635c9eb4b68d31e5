package show

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/session"
)

// watchPeriod is the polling interval. It is shorter than the console's, so that states that last only a fraction of
// a second are seen. The poller's period is never shorter than ten times the latency.
const watchPeriod = 200 * time.Millisecond

type watchFlags struct {
	until    string
	timeout  time.Duration
	interval time.Duration
}

func (a *app) watchCommand() *cobra.Command {
	var flags watchFlags
	cmd := &cobra.Command{
		Use:               "watch [NODE…]",
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			return a.Online(func(cmd *cobra.Command, s *session.Session, names []string) error {
				w := &watcher{app: a}
				w.show = w.printEvents
				return w.watch(cmd, s, flags, names)
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.until, "until", "", "provision state to wait for, in all named nodes, or in any node if none is named")
	f.DurationVar(&flags.timeout, "timeout", 0, "time limit; exit code 1 when it expires")
	f.DurationVar(&flags.interval, "interval", 0, "polling interval (default 200ms), at least ten times the latency")
	return cmd
}

func (f *watchFlags) check() error {
	if f.until == "" {
		return nil
	}
	state, err := cli.ParseState("--until", f.until)
	f.until = string(state)
	return err
}

// watcher prints changes to nodes. It ends when the awaited state is reached.
type watcher struct {
	app *app
	// show prints the changes found by a poll. fields lists the API fields to fetch in addition to
	// [models.ListFields].
	show   func(u fleet.Update) error
	fields []string

	store         *fleet.Store
	until         models.ProvisionState
	named         []string
	stop          context.CancelCauseFunc
	mu            sync.Mutex
	disconnected  bool
	everConnected bool
	ready         bool
	failure       error
}

// errReached ends a watch whose nodes have reached the awaited state.
var errReached = errors.New("reached")

// watch polls the named nodes, or all nodes, until the command is interrupted or the awaited state is reached.
func (w *watcher) watch(cmd *cobra.Command, s *session.Session, flags watchFlags, names []string) error {
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
	w.store, w.until, w.named, w.stop = fleet.NewStore(), models.ProvisionState(flags.until), names, stop
	kept := s.Journal(ctx)
	defer kept.Close()
	poller := fleet.NewPoller(s.Client, w.store, fleet.Options{
		Fast: period, Idle: period, Only: names, Fields: w.fields,
		GiveUp: func(*models.Fault) bool { return !w.everConnected },
	})
	var reading sync.WaitGroup
	reading.Go(func() { session.AddRecordedLines(ctx, kept, w.store) })
	err := poller.Run(ctx, func(u fleet.Update) {
		kept.Record(session.UpdateRecords(w.store, u))
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
		return nil // a watch ends normally on Ctrl-C
	case cause != nil:
		return cause
	case err == nil:
		return errors.New("watch: every named node was deleted")
	}
	return err
}

// update prints the changes found by a poll. It ends the watch if printing fails, if a named node fails, or if the
// awaited state is reached.
func (w *watcher) update(u fleet.Update) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connection(u.Status)
	if err := w.show(u); err != nil {
		w.failure = err
		w.stop(err)
		return
	}
	w.checkUntil(u.Events)
}

func (w *watcher) printEvents(u fleet.Update) error {
	for i := range u.Events {
		e := &u.Events[i]
		text := fmt.Sprintf("%s  %-16s  %s", e.Time.Local().Format("15:04:05"), e.Node.Label(), e.Text())
		if err := w.app.WriteItem(w.app.Stdout, e, e.Node.Label(), text); err != nil {
			return err
		}
	}
	return nil
}

// connection prints connection losses and reconnects to stderr.
func (w *watcher) connection(s fleet.Status) {
	switch {
	case s.Connected:
		if w.disconnected {
			w.app.PrintMessage("reconnected")
		}
		w.disconnected, w.everConnected = false, true
		if s.Complete && !w.ready {
			// Scripts wait for this line before they act.
			w.app.PrintMessage("watching %s (API %s)", models.Counted(w.store.Len(), "node"), s.Version)
			w.ready = true
		}
	case w.everConnected && s.Fault != nil:
		if !w.disconnected {
			w.app.PrintMessage("connection lost: %s; reconnecting every few seconds", s.Fault.ReasonAndHint())
		}
		w.disconnected = true
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
			w.failure = fmt.Errorf("watch: %s is %q, not %q: %s",
				e.Node.Label(), e.To, w.until, e.Reason)
			w.stop(w.failure)
		}
	}
	if len(w.named) > 0 && w.store.Status().Complete && w.allReached() {
		w.stop(errReached)
	}
}

func (w *watcher) allReached() bool {
	rows := w.store.Rows(filter.Filter{}, explain.Columns()[0], false)
	left := func(r *models.Row) bool { return r.Node.ProvisionState != w.until }
	return len(rows) > 0 && !slices.ContainsFunc(rows, left)
}
