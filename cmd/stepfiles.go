package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/stepfile"
)

func (a *app) templatesCommand() *cobra.Command {
	return a.stepFilesCommand("templates", stepfile.Template)
}

func (a *app) runbooksCommand() *cobra.Command {
	return a.stepFilesCommand("runbooks", stepfile.Runbook)
}

func (a *app) stepFilesCommand(use string, kind stepfile.Kind) *cobra.Command {
	cmd := &cobra.Command{Use: use + " list|show|check|apply|delete"}
	cmd.AddCommand(
		a.stepFilesListCommand(kind), a.stepFilesShowCommand(kind), a.stepFilesCheckCommand(kind), a.stepFilesApplyCommand(kind), a.stepFilesDeleteCommand(kind),
	)
	return needsSubcommand(cmd)
}

func (a *app) stepFilesListCommand(kind stepfile.Kind) *cobra.Command {
	var node string
	cmd := &cobra.Command{
		Use: "list", Args: cobra.NoArgs,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			list, err := provision.StepFiles(cmd.Context(), s.Client, kind)
			if err != nil {
				return err
			}
			if node != "" {
				n, err := oneNode(cmd.Context(), s, node)
				if err != nil {
					return err
				}
				list = stepfile.OnNode(list, n.Traits)
			}
			r := result{header: []string{"NAME", "STEPS", "UUID"}, data: documentsOf(list), empty: "No " + kind.Noun() + "s."}
			if kind == stepfile.Runbook {
				r.header = []string{"NAME", "STEPS", "TRAITS", "PUBLIC", "OWNER", "UUID"}
			}
			for i := range list {
				item := &list[i]
				row := []string{item.Name, strings.Join(item.StepNames(), ", ")}
				if kind == stepfile.Runbook {
					public, _ := item.Fields.Get("public").(bool)
					row = append(row, strings.Join(item.NeedsTraits(), ", "), yesNo(public), item.Fields.Text("owner"))
				}
				r.names = append(r.names, item.Name)
				r.rows = append(r.rows, append(row, item.UUID))
			}
			return a.print(r)
		}),
	}
	cmd.Flags().StringVar(&node, "node", "", map[stepfile.Kind]string{
		stepfile.Template: "only the templates whose trait this node has", stepfile.Runbook: "only the runbooks that the traits of this node allow",
	}[kind])
	return cmd
}

// documentsOf returns objects as the API has them.
func documentsOf(list []stepfile.Item) []any {
	documents := []any{}
	for i := range list {
		body := list[i].Body()
		if traits, given := list[i].Traits(); given {
			body.Set("traits", traits)
		}
		documents = append(documents, body)
	}
	return documents
}

func (a *app) stepFilesShowCommand(kind stepfile.Kind) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeStepFiles(kind),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			found, err := findStepFiles(cmd.Context(), s, kind, args)
			if err != nil {
				return err
			}
			text, err := stepfile.YAML(found)
			if err != nil {
				return err
			}
			r := result{data: documentsOf(found), text: string(text)}
			for i := range found {
				r.names = append(r.names, found[i].Name)
			}
			return a.print(r)
		}),
	}
}

func findStepFiles(ctx context.Context, s *session.Session, kind stepfile.Kind, ids []string) ([]stepfile.Item, error) {
	all, err := provision.StepFiles(ctx, s.Client, kind)
	if err != nil {
		return nil, err
	}
	return provision.FindStepFiles(all, kind, ids)
}

func (a *app) completeStepFiles(kind stepfile.Kind) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.completeDeclared(cmd, func(ctx context.Context, s *session.Session) (words []string, err error) {
			list, err := provision.StepFiles(ctx, s.Client, kind)
			for i := range list {
				words = append(words, list[i].Name)
			}
			return words, err
		})
	}
}

func (a *app) stepFilesCheckCommand(kind stepfile.Kind) *cobra.Command {
	return &cobra.Command{
		Use: "check FILE…", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := a.readStepFiles(args, kind)
			if err != nil {
				return err
			}
			a.complain("%s, no errors", models.Counted(len(list), kind.Noun()))
			return nil
		},
	}
}

func (a *app) readStepFiles(names []string, kind stepfile.Kind) (all []stepfile.Item, err error) {
	err = a.eachFile(names, func(data []byte, name string) error {
		items, err := stepfile.Parse(data, name, kind)
		all = append(all, items...)
		return err
	})
	return all, err
}

func (a *app) stepFilesApplyCommand(kind stepfile.Kind) *cobra.Command {
	var flags declaredFlags
	var files []string
	var rewrite bool
	cmd := &cobra.Command{
		Use: "apply -f FILE", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(files) == 0 {
				return usagef("%s: want -f FILE", cmd.CommandPath())
			}
			wanted, err := a.readStepFiles(files, kind) // before connecting: the file may be wrong
			if err != nil {
				return err
			}
			return a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
				now, err := provision.StepFiles(cmd.Context(), s.Client, kind)
				if err != nil {
					return err
				}
				list, err := provision.PlanStepFiles(now, wanted, rewrite)
				if err != nil {
					return &models.Refusal{Kind: models.RefusedArguments, Action: kind.Noun() + "s", Why: err.Error()}
				}
				return a.carryOutDeclared(cmd.Context(), s, list, flags)
			})(cmd, nil)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, fmt.Sprintf("file with %ss, YAML or JSON, or -; may be repeated", kind.Noun()))
	cmd.Flags().BoolVar(&rewrite, "rewrite-sensitive", false, "write arguments with secrets, which cannot be compared")
	return cmd
}

func (a *app) stepFilesDeleteCommand(kind stepfile.Kind) *cobra.Command {
	var flags declaredFlags
	cmd := &cobra.Command{
		Use: "delete NAME…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeStepFiles(kind),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			found, err := findStepFiles(cmd.Context(), s, kind, args)
			if err != nil {
				return err
			}
			return a.carryOutDeclared(cmd.Context(), s, provision.DeleteStepFiles(found), flags)
		}),
	}
	flags.register(cmd)
	return cmd
}
