package task

import (
	"bufio"
	"context"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/plugin"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen/review"
	"ironworks/ui/theme"
)

func (w *Workflow) beginPlugin(p *plugin.Plugin, nodes []models.NodeRef) tea.Cmd {
	f := w.newFlow(p.Name, w.env.Session, nodes)
	f.build = always(&provision.PluginAction{Plugin: *p, Selecting: w.env.Session.Options})
	f.command = func(names []string) []string { return append([]string{"run", p.Name}, names...) }
	return w.check(f)
}

// WhyNoPlugin returns the reason why a plugin cannot run on the nodes, or "" if it can.
func (w *Workflow) WhyNoPlugin(p *plugin.Plugin, nodes []models.NodeRef) string {
	switch why := w.env.WhyReadOnly(); {
	case w.env.Session == nil:
		return textNoContext
	case p.Changes && why != "":
		return why
	case len(nodes) == 0:
		return textNoNodeSelected
	}
	return ""
}

func (f *flow) plugin() *provision.PluginAction {
	p, _ := f.action.(*provision.PluginAction)
	return p
}

// changes reports whether read-only mode must refuse the action. It is false only for plugins that change nothing.
func changes(a provision.Action) bool {
	p, is := a.(*provision.PluginAction)
	return !is || p.Plugin.Changes
}

// pluginQuestion shows the program's command lines. It is nil if no confirmation is wanted and no node was refused.
func (f *flow) pluginQuestion() *overlay.Question {
	act, legal, refused := f.plugin(), f.batch.Legal(), f.batch.Refused()
	if act.Plugin.Consent == models.ConsentNone && len(refused) == 0 {
		return nil
	}
	what := act.Name() + " " + review.Names(legal)
	q := &overlay.Question{Title: what, Ask: what + "?"}
	for i := range legal {
		if i == enrollListed {
			q.Lines = append(q.Lines, overlay.Text{Text: fmt.Sprintf("… and %d more", len(legal)-i)})
			break
		}
		q.Lines = append(q.Lines, overlay.Text{Role: theme.Strong, Text: legal[i].Node.Label()}, overlay.Text{Text: "  " + act.CommandLine(&legal[i].Node), Indent: 4})
	}
	if len(refused) > 0 {
		q.Lines = append(q.Lines, overlay.Text{}, overlay.Text{Role: theme.Warn, Text: fmt.Sprintf(textSkippedNodes, len(refused))})
		q.Lines = append(q.Lines, refusals(refused)...)
	}
	wantConsent(q, f.batch)
	return q
}

// takeTerminal runs a program that uses the terminal. The console is hidden until the program ends.
func (w *Workflow) takeTerminal(f *flow) tea.Cmd {
	ctx, cancel := context.WithCancel(w.ctx)
	list, number := w.env.Tasks, f.task.Number
	run := &atTerminal{ctx: ctx, act: f.plugin(), runner: f.runner, batch: f.batch}
	return w.console.Exec(run, func(err error) tea.Msg {
		cancel()
		if run.results == nil {
			for i := range f.batch.Items {
				run.results = append(run.results, provision.Result{Node: f.batch.Items[i].Node.Ref(), Outcome: provision.OutcomeFailed, Err: fmt.Errorf("%s: cannot hand over the terminal: %w", f.action.Name(), err)})
			}
		}
		list.End(number, run.results)
		return f.event(stateRunning, func() tea.Cmd { return w.ended(f) })
	})
}

// Terminal holds the terminal that Bubble Tea passes to the program in which it is embedded.
type Terminal struct{ plugin.Output }

// SetStdin sets the input.
func (t *Terminal) SetStdin(in io.Reader) { t.In = in }

// SetStdout sets the output.
func (t *Terminal) SetStdout(out io.Writer) { t.Out = out }

// SetStderr sets the output for errors.
func (t *Terminal) SetStderr(out io.Writer) { t.Err = out }

// atTerminal is a plugin that uses the terminal.
type atTerminal struct {
	Terminal
	ctx     context.Context //nolint:containedctx // Bubble Tea calls Run without a context
	act     *provision.PluginAction
	runner  provision.Runner
	batch   provision.Batch
	results []provision.Result
}

// Run runs the program for each node in turn. Until it ends, Ctrl-C goes to the program.
func (a *atTerminal) Run() error {
	a.results = a.act.Run(a.ctx, &a.runner, a.batch, &a.Output, provision.RunOptions{})
	for _, r := range a.results {
		if r.Err != nil {
			_, _ = fmt.Fprintln(a.Out, models.OnScreen(r.Err))
		}
	}
	if a.act.Plugin.Pause && a.ctx.Err() == nil {
		_, _ = fmt.Fprint(a.Out, "\nPress enter to return to the console. ")
		a.enter()
	}
	return nil
}

// enter waits until enter is pressed or the console ends.
func (a *atTerminal) enter() {
	pressed := make(chan struct{})
	go func() {
		defer close(pressed)
		_, _ = bufio.NewReader(a.In).ReadString('\n')
	}()
	select {
	case <-pressed:
	case <-a.ctx.Done():
	}
}
