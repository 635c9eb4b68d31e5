package deploy

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// text is lines that are put together, wrapped to a width of w cells. What goes in is made
// safe to show.
type text struct {
	w     int
	lines []pane.Line
}

// spans adds a line whose last span is wrapped, so many cells in.
func (x *text) spans(indent int, spans ...body.Span) {
	lead := 0
	for i := range spans {
		spans[i].Text = models.Printable(spans[i].Text)
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

func (x *text) gap() {
	if len(x.lines) > 0 {
		x.lines = append(x.lines, nil)
	}
}

func (x *text) heading(format string, args ...any) {
	x.gap()
	x.spans(3, body.S(theme.Strong, " "), body.S(theme.Strong, fmt.Sprintf(format, args...)))
}

func (x *text) row(role theme.Role, name, value string) {
	x.spans(15, body.S(theme.Muted, fmt.Sprintf("   %-11s ", name)), body.S(role, value))
}

func (x *text) plain(role theme.Role, value string) {
	for _, line := range strings.Split(value, "\n") {
		x.spans(5, body.S(role, "   "), body.S(role, line))
	}
}

// reviewLines are all that is to be read before the node in hand is deployed, wrapped to
// w cells.
func (s *Screen) reviewLines(w int) []pane.Line {
	x := &text{w: w}
	if len(s.refs) > 1 {
		s.summaryLines(x)
	}
	n, read := s.node()
	f := s.known()
	if !read || f == nil {
		return x.lines
	}
	if refused := len(models.RefusedChecks(s.checksOf(n))); refused > 0 {
		x.gap()
		x.spans(3, body.S(theme.Bad, " "+theme.GlyphFailed+" "), body.S(theme.Strong, fmt.Sprintf("%s refused: nothing is sent to %s. x goes on against what may be overridden.", times(refused), n.Label())))
	}
	effect := s.action.Effect(n)
	role := theme.Plain
	if effect.Danger >= models.DangerMayErase {
		role = theme.Danger
	}
	x.heading("What happens to %s", n.Label())
	x.plain(role, effect.Text)
	s.diskLines(x, f)
	x.heading("The machine")
	for _, d := range models.Card(n) {
		x.row(theme.Plain, d.Name, d.Value)
	}
	x.heading("Steps, as Ironic will order them")
	for i, step := range s.action.Order(n) {
		args := ""
		if len(step.Args) > 0 {
			args = "  " + argsText(step.Args)
		}
		x.plain(theme.Plain, fmt.Sprintf("%2d  %s%s", i+1, models.StepText(step), args))
	}
	s.userDataLines(x, f)
	s.requestLines(x, n)
	return x.lines
}

func times(checks int) string {
	if checks == 1 {
		return "One check has"
	}
	return fmt.Sprintf("%d checks have", checks)
}

// summaryLines are the nodes, and what is to be said of each.
func (s *Screen) summaryLines(x *text) {
	x.heading("%d nodes: %d will be deployed, %d are left out", len(s.refs), s.ready, s.refused)
	for i := range s.nodes {
		n := &s.nodes[i]
		mark, role, what := theme.GlyphDone, theme.Good, "no disk is picked by hints"
		if f := s.action.Facts(n); f != nil && f.Target() != nil {
			what = fmt.Sprintf("%s, %.1f GiB, %s", f.Target().Name, f.Target().GiB(), f.Target().Serial)
		}
		if bad := worstOf(s.checksOf(n)); bad.Severity == models.CheckRefuse {
			mark, role, what = theme.GlyphFailed, theme.Bad, string(bad.ID)+": "+bad.Text
		} else if bad.Severity == models.CheckWarn {
			mark, role, what = theme.GlyphMaint, theme.Warn, what+" · "+string(bad.ID)+": "+bad.Text
		}
		hand := " "
		if n.UUID == s.inHand().UUID {
			hand = theme.GlyphCursor
		}
		x.spans(5, body.S(theme.Accent, " "+hand+" "), body.S(role, mark+" "), body.S(theme.Strong, n.Label()+"  "), body.S(theme.Plain, what))
	}
}

func worstOf(checks []models.Check) models.Check {
	worst := models.Check{Severity: models.CheckOK}
	for _, c := range checks {
		if rank(c.Severity) > rank(worst.Severity) {
			worst = c
		}
	}
	return worst
}

// diskLines are the disk that is written in full, and what becomes of the others.
func (s *Screen) diskLines(x *text, f *models.Facts) {
	if !f.Kind.PicksDisk() {
		return
	}
	target := f.Target()
	x.heading("The disk that is overwritten")
	if target == nil {
		x.plain(theme.Bad, "none is known: see the checks")
	} else {
		for _, name := range []models.Hint{
			models.HintName, models.HintSize, models.HintVendor, models.HintModel, models.HintSerial, models.HintWWN,
			models.HintWWNWithExtension, models.HintTransport, models.HintByPath, models.HintHCTL,
		} {
			if value := target.Attribute(name); value != "" {
				role := theme.Plain
				if name == models.HintName {
					role = theme.Danger
				}
				if name == models.HintSize {
					value = fmt.Sprintf("%.1f GiB", target.GiB())
				}
				x.row(role, string(name), value)
			}
		}
		if f.Hints.Hints.Given() {
			x.row(theme.Plain, "by hints", string(f.Hints.Source)+" "+f.Hints.Hints.String())
		}
	}
	if f.Inventory == nil || target == nil {
		return
	}
	x.heading("Its other disks: untouched now, erased by automated cleaning at undeploy")
	others := 0
	for i := range f.Inventory.Disks {
		d := &f.Inventory.Disks[i]
		if d.Name == target.Name {
			continue
		}
		others++
		x.plain(theme.Plain, fmt.Sprintf("%s  %.1f GiB  %s  %s", d.Name, d.GiB(), d.Model, d.Serial))
	}
	if others == 0 {
		x.plain(theme.Muted, "there are none")
	}
}

func (s *Screen) userDataLines(x *text, f *models.Facts) {
	x.heading("User data")
	switch {
	case s.file.known && s.file.err == nil:
		if s.file.path != "" {
			x.row(theme.Plain, "file", s.file.path)
		}
		for _, row := range s.file.kept.Summary.Rows() {
			x.row(theme.Plain, row.Name, row.Text)
		}
	case f.UserData != nil:
		x.plain(theme.Plain, fmt.Sprintf("%s, %d bytes sent", f.UserData.Kind, f.UserData.Sent))
	default:
		x.plain(theme.Warn, "none")
	}
	if meta := f.Plan.ConfigDrive.MetaData; len(meta) > 0 {
		x.row(theme.Plain, "meta data", argsText(meta))
	}
}

// requestLines are what is sent, exactly, and the same for a shell.
func (s *Screen) requestLines(x *text, n *models.Node) {
	x.heading("Requests")
	requests := s.action.Requests(n)
	for _, r := range requests {
		x.plain(theme.Plain, r.String())
	}
	if len(requests) == 0 {
		x.plain(theme.Muted, "none: the node is refused")
		return
	}
	x.heading("The same with baremetal")
	for _, c := range s.action.Commands(n) {
		x.plain(theme.Muted, c)
	}
	x.heading("The same with %s", s.env.Program)
	x.plain(theme.Muted, s.env.CommandLine(s.command([]models.NodeRef{n.Ref()})...))
}

// command is the command line that deploys nodes by this plan: the plan's file where it
// is saved, or flags.
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
		words = append(words, "-f", "PLAN.yaml") // to be saved
	}
	for _, n := range nodes {
		for _, id := range s.overrides[n.UUID] {
			words = append(words, "--override", string(id))
		}
		if len(s.overrides[n.UUID]) > 0 {
			words = append(words, "--confirm", n.Label())
		}
	}
	return words
}

// flags say the same as the plan of one node, where flags can.
func (s *Screen) flags(nodes []models.NodeRef) ([]string, bool) {
	if len(nodes) != 1 {
		return nil, false
	}
	f := s.draft.Plan.ForNode(nodes[0])
	d := f.ConfigDrive
	if f.Ramdisk != (models.PlanRamdisk{}) || f.Image != (models.PlanImage{}) || f.DeployInterface != "" || f.Kind != "" || len(f.Policy) > 0 ||
		f.RootDevice.To == models.HintsOfProperties || len(d.MetaData) > 0 || len(d.NetworkData) > 0 || d.UserData != "" {
		return nil, false
	}
	var words []string
	if f.RootDevice.Hints.Given() {
		words = append(words, "--root-device", f.RootDevice.Hints.String())
	}
	if d.UserDataFile != "" {
		words = append(words, "--user-data", s.planFile().Path(d.UserDataFile))
	}
	for _, step := range f.Steps {
		if len(step.Args) > 0 {
			return nil, false
		}
		words = append(words, "--step", models.StepText(step))
	}
	return words, true
}
