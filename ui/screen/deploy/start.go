package deploy

import (
	"fmt"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/review"
)

// goodFor is the maximum age of the checks' results when a deployment starts.
const goodFor = 2 * time.Minute

// whyStart returns the reason why no deployment can be started, or "" if one can.
func (s *Screen) whyStart() string {
	switch {
	case s.session == nil || s.session.Checks == nil:
		return "not connected"
	case s.busy:
		return "checks are running"
	case s.err != nil:
		return "checks failed to run: " + models.OnScreen(s.err)
	case s.action == nil || !s.final:
		return "checks have not run yet"
	case s.ready == 0 && len(s.refs) == 1:
		bad := worstOf(s.checksOf(&s.nodes[0]))
		return fmt.Sprintf(textChecksRefuse, bad.ID, bad.Text)
	case s.ready == 0:
		return "no node passed its checks"
	}
	return ""
}

// start asks the root to confirm and start the deployment. If the results of the checks are too old, it repeats the
// checks instead.
func (s *Screen) start() tea.Cmd {
	if s.whyStart() != "" {
		return nil
	}
	if age := time.Since(s.at); age > goodFor {
		return tea.Batch(s.recheck(0, askAll), toast(screen.Info, "results were "+models.Age(age)+s.env.Keys.Text(textStaleChecks)))
	}
	refs := make([]models.NodeRef, 0, len(s.refs))
	for _, item := range s.plan.Legal() {
		refs = append(refs, item.Node.Ref())
	}
	return screen.Send(screen.StartDeployment{Nodes: refs, Action: s.action, Plan: s.plan, Command: s.command(refs)})
}

// refusals returns the failed checks of the current node in two lists: the checks that the operator can override, and
// the checks that cannot be overridden.
func (s *Screen) refusals() (may, not []plan.Check) {
	n, read := s.node()
	if !read {
		return nil, nil
	}
	for _, c := range plan.RefusedChecks(s.checksOf(n)) {
		if c.Override {
			may = append(may, c)
		} else {
			not = append(not, c)
		}
	}
	return may, not
}

func (s *Screen) whyOverride() string {
	may, not := s.refusals()
	switch {
	case s.busy || !s.final:
		return "checks are running"
	case len(may) > 0:
		return ""
	case len(not) > 0:
		return textNoOverride
	}
	return "no failed checks for " + s.currentRef().Label()
}

// override asks whether to override the failed checks of the current node. The operator confirms by typing the node's
// name.
func (s *Screen) override() tea.Cmd {
	if s.whyOverride() != "" {
		return nil
	}
	may, not := s.refusals()
	n, _ := s.node()
	ids := append([]plan.CheckID{}, s.overrides[n.UUID]...)
	var lines []overlay.Text
	for _, c := range may {
		ids = append(ids, c.ID)
		lines = append(lines, review.Check(c)...)
	}
	for _, c := range not {
		lines = append(lines, overlay.Text{Text: "not overridable: " + c.String(), Indent: 2})
	}
	label := n.Label()
	uuid := n.UUID
	return screen.Send(screen.Ask{Overlay: overlay.NewConfirm(overlay.Question{
		Title: "Override checks of " + label, Lines: lines, Danger: true, Type: n.TypedName(),
		Ask: fmt.Sprintf(textOverrideAsk, models.Counted(len(may), "failed check"), label),
		Yes: s.decide(func() tea.Cmd {
			overrides := maps.Clone(s.overrides)
			if overrides == nil {
				overrides = map[string][]plan.CheckID{}
			}
			overrides[uuid] = ids
			s.overrides = overrides
			return s.recheck(0, askAll)
		}),
	})})
}
