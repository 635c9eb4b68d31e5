package declared

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/stepfile"
)

func (a *app) declaredSteps(use string, kind stepfile.Kind) declaredKind[stepfile.Item] {
	name := func(item stepfile.Item) string { return item.Name }
	return declaredKind[stepfile.Item]{
		app: a, noun: kind.Noun(), counted: kind.Noun(), argument: "NAME…", apply: "ironworks " + use + " apply", refused: kind.Noun() + "s",
		hidden: "always write arguments with secrets, because they cannot be compared",
		list: func(ctx context.Context, s *session.Session) ([]stepfile.Item, error) {
			return provision.StepFiles(ctx, s.Client, kind)
		},
		find: func(all []stepfile.Item, ids []string) ([]stepfile.Item, error) {
			return provision.FindStepFiles(all, kind, ids)
		},
		parse: func(data []byte, name string) ([]stepfile.Item, error) { return stepfile.Parse(data, name, kind) },
		yaml:  stepfile.YAML, documents: documentsOf, name: name,
		words: func(item stepfile.Item) []string { return []string{item.Name} },
		note:  func(stepfile.Item) string { return "" },
		plan:  provision.PlanStepFiles, remove: provision.DeleteStepFiles,
	}
}

func (a *app) stepFilesListCommand(kind stepfile.Kind) *cobra.Command {
	var node string
	cmd := &cobra.Command{
		Use: "list", Args: cobra.NoArgs,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			list, err := provision.StepFiles(cmd.Context(), s.Client, kind)
			if err != nil {
				return err
			}
			if node != "" {
				n, err := s.Client.Node(cmd.Context(), node)
				if err != nil {
					return err
				}
				list = stepfile.OnNode(list, n.Traits)
			}
			r := cli.Result{Header: []string{"NAME", "STEPS", "UUID"}, Data: documentsOf(list), Empty: "No " + kind.Noun() + "s."}
			if kind == stepfile.Runbook {
				r.Header = []string{"NAME", "STEPS", "TRAITS", "PUBLIC", "OWNER", "UUID"}
			}
			for i := range list {
				item := &list[i]
				row := []string{item.Name, strings.Join(item.StepNames(), ", ")}
				if kind == stepfile.Runbook {
					row = append(row, strings.Join(item.NeedsTraits(), ", "), models.YesNo(item.Flag("public")), item.Fields.Text("owner"))
				}
				r.Names = append(r.Names, item.Name)
				r.Rows = append(r.Rows, append(row, item.UUID))
			}
			return a.Print(r)
		}),
	}
	cmd.Flags().StringVar(&node, "node", "", map[stepfile.Kind]string{
		stepfile.Template: "only the templates whose trait this node has", stepfile.Runbook: "only the runbooks that the traits of this node allow",
	}[kind])
	return cmd
}

// documentsOf returns deploy templates or runbooks in the form that the API uses.
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

func (a *app) stepFilesCommand(use string, kind stepfile.Kind) *cobra.Command {
	return cli.Group(use+" list|show|check|apply|delete", append(a.declaredSteps(use, kind).commands(), a.stepFilesListCommand(kind))...)
}
