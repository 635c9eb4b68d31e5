package task

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/mailbox"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// cardsAtMost is the maximum number of nodes that a confirmation shows with all details.
const cardsAtMost = 5

type checksDone struct {
	action provision.Action
	batch  provision.Batch
	disks  map[string][]models.Detail
	err    error
}

// sendCheck returns a command that starts the checks when the form has been completed.
func (w *Workflow) sendCheck(f *flow) tea.Cmd {
	return f.send(stateArguments, func() tea.Cmd { return w.check(f) })
}

// check reads the nodes again and plans the requests. For a deployment, it runs all checks. Nothing is kept from
// earlier checks except the overrides of this flow.
func (w *Workflow) check(f *flow) tea.Cmd {
	f.state = stateChecking
	ctx, cancel := context.WithCancel(w.ctx)
	box := mailbox.New[int]()
	act, build, overrides := f.action, f.build, f.overrides
	session, runner := f.session, f.runner
	ids := uuids(f.nodes)
	w.running.Add(1)
	ended := func(done checksDone) tea.Msg {
		return f.event(stateChecking, func() tea.Cmd { return w.checksDone(f, done) })
	}
	work := func() tea.Msg {
		defer w.running.Done()
		defer cancel()
		defer box.Close()
		if act == nil { // the action of an earlier check is reused, because it knows the instances that it assigned to nodes
			var err error
			if act, err = build(); err != nil {
				return ended(checksDone{err: err})
			}
		}
		if d, is := act.(*provision.DeployAction); is {
			d = d.WithOverrides(overrides)
			d.OnChecked(func(models.NodeRef) { box.Put(func(n *int) { *n++ }) })
			act = d
		}
		runner.ReadOnly = runner.ReadOnly && changes(act)
		done := checksDone{action: act}
		done.batch, done.err = runner.Prepare(ctx, act, ids)
		if done.err == nil {
			done.disks = disksOf(ctx, session.API, done.batch)
		}
		return ended(done)
	}
	if !f.checked {
		if len(f.nodes) > 1 {
			w.console.Say(screen.Say{Text: fmt.Sprintf("%s: reading %d nodes…", f.name, len(f.nodes))})
		}
		return work
	}
	f.wait = overlay.NewWait(f.name+" "+nodesText(f.nodes), textRunningChecks, len(f.nodes), func() {
		cancel()
		f.state = stateCanceled
	})
	return tea.Batch(w.console.Show(f.wait), work, w.listenChecks(f, box))
}

// listenChecks shows the progress of the checks. box counts the nodes that have been checked since it was last read.
func (w *Workflow) listenChecks(f *flow, box *mailbox.Box[int]) tea.Cmd {
	ctx := w.ctx
	return func() tea.Msg {
		n, ok := box.Take(ctx)
		if !ok {
			return nil
		}
		return f.event(stateChecking, func() tea.Cmd { //nolint:contextcheck // Update calls it
			f.wait.Done += n
			return w.listenChecks(f, box)
		})
	}
}

// disksOf reads the disks of some nodes that may be erased, except in deployments, whose reviews show them.
func disksOf(ctx context.Context, api provision.DiskReader, batch provision.Batch) map[string][]models.Detail {
	disks := map[string][]models.Detail{}
	if _, is := batch.Action.(*provision.DeployAction); is || api == nil {
		return disks
	}
	for _, i := range batch.Legal() {
		if i.Effect.Danger >= models.DangerMayErase && len(disks) < cardsAtMost {
			disks[i.Node.UUID] = provision.Disks(ctx, api, batch.Action, &i.Node)
		}
	}
	return disks
}

// checksDone shows why nodes were refused, or asks for confirmation.
func (w *Workflow) checksDone(f *flow, done checksDone) tea.Cmd {
	if f.wait != nil {
		w.console.Dismiss(f.wait)
		f.wait = nil
	}
	if done.err != nil {
		w.console.Say(failure(f.name, done.err))
		return nil
	}
	f.action, f.batch, f.disks = done.action, done.batch, done.disks
	refused := f.batch.Refused()
	switch {
	case f.checked && len(refused) > 0:
		return w.showRefused(f)
	case len(f.batch.Legal()) > 0:
		return w.confirm(f)
	case len(refused) == 1:
		w.warn(refused[0].Refusal.OnScreen())
		return nil
	}
	lines := []overlay.Text{{Text: "Nothing was sent:"}, {}}
	return w.console.Show(overlay.NewNote(f.name+": refused", append(lines, refusals(refused)...)))
}

func failure(what string, err error) screen.Say {
	s := screen.Say{Level: screen.Failure, Text: models.OnScreen(err)}
	if !strings.Contains(s.Text, what) {
		s.Text = what + ": " + s.Text
	}
	return s
}

func (w *Workflow) validate(node models.NodeRef) tea.Cmd {
	w.console.Say(screen.Say{Text: "validate " + node.Label() + ": validating interfaces…"})
	ctx, api := w.ctx, w.env.Session.API
	return func() tea.Msg {
		list, err := api.Validate(ctx, node.UUID)
		if err != nil {
			return failure("validate "+node.Label(), err)
		}
		return screen.Ask{Overlay: overlay.NewNote("validate "+node.Label(), verdicts(list))}
	}
}

// verdicts formats validation results. Failures that prevent a deployment come first.
func verdicts(list []models.Validation) []overlay.Text {
	var bad, good, other []overlay.Text
	for _, v := range list {
		line := func(r theme.Role, glyph, text string) overlay.Text {
			return overlay.Text{Role: r, Text: fmt.Sprintf("%s %-11s %s", glyph, v.Interface, text), Indent: 14}
		}
		switch {
		case v.Unsupported():
			other = append(other, line(theme.Muted, " ", "not supported"))
		case *v.Result:
			good = append(good, line(theme.Good, theme.GlyphDone, "ok"))
		case models.NeededToDeploy(v.Interface):
			bad = append(bad, line(theme.Bad, theme.GlyphFailed, v.Reason))
		default:
			other = append(other, line(theme.Warn, theme.GlyphMaint, v.Reason))
		}
	}
	return append(append(bad, good...), other...)
}

func uuids(nodes []models.NodeRef) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.UUID
	}
	return ids
}
