package actions

import (
	"fmt"
	"strings"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
)

// printDryRun prints the report of a dry run. If any deployment would be refused, it returns an error that carries
// the exit code for refusals.
func (a *app) printDryRun(action *provision.DeployAction, nodes []models.Node) error {
	reports := make([]provision.DeployReport, len(nodes))
	var text strings.Builder
	var names []string
	refused := false
	for i := range nodes {
		reports[i] = action.Report(&nodes[i])
		if reports[i].Refused {
			refused = true
		} else {
			names = append(names, nodes[i].Label())
		}
		writeReport(&text, &reports[i])
	}
	if err := a.Print(cli.Result{Data: reports, Names: names, Text: text.String()}); err != nil {
		return err
	}
	if refused {
		return a.Refusef("refused: nothing would be sent")
	}
	return nil
}

// writeReport writes the report of one node as text.
func writeReport(b *strings.Builder, r *provision.DeployReport) {
	fmt.Fprintf(b, "%s\n", r.Node.Label())
	if r.Error != "" {
		fmt.Fprintf(b, "  refused: %s\n", r.Error)
		return
	}
	for _, c := range r.Checks {
		fmt.Fprintf(b, "  %-8s %s\n", c.Mark(), c)
		for _, e := range c.Reported() {
			fmt.Fprintf(b, "           %s\n", e)
		}
	}
	if r.Refused {
		return
	}
	fmt.Fprintf(b, "  effect   %s\n", r.Effect)
	for i, s := range r.Steps {
		fmt.Fprintf(b, "  step %-3d %s  (%s)\n", i+1, plan.StepText(s.Step), s.Source)
	}
	for _, q := range r.Requests {
		fmt.Fprintf(b, "  send     %s\n", strings.ReplaceAll(q.String(), "\n", "\n         "))
	}
	for _, c := range r.Commands {
		fmt.Fprintf(b, "  $ %s\n", c)
	}
}
