// Package review formats the text that the operator reads before a deployment: its effects on a machine, or the
// failed checks. Dialogs and screens share it.
package review

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/theme"
)

// indent is the column at which values start.
const indent = 14

type reviewText []overlay.Text

func (t *reviewText) under(r theme.Role, s string) {
	*t = append(*t, overlay.Text{Role: r, Text: "  " + s, Indent: 4})
}

func (t *reviewText) named(r theme.Role, name, value string) {
	*t = append(*t, overlay.Text{Role: r, Text: fmt.Sprintf("  %-11s %s", name, value), Indent: indent})
}

// heading adds an empty line and the heading of the next part.
func (t *reviewText) heading(s string) {
	*t = append(*t, overlay.Text{}, overlay.Text{Role: theme.Strong, Text: s})
}

// Lines describes the deployment of a machine: its identity, the target disk, the warnings, the requests.
func Lines(r provision.Review) []overlay.Text {
	t := reviewText(Machine(r))
	if r.FollowUp != "" {
		return t
	}
	t.checks(r.Checks)
	return append(t, Sent(r)...)
}

// Machine describes the machine: its identity, the target disk and the other disks.
func Machine(r provision.Review) []overlay.Text {
	t := reviewText{{Role: theme.Strong, Text: r.Node.Label()}}
	for _, d := range models.Card(&r.Node) {
		if d.Name != "name" {
			t.named(theme.Plain, d.Name, d.Value)
		}
	}
	if r.FollowUp != "" {
		t.named(theme.Warn, "effect", r.FollowUp)
		return t
	}
	t.disks(r)
	return t
}

// Sent lists the steps, the requests and their effects. It returns no lines for an interrupted deployment, because
// these requests are not sent again.
func Sent(r provision.Review) []overlay.Text {
	var t reviewText
	if r.FollowUp != "" {
		return t
	}
	t.heading("Steps, in order")
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
	t.heading("As baremetal commands")
	for _, c := range r.Commands {
		t.under(theme.Muted, c)
	}
	return t
}

// disks adds the interface, the image, the disk that is overwritten, and what happens to the other disks.
func (t *reviewText) disks(r provision.Review) {
	t.named(theme.Plain, "interface", r.Interface)
	if r.Image != "" {
		t.named(theme.Plain, "image", r.Image)
	}
	t.named(theme.Danger, "overwrites", r.TargetText)
	if len(r.Others) == 0 {
		return
	}
	later := "kept by the deployment; erased by automated cleaning at undeploy"
	if clean := r.Node.AutomatedClean; clean != nil && !*clean {
		later = "kept by the deployment; automated cleaning is off"
	}
	t.named(theme.Plain, "other disks", later)
	for i := range r.Others {
		t.named(theme.Plain, "", provision.DiskText(&r.Others[i]))
	}
}

// Short describes the deployment of one machine in one line. The line contains the target disk and the checks that
// did not pass. For an interrupted deployment, the line describes the remaining work instead.
func Short(r provision.Review) overlay.Text {
	if r.FollowUp != "" {
		return overlay.Text{Role: theme.Warn, Text: r.Node.Label() + "  " + r.FollowUp, Indent: 4}
	}
	line := overlay.Text{Text: r.Node.Label() + "  overwrites " + r.TargetText, Indent: 4}
	for _, c := range r.Checks {
		switch {
		case c.Overridden:
			line.Role = theme.Danger
			line.Text += " – overridden: " + string(c.ID)
		case c.Severity != plan.CheckOK:
			_, glyph, _ := checkStyle(c)
			line.Text += " " + glyph + " " + string(c.ID)
		}
	}
	return line
}

// checks adds the number of checks by result and, below it, the checks that did not pass with their evidence.
func (t *reviewText) checks(checks []plan.Check) {
	passed := 0
	counts := map[string]int{}
	var rest reviewText
	for _, c := range checks {
		if c.Severity == plan.CheckOK {
			passed++
			continue
		}
		_, _, word := checkStyle(c)
		counts[word]++
		rest = append(rest, Check(c)...)
	}
	line := fmt.Sprintf("Checks: %d passed", passed)
	for _, word := range []string{"failed", "overridden", "unknown"} {
		if n := counts[word]; n > 0 {
			line += fmt.Sprintf(", %d %s", n, word)
		}
	}
	if n := counts["warning"]; n > 0 {
		line += ", " + models.Counted(n, "warning")
	}
	t.heading(line)
	*t = append(*t, rest...)
}

// Check formats a check with its evidence and its remedy.
func Check(c plan.Check) []overlay.Text {
	role, glyph, word := checkStyle(c)
	lines := []overlay.Text{{Role: role, Text: fmt.Sprintf("  %s %s: %s: %s", glyph, word, c.ID, c.Text), Indent: 4}}
	for _, e := range c.Evidence {
		lines = append(lines, overlay.Text{Role: theme.Muted, Text: "      " + e.String(), Indent: 8})
	}
	if c.ScreenRemedy != "" {
		lines = append(lines, overlay.Text{Text: "      → " + c.ScreenRemedy, Indent: 8})
	}
	return lines
}

// checkStyle returns the role, the glyph and the word for the result of a check. Each alone identifies the result.
func checkStyle(c plan.Check) (role theme.Role, glyph, word string) {
	switch {
	case c.Overridden:
		return theme.Danger, theme.GlyphMaint, "overridden"
	case c.Severity == plan.CheckRefuse:
		return theme.Bad, theme.GlyphFailed, "failed"
	case c.Severity == plan.CheckWarn:
		return theme.Warn, theme.GlyphMaint, "warning"
	case c.Severity == plan.CheckUnknown:
		return theme.Muted, theme.GlyphUnknown, "unknown"
	}
	return theme.Good, theme.GlyphDone, "ok"
}

// Refused lists the failed checks of a node with their evidence and remedies, and whether they can be overridden.
func Refused(r provision.Review) []overlay.Text {
	lines := []overlay.Text{{Role: theme.Strong, Text: r.Node.Label()}}
	refused := plan.RefusedChecks(r.Checks)
	for _, c := range refused {
		lines = append(lines, Check(c)...)
		may := "can be overridden"
		if !c.Override {
			may = "cannot be overridden"
		}
		lines = append(lines, overlay.Text{Role: theme.Muted, Text: "      " + may})
	}
	if len(refused) == 0 && r.Refusal != nil {
		lines = append(lines, overlay.Text{Role: theme.Bad, Text: "  " + theme.GlyphFailed + " " + r.Refusal.WhyOnScreen(), Indent: 4})
	}
	return lines
}

// Names returns the label of the node if there is only one, and the number of nodes otherwise.
func Names(items []provision.Item) string {
	if len(items) == 1 {
		return items[0].Node.Label()
	}
	return fmt.Sprintf("%d nodes", len(items))
}

// OverrideWords returns the flags that override the same checks on the command line. A command overrides checks on
// all its nodes. If the overridden checks differ between nodes, OverrideWords returns no flags, so that the command
// is refused.
func OverrideWords(nodes []models.NodeRef, overrides map[string][]plan.CheckID) []string {
	var words []string
	var same []plan.CheckID
	for _, n := range nodes {
		checks := overrides[n.UUID]
		switch {
		case len(checks) == 0:
			continue
		case same == nil:
			same = checks
		case !slices.Equal(same, checks):
			return nil
		}
		words = append(words, "--confirm", n.Label())
	}
	for _, id := range same {
		words = append(words, "--override", string(id))
	}
	return words
}
