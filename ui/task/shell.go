package task

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

func (w *Workflow) whyNoShell(nodes []models.NodeRef) string {
	s := w.env.Session
	switch {
	case len(nodes) > 1:
		return "one node at a time: the shell takes over the terminal"
	case s == nil:
		return textNoContext
	case s.Shells == nil:
		return textNoShells
	}
	row, _, found := s.Store.Get(nodes[0].UUID)
	if !found {
		return ""
	}
	if row.Node.PowerState == models.PowerOff {
		return "the machine is powered off"
	}
	if why := s.Shells.Refusal(&row.Node); why != nil {
		return why.WhyOnScreen()
	}
	return ""
}

// openShell connects to a node's machine. It asks for an instance's address, which Ironic does not know.
func (w *Workflow) openShell(node models.NodeRef) tea.Cmd {
	row, _, found := w.env.Session.Store.Get(node.UUID)
	switch {
	case !found:
		w.warn(fmt.Sprintf("shell %s: the node no longer exists", node.Label()))
		return nil
	case !row.Node.RunsInstance():
		return w.connectShell(&row.Node, "")
	}
	field := form.Field{
		Key: fieldAddress, Label: "Address", Required: true, Value: w.env.Session.Shells.Host(node), Placeholder: "HOST", Help: textInstanceAddress,
	}
	return w.console.Show(overlay.NewForm("shell "+node.Label(), []form.Field{field}, func(v map[string]string) (tea.Cmd, string, string) {
		return w.connectShell(&row.Node, v[fieldAddress]), "", ""
	}))
}

// connectShell opens a shell on the machine of a node. If address is empty, it uses the last known address.
func (w *Workflow) connectShell(n *models.Node, address string) tea.Cmd {
	node := n.Ref()
	ctx, cancel := context.WithCancel(w.ctx)
	run := &shellRun{ctx: ctx, end: cancel, node: node}
	wait := overlay.NewWait("shell "+node.Label(), "Connecting to the machine.", 1, cancel)
	shells := w.env.Session.Shells
	w.running.Add(1)
	open := func() tea.Msg {
		defer w.running.Done()
		var err error
		run.shell, err = shells.Open(ctx, n, address)
		return Msg{handle: func() tea.Cmd {
			w.console.Dismiss(wait)
			if err != nil || ctx.Err() != nil {
				w.shellEnded(run, err)
				return nil
			}
			return w.console.Exec(run, func(err error) tea.Msg {
				return Msg{handle: func() tea.Cmd {
					w.shellEnded(run, err)
					return nil
				}}
			})
		}}
	}
	return tea.Batch(w.console.Show(wait), open)
}

func (w *Workflow) shellEnded(run *shellRun, err error) {
	canceled := run.ctx.Err() != nil // canceled by the operator or because the console ended
	run.end()
	if run.shell != nil {
		run.shell.Close()
	}
	label := run.node.Label()
	switch {
	case canceled:
	case err != nil:
		w.console.Say(failure("shell "+label, err))
	case run.status != 0:
		w.warn(fmt.Sprintf("shell %s: exit status %d", label, run.status))
	default:
		w.console.Say(screen.Say{Text: fmt.Sprintf("shell %s: closed", label)})
	}
}

// shellRun is a shell that uses the terminal.
type shellRun struct {
	Terminal
	ctx    context.Context //nolint:containedctx // Bubble Tea calls Run without a context
	end    context.CancelFunc
	shell  screen.Shell // nil if connecting failed
	node   models.NodeRef
	status int
}

// Run runs the shell. Until it ends, Ctrl-C goes to the machine.
func (r *shellRun) Run() (err error) {
	_, _ = fmt.Fprintf(r.Out, textShellBegins, r.shell.Target(), printable.Line(r.node.Label()))
	if note := r.shell.Note(); note != "" {
		_, _ = fmt.Fprintln(r.Out, note)
	}
	r.status, err = r.shell.AtTerminal(r.ctx, r.In, r.Out, "")
	return err
}

func (w *Workflow) whyNoWebConsole(nodes []models.NodeRef) string {
	switch {
	case len(nodes) > 1:
		return textOneNodeOnly
	case w.env.Session == nil:
		return textNoContext
	case w.env.Session.Consoles == nil:
		return textNoShells
	}
	return ""
}

// openWebConsole shows the URL of a node's graphical console. If the graphical console had to be enabled first, it is
// disabled again when the operator presses x, or when ironworks ends.
func (w *Workflow) openWebConsole(node models.NodeRef) tea.Cmd {
	ctx, consoles := w.ctx, w.env.Session.Consoles
	w.console.Say(screen.Say{Text: fmt.Sprintf("console %s: opening…", node.Label())})
	w.running.Add(1)
	return func() tea.Msg {
		defer w.running.Done()
		page, err := consoles.OpenGraphical(ctx, node)
		if err != nil {
			return failure("console "+node.Label(), err)
		}
		return screen.Ask{Overlay: consoleNote(ctx, node, page)}
	}
}

func consoleNote(ctx context.Context, node models.NodeRef, page *provision.GraphicalConsole) *overlay.Note {
	url := page.Address()
	lines := []overlay.Text{{Text: url.Reveal()}, {}, {Role: theme.Muted, Text: textConsoleURL}}
	choices := []overlay.Choice{{Key: "y", Text: textCopyURL, Then: screen.Send(screen.CopyText{Copyable: screen.Copyable{Name: "URL", Text: url.Reveal()}})}}
	if page.Enabled() {
		lines = append(lines, overlay.Text{Role: theme.Muted, Text: textConsoleEnabled})
		choices = append(choices, overlay.Choice{Key: "x", Text: "disable console", Then: func() tea.Msg {
			if err := page.Close(ctx); err != nil {
				return failure("console "+node.Label(), err)
			}
			return screen.Say{Level: screen.Success, Text: fmt.Sprintf("console %s: disabled", node.Label())}
		}})
	}
	return overlay.NewNote("console "+node.Label(), lines).With(choices...)
}
