package cmd

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/models/steps"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) stepsCommand() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use: "steps [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kinds := []models.StepKind{models.DeploySteps, models.CleanSteps, models.ServiceSteps}
			if kind != "" {
				if !slices.Contains(kinds, models.StepKind(kind)) {
					return usagef("--kind %q: want deploy, clean or service", kind)
				}
				kinds = []models.StepKind{models.StepKind(kind)}
			}
			if len(args) == 0 {
				return a.printSteps(steps.All(), kinds, "")
			}
			return a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
				n, err := oneNode(cmd.Context(), s, args[0])
				if err != nil {
					return err
				}
				return a.printSteps(provision.StepsOf(n, s.Offered(n.UUID)), kinds, n.Label())
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only the steps of deploy, clean or service")
	return cmd
}

// printSteps prints the steps that can be part of some operations; without a node, also the interfaces that offer
// them.
func (a *app) printSteps(list []steps.Known, kinds []models.StepKind, node string) error {
	r := result{header: []string{"STEP", "IN", "AUTOMATED", "ARGUMENTS", "DESCRIPTION"}, empty: "No steps."}
	if node == "" {
		r.header = append(r.header, "OFFERED BY")
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
		r.names = append(r.names, k.Label())
		r.rows = append(r.rows, row)
	}
	r.data = shown
	return a.print(r)
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
