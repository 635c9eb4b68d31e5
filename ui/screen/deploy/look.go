package deploy

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/screen"
)

// checkRun holds the results of the last checks and the state of the running ones.
type checkRun struct {
	checkResult
	at time.Time
	// judged holds the checks by node UUID. verdicts holds the worst severity of the checks on each page, over all nodes;
	// for Review, of all checks. It is "" before the checks have run. ready is the number of nodes that passed, and
	// refused is the number of nodes that failed.
	judged         map[string][]plan.Check
	verdicts       [pageCount]plan.CheckSeverity
	ready, refused int
	// err is the error that kept the checks from running.
	err error

	// number counts the runs, so that the result of an earlier run can be dropped. since is the time when the checks
	// started running.
	number int
	busy   bool
	since  time.Time
	stop   context.CancelFunc
	// stale reports whether the nodes must be read again.
	stale bool
	// memory caches Ironic's responses. states holds the result of fleetStates from the time when the nodes were last
	// requested.
	memory *provision.Preflighter
	states []string
}

type checkResult struct {
	nodes []models.Node
	// action is the deployment that ran the checks, or nil before the first run. plan is the runner's plan for it.
	// final reports whether all data was read from Ironic without the cache; otherwise, the deployment cannot start.
	action *provision.DeployAction
	plan   provision.Batch
	final  bool
	// templates holds Ironic's deploy templates. They are read only if a node has traits or the plan sets some,
	// because traits select templates. templatesError is the error from reading them.
	templates      []models.DeployTemplate
	templatesError string
}

// rereadScope determines which data recheck reads from Ironic again.
type rereadScope int

const (
	askNothing rereadScope = iota // use only cached data
	askNodes
	askAll
)

// recheck returns a command that runs the checks after the given delay. It cancels checks that are running or waiting.
func (s *Screen) recheck(after time.Duration, ask rereadScope) tea.Cmd {
	if s.session == nil || s.session.Checks == nil {
		return nil
	}
	if s.stop != nil {
		s.stop()
	}
	ctx, cancel := context.WithCancel(s.life)
	s.number++
	s.stop = cancel
	if !s.busy {
		s.since = time.Now()
	}
	s.busy = true
	if ask == askAll || s.memory == nil {
		s.memory = s.session.Checks.Cached()
	}
	number, r := s.number, checkResult{nodes: s.nodes, final: s.page() == pageReview}
	checks, memory := s.memory, s.memory
	if r.final {
		checks = s.session.Checks
	}
	// The canceled run may not have read the nodes yet, so a stale mark is kept.
	s.stale = s.stale || ask != askNothing
	if s.stale || r.final || len(s.nodes) == 0 {
		r.nodes, s.states = nil, s.fleetStates()
	}
	ids := strings.Split(s.id, ",")
	runner := s.session.Runner
	runner.ReadOnly = false // the deployment itself is refused later in read-only mode
	r.action = provision.Deploy(checks, s.planFile().DeploymentOf).WithOverrides(maps.Clone(s.overrides))
	return func() tea.Msg {
		if after > 0 {
			select {
			case <-time.After(after):
			case <-ctx.Done():
				return nil
			}
		}
		var err error
		if r.nodes == nil {
			r.nodes, err = provision.FindNodes(ctx, runner.API, ids)
		}
		if err == nil {
			r.action.Preflight(ctx, r.nodes)
			r.plan = runner.Plan(r.action, r.nodes)
			if r.wantTemplates() {
				r.templates, r.templatesError = memory.Fresh().DeployTemplates(ctx)
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		return screen.NewLater(s, func() tea.Cmd { return s.handleChecks(number, r, err) }) //nolint:contextcheck // Update calls it
	}
}

// wantTemplates reports whether a node has traits or the plan sets some, because traits may select deploy templates.
func (r *checkResult) wantTemplates() bool {
	return slices.ContainsFunc(r.nodes, func(n models.Node) bool {
		facts := r.action.Facts(&n)
		return len(n.Traits) > 0 || facts != nil && facts.WantsTemplates()
	})
}

// handleChecks stores a result, unless a newer run has started.
func (s *Screen) handleChecks(number int, r checkResult, err error) tea.Cmd {
	if number != s.number {
		return nil
	}
	s.stop()
	s.busy, s.err = false, err
	if err != nil {
		s.final = false
		s.show()
		return nil
	}
	firstRun := len(s.nodes) == 0
	s.stale = false
	s.checkResult, s.at = r, time.Now()
	s.judge()
	s.setReport() // the report depends on which program reads the user data, and the checks determine that program
	if firstRun && !s.Typing() {
		s.refill() // the forms show values from the nodes
	}
	s.show()
	var first tea.Cmd
	if !s.draft.PageChosen {
		s.draft.PageChosen = true
		first = s.goTo(s.firstPage())
	}
	return tea.Batch(first, s.readFile(false))
}

// firstPage returns the first page that needs a decision. A page needs one if a check failed there. First boot also
// needs one if it has a warning, for example because there is no user data. If no page needs a decision, firstPage
// returns Review, which shows everything.
func (s *Screen) firstPage() page {
	for p := range pageReview {
		if s.verdicts[p] == plan.CheckRefuse || p == pageBoot && s.verdicts[p] == plan.CheckWarn {
			return p
		}
	}
	return pageReview
}

// fleetStates returns the fields of each selected node in the Store that affect a deployment.
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

// nodesChanged repeats the checks if a node has changed, or if they failed and the connection is back.
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

// judge stores the results of the checks. An error that kept a node from being checked counts as a failed check.
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
			checks = append(slices.Clip(checks), plan.Check{ID: checkPlan, Severity: plan.CheckRefuse, Text: refused.Why})
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

// checkPlan is the ID of errors in the plan itself, such as a missing file.
const checkPlan plan.CheckID = "plan"

// pageOf returns the page on which a failed check can be fixed.
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
	case plan.CheckInstallStep, plan.CheckInstallOnce, plan.CheckSteps, plan.CheckStepOrder, plan.CheckStepOffered, plan.CheckRestart,
		plan.CheckTraits, plan.CheckTemplates:
		return pageSteps
	case plan.CheckConfigDrive, plan.CheckUserData, plan.CheckUserDataReader, plan.CheckUserDataOdd, plan.CheckMetaData, checkPlan:
		return pageBoot
	default:
		return pageReview
	}
}

func rank(s plan.CheckSeverity) int {
	return slices.Index([]plan.CheckSeverity{plan.CheckOK, plan.CheckUnknown, plan.CheckWarn, plan.CheckRefuse}, s)
}
