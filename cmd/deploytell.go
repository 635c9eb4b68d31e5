package cmd

import (
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/request"
	"ironworks/provision"
)

// deployReport is what --dry-run shows of one node.
type deployReport struct {
	Node     models.NodeRef     `json:"node"`
	Refused  bool               `json:"refused"`
	Effect   string             `json:"effect"`
	Checks   []plan.Check       `json:"checks"`
	Steps    []plan.OrderedStep `json:"steps"`
	Requests []request.Request  `json:"requests"`
	Commands []string           `json:"commands"`
	// Error is why the node could not be judged at all.
	Error string `json:"error,omitempty"`
}

// tellDeployment prints what a deployment would do, and refuses as it would.
func (a *app) tellDeployment(action *provision.DeployAction, nodes []models.Node) error {
	reports := make([]deployReport, len(nodes))
	var text strings.Builder
	var names []string
	code := exitOK
	for i := range nodes {
		n := &nodes[i]
		r := &reports[i]
		*r = deployReport{
			Node: n.Ref(), Effect: models.Printable(action.Effect(n).Text), Checks: nonNil(action.Checks(n)), Steps: nonNil(action.Order(n)),
			Requests: nonNil(action.Requests(n)), Commands: nonNil(action.Commands(n)),
		}
		if refused := action.Refuse(n, models.APIVersion{}); refused != nil {
			r.Refused, code = true, exitRefused
			if len(plan.RefusedChecks(r.Checks)) == 0 {
				r.Error = refused.Why
			}
		} else {
			names = append(names, n.Label())
		}
		r.write(&text)
	}
	if err := a.print(result{data: reports, names: names, text: text.String()}); err != nil {
		return err
	}
	if code != exitOK {
		a.complain("refused: nothing would be sent")
		return &codeError{code: code}
	}
	return nil
}

// write is the report for people.
func (r *deployReport) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", models.Printable(r.Node.Label()))
	if r.Error != "" {
		fmt.Fprintf(b, "  refused: %s\n", models.Printable(r.Error))
		return
	}
	for _, c := range r.Checks {
		writeCheck(b, c)
	}
	if r.Refused {
		return
	}
	fmt.Fprintf(b, "  effect   %s\n", r.Effect)
	for i, s := range r.Steps {
		fmt.Fprintf(b, "  step %-3d %s  (%s)\n", i+1, models.Printable(plan.StepText(s.Step)), models.Printable(s.Source))
	}
	for _, q := range r.Requests {
		fmt.Fprintf(b, "  send     %s\n", strings.ReplaceAll(q.String(), "\n", "\n         "))
	}
	for _, c := range r.Commands {
		fmt.Fprintf(b, "  $ %s\n", models.Printable(c))
	}
}

func writeCheck(b *strings.Builder, c plan.Check) {
	mark := string(c.Severity)
	if c.Overridden {
		mark = "overridden"
	}
	fmt.Fprintf(b, "  %-8s %s\n", mark, c)
	if c.Severity == plan.CheckOK {
		return
	}
	for _, e := range c.Evidence {
		fmt.Fprintf(b, "           %s\n", e)
	}
}

// tellDoubts says what warns and what is not known of the nodes that will be deployed, and
// what is done to those that are only followed.
func (a *app) tellDoubts(action *provision.DeployAction, deployPlan provision.Batch) {
	for _, i := range deployPlan.Legal() {
		if action.OnlyFollows(&i.Node) {
			a.complain("%s: %s", models.Printable(i.Node.Label()), i.Effect.Text)
		}
		for _, c := range action.Checks(&i.Node) {
			switch {
			case c.Overridden:
				a.complain("%s: overridden: %s", models.Printable(i.Node.Label()), c)
			case c.Severity == plan.CheckWarn:
				a.complain("%s: warning: %s", models.Printable(i.Node.Label()), c)
			case c.Severity == plan.CheckUnknown:
				a.complain("%s: not known: %s", models.Printable(i.Node.Label()), c)
			}
		}
	}
}
