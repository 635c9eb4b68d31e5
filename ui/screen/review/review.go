// Package review has what is to be read before a deployment: what it does to a machine,
// or why it is refused. The dialogs of the console and the screens that lead to a
// deployment show the same lines.
package review

import (
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/theme"
)

// indent is where the values of names stand.
const indent = 14

// text gathers lines.
type text []overlay.Text

func (t *text) line(r theme.Role, s string) { *t = append(*t, overlay.Text{Role: r, Text: s}) }

func (t *text) under(r theme.Role, s string) {
	*t = append(*t, overlay.Text{Role: r, Text: "  " + models.Printable(s), Indent: 4})
}

func (t *text) named(r theme.Role, name, value string) {
	*t = append(*t, overlay.Text{Role: r, Text: fmt.Sprintf("  %-11s %s", name, models.Printable(value)), Indent: indent})
}

// heading begins a part, after an empty line.
func (t *text) heading(s string) {
	*t = append(*t, overlay.Text{}, overlay.Text{Role: theme.Strong, Text: s})
}

// Lines are all that a deployment does to one machine: first which one it is and which
// disk is written, then what is doubtful, and then what is sent.
func Lines(r provision.Review) []overlay.Text {
	t := text(Machine(r))
	if r.Rest != "" {
		return t
	}
	t.checks(r.Checks)
	return append(t, Sent(r)...)
}

// Machine is which one it is, which disk is written, and what becomes of the others.
func Machine(r provision.Review) []overlay.Text {
	var t text
	t.line(theme.Strong, models.Printable(r.Node.Label()))
	for _, d := range models.Card(&r.Node) {
		if d.Name != "name" {
			t.named(theme.Plain, d.Name, d.Value)
		}
	}
	if r.Rest != "" {
		t.named(theme.Warn, "effect", r.Rest)
		return t
	}
	t.disks(r)
	return t
}

// Sent is what is sent, and what Ironic and the machine make of that: nothing of one that
// is followed only.
func Sent(r provision.Review) []overlay.Text {
	var t text
	if r.Rest != "" {
		return t
	}
	t.heading("Steps, in the order in which Ironic runs them")
	for i, s := range r.Steps {
		t.under(theme.Plain, fmt.Sprintf("%d  %s  (%s)", i+1, plan.StepText(s.Step), s.Source))
	}
	t.heading("First boot")
	for _, d := range r.FirstBoot {
		t.named(theme.Plain, d.Name, d.Value)
	}
	t.heading("Requests")
	for _, q := range r.Requests {
		for _, line := range strings.Split(q.String(), "\n") {
			t.under(theme.Plain, strings.TrimSpace(line))
		}
	}
	t.heading("The same with baremetal")
	for _, c := range r.Commands {
		t.under(theme.Muted, c)
	}
	return t
}

// disks are the one that is written, and the others with what becomes of them.
func (t *text) disks(r provision.Review) {
	t.named(theme.Plain, "interface", r.Interface)
	if r.Image != "" {
		t.named(theme.Plain, "image", r.Image)
	}
	t.named(theme.Danger, "overwrites", r.TargetText)
	if len(r.Others) == 0 {
		return
	}
	later := "untouched by the deployment; erased by automated cleaning at undeploy"
	if clean := r.Node.AutomatedClean; clean != nil && !*clean {
		later = "untouched by the deployment; automated cleaning is off for the node"
	}
	t.named(theme.Plain, "other disks", later)
	for i := range r.Others {
		t.named(theme.Plain, "", provision.DiskText(&r.Others[i]))
	}
}

// Short is one machine of several: which disk is written, and what is doubtful.
func Short(r provision.Review) overlay.Text {
	if r.Rest != "" {
		return overlay.Text{Role: theme.Warn, Text: models.Printable(r.Node.Label() + "  " + r.Rest), Indent: 4}
	}
	line := overlay.Text{Text: models.Printable(r.Node.Label()) + "  overwrites " + r.TargetText, Indent: 4}
	for _, c := range r.Checks {
		switch {
		case c.Overridden:
			line.Role = theme.Danger
			line.Text += " – overridden: " + string(c.ID)
		case c.Severity != plan.CheckOK:
			line.Text += " – " + string(c.ID)
		}
	}
	return line
}

// checks are those that are not ok, with their evidence, and the number of the others.
func (t *text) checks(checks []plan.Check) {
	fine := 0
	var doubts text
	for _, c := range checks {
		if c.Severity == plan.CheckOK {
			fine++
			continue
		}
		doubts = append(doubts, Check(c)...)
	}
	t.heading(fmt.Sprintf("Checks: %d ok, %d to be looked at", fine, len(checks)-fine))
	*t = append(*t, doubts...)
}

// Check is one check with its evidence and the way out.
func Check(c plan.Check) []overlay.Text {
	role, glyph, word := look(c)
	lines := []overlay.Text{{Role: role, Text: fmt.Sprintf("  %s %s: %s: %s", glyph, word, c.ID, c.Text), Indent: 4}}
	for _, e := range c.Evidence {
		lines = append(lines, overlay.Text{Role: theme.Muted, Text: "      " + e.String(), Indent: 8})
	}
	if c.WayOut != "" {
		lines = append(lines, overlay.Text{Text: "      → " + c.WayOut, Indent: 8})
	}
	return lines
}

// look is how a check looks: colour, sign and word say the same.
func look(c plan.Check) (role theme.Role, glyph, word string) {
	switch {
	case c.Overridden:
		return theme.Danger, theme.GlyphMaint, "overridden"
	case c.Severity == plan.CheckRefuse:
		return theme.Bad, theme.GlyphFailed, "refuses"
	case c.Severity == plan.CheckWarn:
		return theme.Warn, theme.GlyphMaint, "warns"
	case c.Severity == plan.CheckUnknown:
		return theme.Muted, theme.GlyphUnknown, "not known"
	}
	return theme.Good, theme.GlyphDone, "ok"
}

// Refused is why nothing is sent to a node: each check with its evidence and the way
// out, and whether it may be overridden.
func Refused(r provision.Review) []overlay.Text {
	lines := []overlay.Text{{Role: theme.Strong, Text: models.Printable(r.Node.Label())}}
	refused := plan.RefusedChecks(r.Checks)
	for _, c := range refused {
		lines = append(lines, Check(c)...)
		may := "it may be overridden"
		if !c.Override {
			may = "it cannot be overridden: what it finds cannot end well"
		}
		lines = append(lines, overlay.Text{Role: theme.Muted, Text: "      " + may})
	}
	if len(refused) == 0 && r.Refusal != nil {
		lines = append(lines, overlay.Text{Role: theme.Bad, Text: "  " + theme.GlyphFailed + " " + models.Printable(r.Refusal.Why), Indent: 4})
	}
	return lines
}
