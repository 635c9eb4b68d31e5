// Package deploy is the Deploy wizard: a plan for one node or several, page by page, with
// the checks of it beside the page, and a review before anything is sent.
//
// The plan, and where one is in it, are a [screen.Draft]: leaving the screen loses nothing.
// A plan is never written into, but replaced: the checks read it meanwhile.
package deploy

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

// page is one of the wizard's pages.
type page int

// The pages.
const (
	pageRamdisk page = iota
	pageDisk
	pageSteps
	pageBoot
	pageReview
	pageCount
)

func (p page) title() string {
	return []string{"Ramdisk", "Root disk", "Steps", "First boot", "Review"}[p]
}

// NodesAtMost is how many nodes are deployed with one plan from here: each is checked,
// and its disk is looked for in the inventories of the others.
const NodesAtMost = 200

// TooMany says that there are more nodes than can be deployed at a time, "" where that is
// not so.
func TooMany(nodes int) string {
	if nodes <= NodesAtMost {
		return ""
	}
	return fmt.Sprintf("%d nodes are chosen, at most %d at a time are checked and deployed: mark fewer, or filter", nodes, NodesAtMost)
}

// ID is the screen's for some nodes.
func ID(nodes []models.NodeRef) string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.UUID
	}
	return strings.Join(ids, ",")
}

// Screen is the wizard for some nodes.
type Screen struct {
	env     *screen.Env
	session *screen.Session
	id      string
	refs    []models.NodeRef
	draft   *screen.Draft

	ramdisk, boot *form.Inline
	// kind and allocates are what the first form was made for.
	kind      plan.Kind
	allocates bool
	disks     *table.Table[diskRow]
	steps     *table.Table[stepRow]
	report    pane.Pane // what is in the user data
	review    pane.Pane
	reviewed  int // cells that it was wrapped to
	checks    pane.Pane
	search    body.Prompt
	wide      bool // the checks are beside the page

	look
	// overrides are checks that are overridden, by the uuids of nodes whose name was typed
	// for them; a change of the plan takes them back.
	overrides map[string][]plan.CheckID
	file      userData

	// life ends with the screen.
	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

var _ screen.Screen = (*Screen)(nil)

// New makes the wizard for nodes by their uuids, joined by commas, as it was left.
func New(env *screen.Env, id string) *Screen {
	s := &Screen{env: env, session: env.Session, id: id}
	s.life, s.finish = context.WithCancel(context.Background())
	context := ""
	if s.session != nil {
		context = s.session.Context.Name
	}
	names := []string{}
	for _, uuid := range strings.Split(id, ",") {
		ref := models.NodeRef{UUID: uuid}
		if s.session != nil {
			if row, _, known := s.session.Store.Get(uuid); known {
				ref = row.Node.Ref()
			}
		}
		s.refs = append(s.refs, ref)
		names = append(names, ref.Label())
	}
	if env.Drafts == nil {
		env.Drafts = &screen.Drafts{}
	}
	s.draft = env.Drafts.Of(context, id, names)
	s.disks, s.steps = diskTable(), stepTable()
	s.report.SetWrap(true)
	s.review.SetWrap(true)
	s.checks.SetWrap(true)
	s.refill()
	return s
}

// Ref names the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindDeploy, ID: s.id} }

// Title is its crumb.
func (s *Screen) Title() string {
	if len(s.refs) == 1 {
		return "deploy " + models.Printable(s.refs[0].Label())
	}
	return fmt.Sprintf("deploy %d nodes", len(s.refs))
}

// Start does nothing that Shown does not.
func (s *Screen) Start() tea.Cmd { return nil }

// Shown checks anew: nodes and files may have changed meanwhile.
func (s *Screen) Shown() tea.Cmd { return tea.Batch(s.recheck(0, askAll), s.readFile(false)) }

// Close ends what is under way.
func (s *Screen) Close() { s.finish() }

// Update takes answers, news of the nodes, and keys while something is written.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case looked:
		if msg.of == s {
			return s.takeLook(msg)
		}
	case fileRead:
		if msg.of == s {
			return s.takeFile(msg)
		}
	case planRead:
		if msg.of == s {
			return s.takePlan(msg)
		}
	case planWritten:
		if msg.of == s {
			return s.takeWritten(msg)
		}
	case planLaid:
		if msg.of == s {
			return s.takeLaid(msg)
		}
	case planTyped:
		if msg.of == s {
			return s.takeTyped(msg)
		}
	case decided:
		if msg.of == s {
			return msg.do()
		}
	case screen.FleetChanged:
		return s.nodesChanged()
	case screen.Tick:
		if s.page() == pageBoot {
			return s.readFile(false)
		}
	case screen.Reload:
		return tea.Batch(s.recheck(0, askAll), s.readFile(true))
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.typed(msg)
	}
	return nil
}

// form is the page's, nil where it has none.
func (s *Screen) form() *form.Inline {
	switch s.page() {
	case pageRamdisk:
		return s.ramdisk
	case pageBoot:
		return s.boot
	default:
		return nil
	}
}

// typed takes what is written into a field.
func (s *Screen) typed(msg tea.Msg) tea.Cmd {
	if s.search.Typing() {
		switch s.search.Update(msg) {
		case body.Changed:
			s.review.Search(s.search.Text())
		case body.Abandoned:
			s.review.Search("")
		case body.Ignored, body.Taken:
		}
		return nil
	}
	f := s.form()
	if f == nil || !f.Editing() {
		return nil
	}
	if key, is := msg.(tea.KeyPressMsg); is && key.String() == "ctrl+s" {
		f.Typed(tea.KeyPressMsg{Code: tea.KeyEnter})
		return tea.Batch(s.formChanged(), s.Do(action.PlanSave))
	}
	f.Typed(msg)
	return s.formChanged()
}

// Typing says that keys are text now.
func (s *Screen) Typing() bool {
	f := s.form()
	return s.search.Typing() || f != nil && f.Editing()
}

// Widen ends a search.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.page() != pageReview || s.review.Query() == "" {
		return nil, false
	}
	s.review.Search("")
	return nil, true
}

// Hints are what keys do while something is written.
func (s *Screen) Hints() []screen.Hint {
	if s.search.Typing() {
		return []screen.Hint{{Key: "enter", Text: "keep"}, {Key: "esc", Text: "drop"}}
	}
	return []screen.Hint{{Key: "enter", Text: "keep"}, {Key: "tab", Text: "keep, next field"}, {Key: "esc", Text: "drop"}}
}

// Targets are none: nothing but the plan acts on nodes here.
func (s *Screen) Targets() []models.NodeRef { return nil }

// Scopes are its actions: the wizard's, and the page's.
func (s *Screen) Scopes() []action.Scope {
	switch s.page() {
	case pageDisk:
		return []action.Scope{action.Deploy, action.DeployDisk, action.List}
	case pageSteps:
		return []action.Scope{action.Deploy, action.DeployStep, action.List}
	case pageReview:
		return []action.Scope{action.Deploy, action.Review, action.Reading}
	default:
		return []action.Scope{action.Deploy, action.Filling}
	}
}

func (s *Screen) page() page { return page(min(max(s.draft.Page, 0), int(pageCount)-1)) }

// inHand is the node that the pages show where several are deployed.
func (s *Screen) inHand() models.NodeRef { return s.refs[min(max(s.draft.Node, 0), len(s.refs)-1)] }

// node is the node in hand as Ironic had it last; of one that was not read yet what the
// fleet knows.
func (s *Screen) node() (n *models.Node, read bool) {
	ref := s.inHand()
	for i := range s.nodes {
		if s.nodes[i].UUID == ref.UUID {
			return &s.nodes[i], true
		}
	}
	if s.session != nil {
		if row, _, known := s.session.Store.Get(ref.UUID); known {
			return &row.Node, false
		}
	}
	return &models.Node{UUID: ref.UUID, Name: ref.Name}, false
}

// fields are what the plan says of the node in hand.
func (s *Screen) fields() plan.Fields { return s.draft.Plan.ForNode(s.inHand()) }

// planned is what follows from the node in hand and the plan, as far as it is known
// without asking Ironic.
func (s *Screen) planned() *plan.Facts {
	n, read := s.node()
	f := &plan.Facts{Node: n, Plan: s.fields(), Version: s.env.Status.Version, Templates: s.templates}
	_ = f.Resolve() // hints that cannot be read are told by the checks
	if !read {
		f.Kind, f.Outcomes = f.Plan.Kind, nil // it may go by the node's deploy interface
	}
	return f
}

// names are the nodes' in the plan.
func (s *Screen) names() []string {
	var names []string
	for _, ref := range s.refs {
		if name := s.draft.Plan.NameOf(ref); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// change puts another plan in the place of the draft's, and checks that.
func (s *Screen) change(part plan.Part, change func(f *plan.Fields)) tea.Cmd {
	plan := s.draft.Plan.Clone()
	plan.Change(s.names(), part, change)
	return s.replan(plan)
}

// changeOne changes what is said of the node in hand alone.
func (s *Screen) changeOne(part plan.Part, change func(f *plan.Fields)) tea.Cmd {
	plan := s.draft.Plan.Clone()
	plan.ChangeOne(plan.NameOf(s.inHand()), part, change)
	return s.replan(plan)
}

func (s *Screen) replan(plan *plan.Plan) tea.Cmd {
	s.draft.Plan, s.draft.Saved, s.overrides = plan, false, nil
	s.show()
	return s.recheck(pause, askNothing)
}

// planFile is the plan with the folder of its paths.
func (s *Screen) planFile() provision.PlanFile {
	return provision.PlanFile{Plan: s.draft.Plan, Dir: s.draft.Dir}
}

// pause is how long nothing has to be changed before the checks are done.
const pause = 250 * time.Millisecond

// refill makes the forms anew: for another node, or another plan.
func (s *Screen) refill() {
	s.ramdisk, s.boot = s.ramdiskForm(), s.bootForm()
	s.show()
}

// show brings the lists up to date with the plan and what is known.
func (s *Screen) show() {
	s.disks.SetRows(s.diskRows())
	s.steps.SetRows(s.stepRows())
	s.review.SetLines(s.reviewLines(s.reviewed))
}
