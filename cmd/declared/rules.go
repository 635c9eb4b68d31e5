package declared

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/document"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/session"
)

func (a *app) rulesCommand() *cobra.Command {
	cmd := cli.Group("rules list|show|check|test|apply|delete|example", a.rulesListCommand(), a.rulesTestCommand(), a.rulesExampleCommand())
	cmd.AddCommand(a.declaredRules().commands()...)
	return cmd
}

func (a *app) declaredRules() declaredKind[*rules.Rule] {
	return declaredKind[*rules.Rule]{
		app: a, noun: "inspection rule", counted: "rule", argument: "RULE…", apply: "rules apply", refused: "rules apply",
		hidden: "always write the conditions and actions of sensitive rules, because they cannot be compared",
		list: func(ctx context.Context, s *session.Session) ([]*rules.Rule, error) {
			return provision.Rules(ctx, s.Client)
		},
		find: provision.FindRules, parse: a.parseRules, yaml: rules.YAML, documents: bodiesOf,
		name: func(rule *rules.Rule) string { return rule.UUID },
		words: func(rule *rules.Rule) []string {
			return cli.NonEmpty(rule.UUID, rule.Description)
		},
		note: func(rule *rules.Rule) string {
			if !rule.Hidden {
				return ""
			}
			return fmt.Sprintf("rule %q is sensitive: Ironic hides its conditions and actions", rule.Label())
		},
		plan: provision.PlanRules, remove: provision.DeleteRules,
	}
}

func (a *app) rulesListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Args: cobra.NoArgs,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			list, err := provision.Rules(cmd.Context(), s.Client)
			if err != nil {
				return err
			}
			r := cli.Result{
				Header: []string{"PRIORITY", "DESCRIPTION", "CONDITIONS", "ACTIONS", "SENSITIVE", "UUID"}, Data: bodiesOf(list),
				Empty: "No inspection rules.",
			}
			for _, rule := range rules.Sorted(list) {
				conditions, actions := cmp.Or(rules.Names(rule.Conditions), "always"), rules.Names(rule.Actions)
				if rule.Hidden {
					conditions, actions = "hidden", "hidden"
				}
				r.Add(rule.UUID, fmt.Sprint(rule.Priority), rule.Description, conditions, actions, cli.YesNo(rule.Sensitive), rule.UUID)
			}
			return a.Print(r)
		}),
	}
}

// bodiesOf returns rules in the form that the API uses, in the order in which Ironic runs them.
func bodiesOf(list []*rules.Rule) []any {
	bodies := []any{}
	for _, rule := range rules.Sorted(list) {
		bodies = append(bodies, rule.Body())
	}
	return bodies
}

// parseRules reads a file of rules, and prints its warnings.
func (a *app) parseRules(data []byte, name string) ([]*rules.Rule, error) {
	file, err := rules.Parse(data, name)
	if err != nil {
		return nil, err
	}
	for _, w := range file.Warnings {
		a.PrintErr("%s\n", &document.Error{File: name, Problems: []document.Problem{{Line: w.Line, Column: w.Column, Why: "warning: " + w.Why}}})
	}
	return file.Rules, nil
}

func (a *app) rulesExampleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "example [NAME]", Args: cobra.MaximumNArgs(1), ValidArgs: rules.Examples(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, ok := rules.Example(args[0])
				if !ok {
					return cli.Usagef("no example %q; available: %s", args[0], strings.Join(rules.Examples(), ", "))
				}
				return a.Print(cli.Result{Text: text, Data: text, Names: args})
			}
			r := cli.Result{Header: []string{"NAME", "PURPOSE"}}
			purposes := map[string]string{}
			for _, name := range rules.Examples() {
				text, _ := rules.Example(name)
				purposes[name] = rules.Purpose(text)
				r.Add(name, name, purposes[name])
			}
			r.Data = purposes
			return a.Print(r)
		},
	}
}
