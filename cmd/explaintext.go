package cmd

import (
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// The widths of explanations: lines of any terminal, but none that nobody can read.
const (
	explainNarrow = 80
	explainWide   = 120
)

// explainWidth is how wide a text may be.
func (a *app) explainWidth() int {
	width, is := terminal(a.stdout)
	if !is {
		return explainNarrow
	}
	return max(40, min(width, explainWide))
}

// explanationText is the best explanation in full, and a line for each of the others.
func explanationText(all []explain.Explanation, width int) string {
	var b strings.Builder
	e := &all[0]
	explained(&b, "verdict", e.Verdict, width)
	sure := string(e.Confidence)
	if e.Confidence == explain.ConfidenceLow {
		sure += ": a guess"
	}
	explained(&b, "confidence", fmt.Sprintf("%s  (rule %s)", sure, e.Rule), width)
	for i, item := range e.Evidence {
		explained(&b, first(i, "evidence"), evidenceText(item), width)
	}
	for i, not := range e.Not {
		explained(&b, first(i, "not"), not, width)
	}
	explained(&b, "next", e.Next.Text, width)
	explained(&b, "", e.Next.Command, width)
	for i := range all[1:] {
		other := &all[1+i]
		explained(&b, first(i, "or else"), fmt.Sprintf("%s  (%s, %s)", other.Verdict, other.Confidence, other.Rule), width)
	}
	return b.String()
}

func first(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}

// evidenceText has every age: how old a heartbeat is says more than when it was.
func evidenceText(e models.Observation) string {
	text := e.Field + " = " + e.Value
	if e.AgeSeconds > 0 {
		text += " (" + models.Age(time.Duration(e.AgeSeconds)*time.Second) + " ago)"
	}
	return text
}

// labelWidth is the column that texts begin in, behind their labels.
const labelWidth = 12

// explained writes a text behind its label, in as many lines as it takes; a word that is
// longer than a line, such as an address, stays whole.
func explained(b *strings.Builder, label, text string, width int) {
	fmt.Fprintf(b, "%-*s%s\n", labelWidth, label, wrapped(text, width, labelWidth))
}
