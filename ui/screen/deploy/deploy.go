// Package deploy implements the Deploy wizard. It prepares a plan for one or more nodes, page by page. It checks the
// plan, and shows a review before anything is sent. The plan and the operator's position are stored in a
// [screen.Draft], so leaving the screen loses nothing. Plans are replaced, never modified, because the checks read
// them concurrently.
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

type page int

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

// NodesAtMost is the maximum number of nodes in one plan. It limits the work of checking each node and comparing the
// inventories of all nodes.
const NodesAtMost = 200

// TooMany returns the reason why a plan cannot contain the given number of nodes, or "" if it can.
func TooMany(nodes int) string {
	if nodes <= NodesAtMost {
		return ""
	}
	return fmt.Sprintf("%d nodes selected, at most %d allowed: mark fewer", nodes, NodesAtMost)
}

// ID returns the ID of the wizard for the given nodes: their UUIDs, joined by commas.
func ID(nodes []models.NodeRef) string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.UUID
	}
	return strings.Join(ids, ",")
}

// Screen is the wizard for a set of nodes.
type Screen struct {
	env     *screen.Env
	session *screen.Session
	id      string
	refs    []models.NodeRef
	draft   *screen.Draft

	ramdisk, boot *form.Inline
	// kind and allocates are the plan's values for which the ramdisk form was built. If the plan's values change, the
	// form needs other fields.
	kind      plan.Kind
	allocates bool
	disks     *table.Table[diskRow]
	steps     *table.Table[stepRow]
	report    pane.Pane // problems and contents of the user data
	review    pane.Pane
	reviewed  int // the width to which review is wrapped, in cells
	checks    pane.Pane
	search    body.Prompt
	tabs      body.TabLine
	wide      bool // the checks are drawn beside the page

	checkRun
	// overrides lists the overridden checks by node UUID. It is cleared when the plan changes.
	overrides map[string][]plan.CheckID
	file      userData

	// life is canceled when the screen is closed.
	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

var _ screen.Screen = (*Screen)(nil)

// New returns the wizard for the nodes whose UUIDs are listed in id, joined by commas. It continues the draft for
// these nodes, if there is one.
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

// Ref returns the reference that identifies the screen in the history and in links.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindDeploy, ID: s.id} }

// Title returns the screen's title, which is shown in the header.
func (s *Screen) Title() string {
	if len(s.refs) == 1 {
		return "deploy " + s.refs[0].Label()
	}
	return fmt.Sprintf("deploy %d nodes", len(s.refs))
}

// Start does nothing, because Shown, which is called next, starts the checks.
func (s *Screen) Start() tea.Cmd { return nil }

// Shown runs the checks again, because nodes and files may have changed.
func (s *Screen) Shown() tea.Cmd { return tea.Batch(s.recheck(0, askAll), s.readFile(false)) }

// Close cancels running requests.
func (s *Screen) Close() { s.finish() }

// Update handles the results of commands and changes to nodes. While Typing reports true, it also handles keys.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Later:
		return msg.Run(s)
	case screen.FleetChanged:
		return s.nodesChanged()
	case screen.Tick:
		if s.page() == pageBoot {
			return s.readFile(false)
		}
	case screen.Reload:
		return tea.Batch(s.recheck(0, askAll), s.readFile(true))
	case form.Completions: // completions of the user data path; the keys that waited for them take effect now
		cmd := s.boot.Typed(msg)
		return tea.Batch(cmd, s.formChanged())
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.typed(msg)
	}
	return nil
}

// form returns the form of the current page, or nil if the page has none.
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

func (s *Screen) typed(msg tea.Msg) tea.Cmd {
	if s.search.Typing() {
		switch s.search.Update(msg) {
		case body.Changed:
			s.review.Search(s.search.Text())
		case body.Abandoned:
			s.review.Search("")
		case body.Ignored, body.Accepted:
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
	cmd := f.Typed(msg)
	return tea.Batch(cmd, s.formChanged())
}

// Typing reports whether keys are text input, for a form field or for the search.
func (s *Screen) Typing() bool {
	f := s.form()
	return s.search.Typing() || f != nil && f.Editing()
}

// Widen clears the search on the Review page.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.page() != pageReview || s.review.Query() == "" {
		return nil, false
	}
	s.review.Search("")
	return nil, true
}

// Hints returns the key hints to show while Typing reports true.
func (s *Screen) Hints() []screen.Hint {
	return screen.FormHints(!s.search.Typing())
}

// Targets always returns nil: on this screen, operations on nodes are started only through the plan.
func (s *Screen) Targets() []models.NodeRef { return nil }

// Scopes returns the action groups of the wizard and of the current page.
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

// currentRef returns a reference to the current node, which is the node that the pages show.
func (s *Screen) currentRef() models.NodeRef { return s.refs[min(max(s.draft.Node, 0), len(s.refs)-1)] }

// node returns the current node as the checks last read it from Ironic, and reports whether they have read it. Before
// the first reading, it returns the node from the store. If the store does not contain the node either, only the UUID
// and the name are set.
func (s *Screen) node() (n *models.Node, read bool) {
	ref := s.currentRef()
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

// readNode returns the current node with all its fields, or nil if it has not been read from Ironic yet.
func (s *Screen) readNode() *models.Node {
	if n, read := s.node(); read {
		return n
	}
	return nil
}

func (s *Screen) fields() plan.Fields { return s.draft.Plan.ForNode(s.currentRef()) }

// planned derives facts from the current node and the plan, without sending requests to Ironic.
func (s *Screen) planned() *plan.Facts {
	n, read := s.node()
	f := &plan.Facts{Node: n, Plan: s.fields(), Version: s.env.Status.Version, Templates: s.templates}
	_ = f.Resolve() // the checks report unreadable hints
	if !read {
		f.Kind, f.Outcomes = f.Plan.Kind, nil // the kind may depend on the node's deploy interface
	}
	return f
}

// names returns the names of the selected nodes as the plan spells them.
func (s *Screen) names() []string {
	var names []string
	for _, ref := range s.refs {
		if name := s.draft.Plan.NameOf(ref); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// change replaces the draft's plan by a copy that is changed for all selected nodes, and starts the checks.
func (s *Screen) change(part plan.Part, change func(f *plan.Fields)) tea.Cmd {
	plan := s.draft.Plan.Clone()
	plan.Change(s.names(), part, change)
	return s.replan(plan)
}

// changeOne changes the fields of the current node only.
func (s *Screen) changeOne(part plan.Part, change func(f *plan.Fields)) tea.Cmd {
	plan := s.draft.Plan.Clone()
	plan.ChangeOne(plan.NameOf(s.currentRef()), part, change)
	return s.replan(plan)
}

func (s *Screen) replan(plan *plan.Plan) tea.Cmd {
	s.draft.Plan, s.draft.Saved, s.overrides = plan, false, nil
	s.show()
	return s.recheck(pause, askNothing)
}

// planFile returns the plan together with the directory to which its paths are relative.
func (s *Screen) planFile() provision.PlanFile {
	return provision.PlanFile{Plan: s.draft.Plan, Dir: s.draft.Dir, WhyNoFiles: s.env.WhyNoFiles}
}

// pause is the delay between the last change to the plan and the start of the checks.
const pause = 250 * time.Millisecond

// refill rebuilds the forms and lists after the current node or the plan has changed.
func (s *Screen) refill() {
	s.ramdisk, s.boot = s.ramdiskForm(), s.bootForm()
	s.show()
}

// show updates the disks, the steps and the review from the plan and the latest results of the checks.
func (s *Screen) show() {
	s.disks.SetRows(s.diskRows())
	s.steps.SetRows(s.stepRows())
	s.review.SetLines(s.reviewLines(s.reviewed))
}
