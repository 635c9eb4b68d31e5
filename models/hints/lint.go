package hints

import (
	"errors"
	"fmt"
	"strings"
)

// Severity says how serious a problem with hints is.
type Severity string

// The levels of severity.
const (
	// Fails means that a deployment with these hints fails.
	Fails Severity = "error"
	// Doubtful means that the hints probably do not have the intended effect.
	Doubtful Severity = "warning"
)

// Problem is a problem of the hints regardless of the disks. Hint is empty if it concerns no specific hint.
type Problem struct {
	Hint     Hint     `json:"hint,omitempty"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
}

// String formats the problem on one line.
func (p Problem) String() string {
	if p.Hint == "" {
		return fmt.Sprintf("%s: %s", p.Severity, p.Text)
	}
	return fmt.Sprintf("%s: %s: %s", p.Severity, p.Hint, p.Text)
}

// Lint returns the problems that can be found without knowing the disks. If Ironic or the agent rejects the hints,
// the problem quotes the error.
func (h Hints) Lint(by Generation) []Problem {
	if !h.IsSet() {
		return nil
	}
	ironic, agent := h.Validate(by), h.Parse(by)
	var problems []Problem
	var e *Error
	fails := func(text string) { problems = append(problems, Problem{Severity: Fails, Text: text}) }
	switch {
	case h.Disagree(by) != "":
		fails(h.Disagree(by))
	case errors.As(ironic, &e):
		fails("Ironic refuses the hints: " + e.Text)
	}
	if agent != nil {
		return problems
	}
	r := newReader(by, true)
	hints, _ := r.parse(h.value)
	for _, hint := range hints {
		problems = append(problems, r.lint(hint, h.Expression(hint.name))...)
	}
	return problems
}

// lint checks one hint that could be parsed. given is the hint's original expression.
func (r reader) lint(h parsedHint, given string) []Problem {
	var problems []Problem
	say := func(severity Severity, format string, args ...any) {
		problems = append(problems, Problem{Hint: h.name, Severity: severity, Text: fmt.Sprintf(format, args...)})
	}
	if h.name == Rotational {
		return nil
	}
	t, err := r.tokens(h.spec)
	if err != nil || len(t) < 2 {
		return nil
	}
	op := t[0]
	switch {
	case op == opAllIn:
		say(Fails, "<all-in> requires a list value, and no disk has one: the agent fails")
	case h.name == Size:
		lintSize(op, say)
	case strings.Trim(op, "=!<>") == "": // the operator compares numbers
		say(Doubtful, "%s compares numbers: the agent fails on disks without %s; s%s compares text", op, h.name, textOperator(op))
	case op == "s!=":
		say(Doubtful, "s!= also matches disks that do not report their %s", h.name)
	case h.name == Name && strings.Contains(strings.ToLower(given), "/dev/sd"):
		say(Doubtful, "kernel names may change at the next boot")
	}
	return problems
}

func textOperator(op string) string {
	if op == "=" {
		return "=="
	}
	return op
}

func lintSize(op string, say func(Severity, string, ...any)) {
	switch op {
	case "==":
		say(Doubtful, "equality is exact, and sizes are in GiB: a 480 GB disk has 447.13; >= is safer")
	case "=":
		say(Doubtful, "= means \"at least\", like >=")
	case "!=":
		say(Doubtful, "!= matches nearly every disk: sizes are compared exactly")
	case opOr, "s==":
		say(Fails, "%s compares text, and a size is a number: no disk matches", op)
	case "s!=":
		say(Doubtful, "s!= compares text, and a size is a number: every disk matches")
	case opIn, "s<", "s<=", "s>", "s>=":
		say(Fails, "%s compares text, and a size is a number: the agent fails", op)
	}
}
