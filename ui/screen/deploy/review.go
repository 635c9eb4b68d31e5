package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/review"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// reviewText collects lines of sanitized text, wrapped to w cells.
type reviewText struct {
	w     int
	lines []pane.Line
}

// spans adds a line. If it is too long, its last span is wrapped, with indent cells before the further lines.
func (x *reviewText) spans(indent int, spans ...body.Span) {
	// A leading space before a very long word would be wrapped to a line that contains only the space.
	if at := len(spans) - 1; strings.HasPrefix(spans[at].Text, " ") {
		word := strings.TrimLeft(spans[at].Text, " ")
		blanks := spans[at].Text[:len(spans[at].Text)-len(word)]
		spans = append(slices.Clone(spans[:at]), body.S(spans[at].Role, blanks), body.S(spans[at].Role, word))
	}
	lead := 0
	for i := range spans {
		spans[i].Text = printable.Line(spans[i].Text)
		if i < len(spans)-1 {
			lead += cell.Width(spans[i].Text)
		}
	}
	last := spans[len(spans)-1]
	room := x.w - lead - 1
	if room < 8 || cell.Width(last.Text) <= room {
		x.lines = append(x.lines, pane.Line(spans))
		return
	}
	first := cell.Wrap(last.Text, room)[0]
	x.lines = append(x.lines, append(pane.Line(slices.Clone(spans[:len(spans)-1])), body.S(last.Role, first)))
	rest := strings.TrimLeft(strings.TrimPrefix(last.Text, first), " ")
	x.lines = append(x.lines, body.Indented(last.Role, rest, x.w-1, indent)...)
}

func (x *reviewText) gap() {
	if len(x.lines) > 0 {
		x.lines = append(x.lines, nil)
	}
}

// texts adds lines that are formatted for a dialog.
func (x *reviewText) texts(list []overlay.Text) {
	for _, t := range list {
		x.spans(max(t.Indent+1, 3), body.S(t.Role, " "), body.S(t.Role, t.Text))
	}
}

// reviewLines returns the review of the current node, without the checks, which the screen shows elsewhere.
func (s *Screen) reviewLines(w int) []pane.Line {
	x := &reviewText{w: w}
	if len(s.refs) > 1 && s.action != nil {
		s.summaryLines(x)
	}
	n, read := s.node()
	if !read || s.action == nil {
		return x.lines
	}
	r := s.action.Review(n)
	if s.checkedFacts() == nil && r.FollowUp == "" { // no check has run
		x.gap()
		if r.Refusal != nil {
			x.spans(3, body.S(theme.Bad, " "+theme.GlyphFailed+" "), body.S(theme.Strong, fmt.Sprintf(textNotSent, n.Label(), r.Refusal.WhyOnScreen())))
		}
		return x.lines
	}
	if may, not := s.refusals(); len(may)+len(not) > 0 {
		said := fmt.Sprintf("%s failed: %s is not deployed.", english.Plural(len(may)+len(not), "check", ""), n.Label())
		if len(may) > 0 {
			said += s.env.Keys.Text(" {check-override}: override eligible checks.")
		}
		x.gap()
		x.spans(3, body.S(theme.Bad, " "+theme.GlyphFailed+" "), body.S(theme.Strong, said))
	}
	x.gap()
	x.texts(review.Machine(r))
	x.texts(review.Sent(r))
	if len(r.Requests) > 0 {
		command := s.env.CommandLine(s.command([]models.NodeRef{n.Ref()})...)
		x.texts([]overlay.Text{
			{}, {Role: theme.Strong, Text: "Command for " + s.env.Program}, {Role: theme.Muted, Text: "  " + command, Indent: 4},
		})
	}
	return x.lines
}

// summaryLines adds the numbers of ready and refused nodes, and each node's root disk and worst finding.
func (s *Screen) summaryLines(x *reviewText) {
	x.spans(3, body.S(theme.Strong, " "), body.S(theme.Strong, fmt.Sprintf(textNodesCount, len(s.refs), s.ready, s.refused)))
	for i := range s.nodes {
		n := &s.nodes[i]
		mark, role, what := theme.GlyphDone, theme.Good, "no root device hints"
		if f := s.action.Facts(n); f != nil && f.Target() != nil {
			what = fmt.Sprintf("%s, %.1f GiB, serial %s", f.Target().Name, f.Target().GiB(), f.Target().Serial)
		}
		if bad := worstOf(s.judged[n.UUID]); bad.Severity == plan.CheckRefuse {
			mark, role, what = theme.GlyphFailed, theme.Bad, string(bad.ID)+": "+bad.Text
		} else if bad.Severity == plan.CheckWarn {
			mark, role, what = theme.GlyphMaint, theme.Warn, what+" "+theme.GlyphMaint+" "+string(bad.ID)
		}
		hand := " "
		if n.UUID == s.currentRef().UUID {
			hand = theme.GlyphCursor
		}
		x.spans(5, body.S(theme.Accent, " "+hand+" "), body.S(role, mark+" "), body.S(theme.Strong, n.Label()+"  "), body.S(theme.Plain, what))
	}
}

func worstOf(checks []plan.Check) plan.Check {
	worst := plan.Check{Severity: plan.CheckOK}
	for _, c := range checks {
		if rank(c.Severity) > rank(worst.Severity) {
			worst = c
		}
	}
	return worst
}

// command returns the command line that deploys the given nodes as the plan says. If the plan is saved, the command
// line names its file. Otherwise it contains flags, or a placeholder for the file if flags cannot express the plan.
func (s *Screen) command(nodes []models.NodeRef) []string {
	words := []string{"deploy"}
	for _, n := range nodes {
		words = append(words, n.Label())
	}
	flags, can := s.flags(nodes)
	switch {
	case s.draft.File != "" && s.draft.Saved:
		words = append(words, "-f", s.draft.File)
	case can:
		words = append(words, flags...)
	default:
		words = append(words, "-f", "PLAN.yaml") // a placeholder, because the plan is not saved
	}
	return append(words, review.OverrideWords(nodes, s.overrides)...)
}

// flags returns the command-line flags that express the plan, which is possible only for a single node.
func (s *Screen) flags(nodes []models.NodeRef) ([]string, bool) {
	if len(nodes) != 1 {
		return nil, false
	}
	f := s.draft.Plan.ForNode(nodes[0])
	d := f.ConfigDrive
	if f.Ramdisk != (plan.Ramdisk{}) || f.Image != (plan.Image{}) || f.DeployInterface != "" || f.Kind != "" || len(f.Policy) > 0 || f.Traits != nil ||
		f.RootDevice.To == hints.OfProperties || len(d.MetaData) > 0 || len(d.NetworkData) > 0 || d.UserData != "" {
		return nil, false
	}
	var words []string
	if f.RootDevice.Hints.IsSet() {
		words = append(words, "--root-device", f.RootDevice.Hints.String())
	}
	if f.Allocate.Asked() {
		words = append(words, "--allocate")
		if f.Allocate.ResourceClass != "" {
			words = append(words, "--allocate-class", f.Allocate.ResourceClass)
		}
		for _, trait := range f.Allocate.Traits {
			words = append(words, "--allocate-trait", trait)
		}
	}
	if d.UserDataFile != "" {
		words = append(words, "--user-data", s.planFile().Path(d.UserDataFile))
	}
	for _, step := range f.Steps {
		if len(step.Args) > 0 {
			return nil, false
		}
		words = append(words, "--step", plan.StepText(step))
	}
	return words, true
}

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
		bad := worstOf(s.judged[s.nodes[0].UUID])
		return fmt.Sprintf("check %s failed: %s", bad.ID, bad.Text)
	case s.ready == 0:
		return "no node passed its checks"
	}
	return ""
}

// start asks the root to start the deployment. If the checks' results are too old, it repeats the checks instead.
func (s *Screen) start() tea.Cmd {
	if age := time.Since(s.at); age > goodFor {
		return tea.Batch(s.recheck(0, askAll), toast(screen.Info, "results were "+models.Age(age)+s.env.Keys.Text(textStaleChecks)))
	}
	refs := make([]models.NodeRef, 0, len(s.refs))
	for _, item := range s.plan.Legal() {
		refs = append(refs, item.Node.Ref())
	}
	return screen.Send(screen.StartDeployment{Nodes: refs, Action: s.action, Plan: s.plan, Command: s.command(refs)})
}

// refusals returns the failed checks of the current node: those that can be overridden, and the others.
func (s *Screen) refusals() (may, not []plan.Check) {
	n, read := s.node()
	if !read {
		return nil, nil
	}
	for _, c := range plan.RefusedChecks(s.judged[n.UUID]) {
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
		return "the failed checks cannot be overridden"
	}
	return "no failed checks for " + s.currentRef().Label()
}

// override asks whether to override the failed checks. The operator confirms by typing the node's name.
func (s *Screen) override() tea.Cmd {
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
		Yes: screen.SendLater(s, func() tea.Cmd {
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
