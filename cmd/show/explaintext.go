package show

import (
	"fmt"
	"strings"
	"time"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/explain"
)

// explainNarrow is the width of explanations if the output is not a terminal. explainWide is their maximum width on a
// terminal.
const (
	explainNarrow = 80
	explainWide   = 120
)

// explainWidth returns the width of explanations on this terminal.
func (a *app) explainWidth() int {
	width, is := cli.Terminal(a.Stdout)
	if !is {
		return explainNarrow
	}
	return max(40, min(width, explainWide))
}

// explanationText returns the best explanation in full, and one line for each alternative.
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
		explained(&b, first(i, "ruled out"), not, width)
	}
	explained(&b, "next", e.Next.Text, width)
	explained(&b, "", e.Next.Command, width)
	for i := range all[1:] {
		other := &all[1+i]
		explained(&b, first(i, "alternative"), fmt.Sprintf("%s  (%s, %s)", other.Verdict, other.Confidence, other.Rule), width)
	}
	return b.String()
}

func first(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}

// evidenceText formats evidence for people, with ages instead of times.
func evidenceText(e models.Observation) string {
	text := e.Field + " = " + e.Value
	if e.AgeSeconds > 0 {
		text += " (" + models.Age(time.Duration(e.AgeSeconds)*time.Second) + " ago)"
	}
	return text
}

// labelWidth is the width of the label column.
const labelWidth = 12

// explained writes a label and its text, wrapped. A word that is longer than a line, such as a URL, is not broken.
func explained(b *strings.Builder, label, text string, width int) {
	fmt.Fprintf(b, "%-*s%s\n", labelWidth, label, cli.Wrapped(text, width, labelWidth))
}
