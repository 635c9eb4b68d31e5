package deploy

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	s.draft.PageChosen = true
	switch id {
	case action.NextTab:
		return s.goTo((s.page() + 1) % pageCount)
	case action.PrevTab:
		return s.goTo((s.page() + pageCount - 1) % pageCount)
	case action.DeployNext:
		to := s.next()
		if p := s.page(); p != pageReview && s.verdicts[p] == plan.CheckRefuse && !s.refuses(p, s.currentRef().UUID) {
			to = p // visit the other nodes before the other pages
		}
		return tea.Batch(s.goTo(to), s.switchToRefused(to))
	case action.DeployNodeNext:
		return s.turnNode(1)
	case action.DeployNodePrev:
		return s.turnNode(-1)
	case action.ChecksDown:
		s.checks.Page(1)
		return nil
	case action.ChecksUp:
		s.checks.Page(-1)
		return nil
	case action.PlanSave:
		return s.askSave()
	case action.PlanLoad:
		return s.askLoad()
	case action.PlanEdit:
		return s.editPlan()
	default:
	}
	if s.DisabledReason(id) != "" {
		return nil
	}
	switch s.page() {
	case pageDisk:
		return s.doDisk(id)
	case pageSteps:
		return s.doStep(id)
	case pageReview:
		return s.doReview(id)
	default:
		return s.fill(id)
	}
}

// Click selects the page, the field or the row that was clicked.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	s.draft.PageChosen = true
	if y == 1 {
		if to := s.tabs.At(x); to >= 0 {
			return false, s.goTo(page(to))
		}
		return false, nil
	}
	switch s.page() {
	case pageDisk:
		return s.disks.Click(x, y-body.PageTop).WasCurrent, nil
	case pageSteps:
		return s.steps.Click(x, y-body.PageTop).WasCurrent, nil
	case pageRamdisk, pageBoot:
		if s.form().Click(x, y-body.PageTop) {
			return false, s.fill(action.EditField)
		}
		return false, s.formChanged()
	case pageReview, pageCount:
	}
	return false, nil
}

// goTo shows the given page. When it opens Review, everything is read from Ironic again.
func (s *Screen) goTo(to page) tea.Cmd {
	was := s.page()
	s.draft.Page = int(to)
	s.checks.Top()
	if to == pageReview && was != to {
		return s.recheck(0, askAll)
	}
	if to == pageBoot {
		return s.readFile(false)
	}
	return nil
}

// next returns the next page with a failed check, or Review. Without results, it returns the following page.
func (s *Screen) next() page {
	for by := range pageReview {
		p := (s.page() + 1 + by) % pageReview
		if s.page() == pageReview {
			p = by
		}
		if p == s.page() {
			continue
		}
		switch s.verdicts[p] {
		case "":
			return min(s.page()+1, pageReview) // no results yet
		case plan.CheckRefuse:
			return p
		case plan.CheckOK, plan.CheckWarn, plan.CheckUnknown:
		}
	}
	return pageReview
}

func (s *Screen) turnNode(by int) tea.Cmd {
	n := len(s.refs)
	return s.switchNode((min(s.draft.Node, n-1) + by + n) % n)
}

// switchNode makes the node with the given index the current one.
func (s *Screen) switchNode(node int) tea.Cmd {
	s.draft.Node = node
	s.checks.Top()
	s.refill()
	return s.readFile(false)
}

// refuses reports whether a check of page p failed for the node with the given UUID.
func (s *Screen) refuses(p page, uuid string) bool {
	return slices.ContainsFunc(s.judged[uuid], func(c plan.Check) bool { return c.Severity == plan.CheckRefuse && pageOf(c.ID) == p })
}

// switchToRefused switches to the first node that failed a check of page p, unless the current node failed one.
func (s *Screen) switchToRefused(p page) tea.Cmd {
	if p == pageReview || s.refuses(p, s.currentRef().UUID) {
		return nil
	}
	for i, ref := range s.refs {
		if s.refuses(p, ref.UUID) {
			return s.switchNode(i)
		}
	}
	return nil
}

func (s *Screen) fill(id action.ID) tea.Cmd {
	f := s.form()
	switch id {
	case action.EditField:
		f.Edit()
	case action.ResetField:
		f.Set("")
	case action.PageUp, action.PageDown:
		if s.page() == pageBoot {
			body.Steer(&s.report, id, 1)
			return nil
		}
		fallthrough
	default:
		body.Steer(f, id, 1)
	}
	return s.formChanged()
}

func (s *Screen) doDisk(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		cmd, why := s.pickDisk()
		if why != "" {
			return toast(screen.Warning, why)
		}
		return cmd
	case action.HintsTo:
		return s.moveHints()
	case action.HintsWrite:
		return s.askHints()
	case action.HintsDrop:
		return s.changeOne(plan.PartRootDevice, func(f *plan.Fields) { f.RootDevice.Hints = hints.Hints{} })
	default:
		body.Steer(s.disks, id, 1)
	}
	return nil
}

func (s *Screen) doStep(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		if row, ok := s.steps.Cursor(); ok {
			return s.askStep(&row.Step)
		}
	case action.StepAdd:
		return s.askStep(nil)
	case action.StepRemove:
		return s.removeStep()
	case action.StepTraits:
		return s.askTraits()
	case action.StepEarlier:
		return s.moveStep(-1)
	case action.StepLater:
		return s.moveStep(1)
	default:
		body.Steer(s.steps, id, 1)
	}
	return nil
}

func (s *Screen) doReview(id action.ID) tea.Cmd {
	switch id {
	case action.DeployGo:
		return s.start()
	case action.CheckOverride:
		return s.override()
	case action.Search:
		s.search.Begin(s.review.Query())
	case action.NextMatch:
		s.review.Next()
	case action.PrevMatch:
		s.review.Prev()
	case action.WrapLines:
		s.review.SetWrap(!s.review.Wrap())
	default:
		body.Steer(&s.review, id, body.ScrollStep)
	}
	return nil
}

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.DeployNodeNext, action.DeployNodePrev:
		if len(s.refs) < 2 {
			return "only one node"
		}
	case action.PlanEdit:
		if s.env.WhyNoEditor != "" {
			return s.env.WhyNoEditor + fmt.Sprintf("; use: %s deploy -f - NODE < plan.yaml", s.env.Program)
		}
	case action.Open:
		return s.whyOpen()
	case action.HintsTo, action.HintsDrop:
		if !s.fields().RootDevice.Hints.IsSet() {
			return s.env.Keys.Text("the plan has no hints; {open} picks a disk")
		}
	case action.HintsWrite:
		if !s.planned().Kind.PicksDisk() {
			return s.noDisks()
		}
	case action.StepAdd:
		if s.busy && s.readNode() == nil {
			return "the node is not loaded yet" // the steps to choose from depend on the node's interfaces
		}
	case action.StepRemove:
		return s.whyRemove()
	case action.StepTraits:
		return s.whyTraits()
	case action.StepEarlier:
		return s.whyMove(-1)
	case action.StepLater:
		return s.whyMove(1)
	case action.DeployGo:
		return s.whyStart()
	case action.CheckOverride:
		return s.whyOverride()
	case action.NextMatch, action.PrevMatch:
		if s.review.Query() == "" {
			return s.env.Keys.Text("no search text; {search} searches")
		}
	default:
	}
	return ""
}

func (s *Screen) whyOpen() string {
	switch s.page() {
	case pageDisk:
		if _, some := s.disks.Cursor(); !some {
			return s.noDisks()
		}
	case pageSteps:
		if _, some := s.steps.Cursor(); !some {
			return "no step selected"
		}
	default:
	}
	return ""
}

// Copies returns the plan, the command line that deploys it, the requests for the current node, and baremetal
// commands with the same effect as these requests.
func (s *Screen) Copies() []screen.Copyable {
	var list []screen.Copyable
	if text, err := s.draft.Plan.Encode(); err == nil {
		list = append(list, screen.Copyable{Name: "plan", Text: string(text), Shape: screen.Lines})
	}
	if s.session == nil {
		return list
	}
	list = append(list, screen.Copyable{Name: "command", Text: s.env.CommandLine(s.command(s.refs)...)})
	n, read := s.node()
	if read && s.action != nil {
		var requests []string
		for _, r := range s.action.Requests(n) {
			requests = append(requests, r.String())
		}
		if len(requests) > 0 {
			list = append(list, screen.Copyable{Name: "requests", Text: strings.Join(requests, "\n"), Shape: screen.Lines},
				screen.Copyable{Name: "baremetal commands", Text: strings.Join(s.action.Commands(n), "\n"), Shape: screen.Lines})
		}
	}
	return list
}
