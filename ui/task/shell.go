package task

import (
	"context"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// whyNoShell returns the reason why no shell can be opened on the nodes, or "" if it may be possible.
func (w *Workflow) whyNoShell(nodes []models.NodeRef) string {
	s := w.env.Session
	switch {
	case len(nodes) > 1:
		return textOneShell
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
		return textPoweredOff
	}
	if why := s.Shells.Refusal(&row.Node); why != nil {
		return why.WhyOnScreen()
	}
	return ""
}

// ShellMsg reports an event of a shell. The console passes it to [Workflow.UpdateShell].
type ShellMsg struct {
	node models.NodeRef
	// wait is the dialog shown while the shell is being connected. It is nil in the message that reports the end of
	// the shell.
	wait   *overlay.Wait
	ctx    context.Context //nolint:containedctx // of the shell's connection
	end    context.CancelFunc
	shell  screen.Shell // nil if connecting failed
	status int
	err    error
}

// openShell connects to the machine of a node. If an instance runs on it, openShell asks for the address, which
// Ironic does not know.
func (w *Workflow) openShell(node models.NodeRef) tea.Cmd {
	row, _, found := w.env.Session.Store.Get(node.UUID)
	switch {
	case !found:
		w.warn(fmt.Sprintf(textNodeIsGone, node.Label()))
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
	msg := ShellMsg{node: node, wait: overlay.NewWait("shell "+node.Label(), textConnecting, 1, cancel), ctx: ctx, end: cancel}
	shells := w.env.Session.Shells
	w.running.Add(1)
	open := func() tea.Msg {
		defer w.running.Done()
		msg.shell, msg.err = shells.Open(ctx, n, address)
		return msg
	}
	return tea.Batch(w.console.Show(msg.wait), open)
}

// UpdateShell hands the terminal to the shell once it is connected, or shows how the shell has ended.
func (w *Workflow) UpdateShell(msg ShellMsg) tea.Cmd {
	if msg.wait != nil && msg.err == nil && msg.ctx.Err() == nil {
		w.console.Dismiss(msg.wait)
		run := &shellRun{ctx: msg.ctx, shell: msg.shell, node: msg.node}
		return w.console.Exec(run, func(err error) tea.Msg {
			return ShellMsg{node: msg.node, shell: msg.shell, ctx: msg.ctx, end: msg.end, status: run.status, err: err}
		})
	}
	canceled := msg.ctx.Err() != nil // canceled by the operator or because the console ended
	msg.end()
	if msg.shell != nil {
		msg.shell.Close()
	}
	if msg.wait != nil {
		w.console.Dismiss(msg.wait)
	}
	switch {
	case canceled:
	case msg.err != nil:
		w.console.Say(failure("shell "+msg.node.Label(), msg.err))
	case msg.status != 0:
		w.warn(fmt.Sprintf(textShellStatus, msg.node.Label(), msg.status))
	default:
		w.console.Say(screen.Say{Text: fmt.Sprintf(textShellEnded, msg.node.Label())})
	}
	return nil
}

// shellRun is a shell that uses the terminal. Bubble Tea passes the terminal to it through the setters.
type shellRun struct {
	ctx    context.Context //nolint:containedctx // Bubble Tea calls Run without a context
	shell  screen.Shell
	node   models.NodeRef
	in     io.Reader
	out    io.Writer
	status int
}

// Run runs the shell. Until it ends, Ctrl-C goes to the machine.
func (r *shellRun) Run() (err error) {
	_, _ = fmt.Fprintf(r.out, textShellBegins, r.shell.Target(), printable.Line(r.node.Label()))
	if note := r.shell.Note(); note != "" {
		_, _ = fmt.Fprintln(r.out, note)
	}
	r.status, err = r.shell.AtTerminal(r.ctx, r.in, r.out, "")
	return err
}

// SetStdin sets the input, which is the terminal.
func (r *shellRun) SetStdin(in io.Reader) { r.in = in }

// SetStdout sets the output, which is the terminal.
func (r *shellRun) SetStdout(out io.Writer) { r.out = out }

// SetStderr does nothing, because a terminal has only one output.
func (*shellRun) SetStderr(io.Writer) {}
