package hardware

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/steps"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) stepsCommand() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use: "steps [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kinds := []models.StepKind{models.DeploySteps, models.CleanSteps, models.ServiceSteps}
			if kind != "" {
				if !slices.Contains(kinds, models.StepKind(kind)) {
					return cli.Usagef("--kind %q: must be deploy, clean or service", kind)
				}
				kinds = []models.StepKind{models.StepKind(kind)}
			}
			if len(args) == 0 {
				return a.printSteps(steps.All(), kinds, "")
			}
			return a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
				n, err := cli.OneNode(cmd.Context(), s, args[0])
				if err != nil {
					return err
				}
				return a.printSteps(provision.StepsOf(n, s.Offered(n.UUID)), kinds, n.Label())
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only deploy, clean or service steps")
	return cmd
}

// printSteps prints the steps that can be part of the given kinds of operations. If node is empty, it also prints
// which interfaces offer each step.
func (a *app) printSteps(list []steps.Known, kinds []models.StepKind, node string) error {
	r := cli.Result{Header: []string{"STEP", "IN", "AUTOMATED", "ARGUMENTS", "DESCRIPTION"}, Empty: "No steps."}
	if node == "" {
		r.Header = append(r.Header, "OFFERED BY")
	}
	shown := []steps.Known{}
	for _, k := range list {
		k.Kinds = slices.DeleteFunc(slices.Clone(k.Kinds), func(kind models.StepKind) bool { return !slices.Contains(kinds, kind) })
		if len(k.Kinds) == 0 {
			continue
		}
		shown = append(shown, k)
		automated := ""
		if k.Automated > 0 {
			automated = strconv.Itoa(k.Automated)
		}
		row := []string{k.Label(), strings.Join(models.Texts(k.Kinds), " "), automated, argumentNames(k.Args), k.Description}
		if node == "" {
			row = append(row, k.OfferedBy())
		}
		r.Names = append(r.Names, k.Label())
		r.Rows = append(r.Rows, row)
	}
	r.Data = shown
	return a.Print(r)
}

// argumentNames lists arguments, optional ones in brackets.
func argumentNames(list []steps.Argument) string {
	names := make([]string, len(list))
	for i, arg := range list {
		names[i] = arg.Name
		if !arg.Required {
			names[i] = "[" + arg.Name + "]"
		}
	}
	return strings.Join(names, " ")
}
