package deploy

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
)

// look is what was last read and checked.
type look struct {
	nodes []models.Node
	// action has done the checks, nil before the first; planned is a runner's plan of it.
	// Final says that nothing of it was remembered from before: it may be carried out.
	action *provision.DeployAction
	plan   provision.Batch
	final  bool
	at     time.Time
	// templates are Ironic's deploy templates, where a node has traits that may call them;
	// templatesError says why they are not known.
	templates      []models.DeployTemplate
	templatesError string
	// judged are the checks by the nodes' uuids, verdicts the worst of each page; so many
	// nodes are ready, and refused.
	judged         map[string][]plan.Check
	verdicts       [pageCount]plan.CheckSeverity
	ready, refused int
	// err is why the checks could not be done the last time.
	err error

	// turn numbers the attempts; an answer to an older one is dropped. Since is when the
	// one under way began.
	turn  int
	busy  bool
	since time.Time
	stop  context.CancelFunc
	// stale says that the nodes have to be read again.
	stale bool
	// memory asks Ironic everything once; states are what the fleet had of the nodes then.
	memory *provision.Preflighter
	states []string
}

// looked is the answer to recheck.
type looked struct {
	of     *Screen
	turn   int
	nodes  []models.Node
	action *provision.DeployAction
	plan   provision.Batch
	final  bool
	err    error

	templates      []models.DeployTemplate
	templatesError string
}

// asking is what Ironic is asked again for the checks.
type asking int

// The ways; on Review everything is asked.
const (
	askNothing asking = iota // what is remembered will do
	askNodes
	askAll
)

// recheck does the checks when nothing was changed for a while; what is under way is
// given up.
func (s *Screen) recheck(after time.Duration, ask asking) tea.Cmd {
	if s.session == nil || s.session.Checks == nil {
		return nil
	}
	if s.stop != nil {
		s.stop()
	}
	ctx, cancel := context.WithCancel(s.life)
	s.turn++
	s.stop = cancel
	if !s.busy {
		s.since = s.env.Clock.Now()
	}
	s.busy = true
	if ask == askAll || s.memory == nil {
		s.memory = s.session.Checks.Remembering()
	}
	msg := looked{of: s, turn: s.turn, nodes: s.nodes, final: s.page() == pageReview}
	checks, memory := s.memory, s.memory
	if msg.final {
		checks = s.session.Checks
	}
	// Who gives a look up that asked for the nodes has not seen them.
	s.stale = s.stale || ask != askNothing
	if s.stale || msg.final || len(s.nodes) == 0 {
		msg.nodes, s.states = nil, s.fleetStates()
	}
	ids := make([]string, len(s.refs))
	for i, ref := range s.refs {
		ids[i] = ref.UUID
	}
	runner, clock := s.session.Runner, s.env.Clock
	runner.ReadOnly = false // who may not change anything is told so when it comes to that
	msg.action = provision.Deploy(checks, provision.DeployOptions{For: s.planFile().For}).Overriding(maps.Clone(s.overrides))
	return func() tea.Msg {
		if after > 0 {
			select {
			case <-clock.After(after):
			case <-ctx.Done():
				return nil
			}
		}
		if msg.nodes == nil {
			msg.nodes, msg.err = provision.FindNodes(ctx, runner.API, ids)
		}
		if msg.err == nil {
			msg.action.Preflight(ctx, msg.nodes)
			msg.plan = runner.Plan(msg.action, msg.nodes)
			if msg.wantTemplates() {
				msg.templates, msg.templatesError = memory.Fresh().DeployTemplates(ctx)
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		return msg
	}
}

// wantTemplates says that a node has traits, or will have, that templates may be called by.
func (l *looked) wantTemplates() bool {
	for i := range l.nodes {
		facts := l.action.Facts(&l.nodes[i])
		if len(l.nodes[i].Traits) > 0 || facts != nil && facts.WantsTemplates() {
			return true
		}
	}
	return false
}

// takeLook takes over what was read and checked, unless something newer is on its way.
func (s *Screen) takeLook(msg looked) tea.Cmd {
	if msg.turn != s.turn {
		return nil
	}
	s.stop()
	s.busy, s.err = false, msg.err
	if msg.err != nil {
		s.final = false
		s.show()
		return nil
	}
	first := len(s.nodes) == 0
	s.stale = false
	s.nodes, s.action, s.plan, s.final, s.at = msg.nodes, msg.action, msg.plan, msg.final, s.env.Clock.Now()
	s.templates, s.templatesError = msg.templates, msg.templatesError
	s.judge()
	s.setReport() // the checks know who reads the user data
	if first && !s.Typing() {
		s.refill() // the forms show what the nodes have
	}
	s.show()
	return s.readFile(false)
}

// fleetStates are the nodes' as far as a deployment depends on them.
func (s *Screen) fleetStates() []string {
	states := make([]string, len(s.refs))
	for i, ref := range s.refs {
		if row, _, known := s.session.Store.Get(ref.UUID); known {
			n := &row.Node
			states[i] = string(n.ProvisionState) + " " + n.InstanceUUID + " " + map[bool]string{true: "maintenance"}[n.Maintenance]
		}
	}
	return states
}

// nodesChanged looks again when a node is in another state than it was, and when Ironic
// answers again.
func (s *Screen) nodesChanged() tea.Cmd {
	if s.session == nil || s.session.Checks == nil || s.busy {
		return nil
	}
	switch {
	case s.err != nil && s.env.Status.Connected:
		return s.recheck(pause, askAll)
	case !slices.Equal(s.states, s.fleetStates()):
		return s.recheck(pause, askNodes)
	}
	return nil
}

// checksOf are those of a node; none before they were done.
func (s *Screen) checksOf(n *models.Node) []plan.Check { return s.judged[n.UUID] }

// judge keeps what the checks found, with what kept a node from being judged at all as
// one more check.
func (s *Screen) judge() {
	s.judged = map[string][]plan.Check{}
	s.verdicts = [pageCount]plan.CheckSeverity{}
	s.ready, s.refused = 0, 0
	for i := range s.nodes {
		n := &s.nodes[i]
		checks := s.action.Checks(n)
		refused := s.action.Refuse(n, s.env.Status.Version)
		if refused == nil {
			s.ready++
		} else {
			s.refused++
		}
		if refused != nil && len(plan.RefusedChecks(checks)) == 0 {
			checks = append(slices.Clip(checks), plan.Check{ID: checkPlan, Severity: plan.CheckRefuse, Text: models.Printable(refused.Why)})
		}
		s.judged[n.UUID] = checks
		for p := range pageCount {
			s.verdicts[p] = worse(s.verdicts[p], plan.CheckOK)
		}
		for _, c := range checks {
			p := pageOf(c.ID)
			s.verdicts[p] = worse(s.verdicts[p], c.Severity)
			s.verdicts[pageReview] = worse(s.verdicts[pageReview], c.Severity)
		}
	}
}

func worse(a, b plan.CheckSeverity) plan.CheckSeverity {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// checkPlan stands for what is wrong with a plan before any check: a file that is not
// there.
const checkPlan plan.CheckID = "plan"

// pageOf is the page on which something can be done about a check.
func pageOf(id plan.CheckID) page {
	switch id {
	case plan.CheckDeployInterface, plan.CheckRamdisk, plan.CheckKernelParams, plan.CheckImage, plan.CheckImageSum,
		plan.CheckImageThere, plan.CheckImageFile, plan.CheckImageSize, plan.CheckAllocation,
		plan.CheckOCI, plan.CheckOCITag, plan.CheckOCIKind, plan.CheckOCISecret:
		return pageRamdisk
	case plan.CheckHints, plan.CheckHintsDoubt, plan.CheckHintsPlaces, plan.CheckInventory, plan.CheckInventoryBy,
		plan.CheckRootDevice, plan.CheckSingleDisk, plan.CheckStableHint, plan.CheckSharedDisk, plan.CheckDataDisk,
		plan.CheckOddDisk, plan.CheckSameDisk, plan.CheckRAIDRoot, plan.CheckAssisted, plan.CheckKickstart:
		return pageDisk
	case plan.CheckInstallStep, plan.CheckSteps, plan.CheckStepOrder, plan.CheckStepOffered, plan.CheckTraits,
		plan.CheckTemplates:
		return pageSteps
	case plan.CheckConfigDrive, plan.CheckUserData, plan.CheckUserDataReader, plan.CheckUserDataOdd, plan.CheckMetaData, checkPlan:
		return pageBoot
	default: // about the node itself
		return pageReview
	}
}

// verdict is the worst that the checks of a page say of any node; "" before they were
// done. On Review it is that of all.
func (s *Screen) verdict(p page) plan.CheckSeverity { return s.verdicts[p] }

// rank orders severities, the worst last.
func rank(s plan.CheckSeverity) int {
	return slices.Index([]plan.CheckSeverity{plan.CheckOK, plan.CheckUnknown, plan.CheckWarn, plan.CheckRefuse}, s)
}
