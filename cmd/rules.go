package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/document"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/session"
)

func (a *app) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "rules list|show|check|test|apply|delete|example"}
	cmd.AddCommand(
		a.rulesListCommand(), a.rulesShowCommand(), a.rulesCheckCommand(), a.rulesTestCommand(), a.rulesApplyCommand(),
		a.rulesDeleteCommand(), a.rulesExampleCommand(),
	)
	return needsSubcommand(cmd)
}

func (a *app) rulesListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Args: cobra.NoArgs,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			list, err := provision.Rules(cmd.Context(), s.Client)
			if err != nil {
				return err
			}
			r := result{
				header: []string{"PRIORITY", "DESCRIPTION", "CONDITIONS", "ACTIONS", "SENSITIVE", "UUID"}, data: bodiesOf(list),
				empty: "No inspection rules.",
			}
			for _, rule := range rules.Sorted(list) {
				conditions, actions := cmp.Or(rules.Names(rule.Conditions), "always"), rules.Names(rule.Actions)
				if rule.Hidden {
					conditions, actions = "hidden", "hidden"
				}
				r.names = append(r.names, rule.UUID)
				r.rows = append(r.rows, []string{fmt.Sprint(rule.Priority), rule.Description, conditions, actions, yesNo(rule.Sensitive), rule.UUID})
			}
			return a.print(r)
		}),
	}
}

// bodiesOf returns the rules in the order in which Ironic runs them, as the API has them.
func bodiesOf(list []*rules.Rule) []any {
	bodies := []any{}
	for _, rule := range rules.Sorted(list) {
		bodies = append(bodies, rule.Body())
	}
	return bodies
}

func (a *app) rulesShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show RULE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeRules,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			found, err := findRules(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			text, err := rules.YAML(found)
			if err != nil {
				return err
			}
			r := result{data: bodiesOf(found), text: string(text)}
			for _, rule := range found {
				r.names = append(r.names, rule.UUID)
				if rule.Hidden {
					a.complain("rule %q is sensitive: Ironic hides its conditions and actions", rule.Label())
				}
			}
			return a.print(r)
		}),
	}
}

func findRules(ctx context.Context, s *session.Session, ids []string) ([]*rules.Rule, error) {
	all, err := provision.Rules(ctx, s.Client)
	if err != nil {
		return nil, err
	}
	return provision.FindRules(all, ids)
}

// completeRules offers the descriptions and UUIDs of Ironic's rules.
func (a *app) completeRules(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeDeclared(cmd, func(ctx context.Context, s *session.Session) (words []string, err error) {
		list, err := provision.Rules(ctx, s.Client)
		for _, rule := range list {
			words = append(words, rule.UUID)
			if rule.Description != "" {
				words = append(words, rule.Description)
			}
		}
		return words, err
	})
}

func (a *app) rulesCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE…", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := a.readRules(args)
			if err != nil {
				return err
			}
			a.complain("%s, no errors", models.Counted(len(list), "rule"))
			return nil
		},
	}
}

// readRules reads files of rules, and prints their warnings.
func (a *app) readRules(names []string) (all []*rules.Rule, err error) {
	err = a.eachFile(names, func(data []byte, name string) error {
		file, err := rules.Parse(data, name)
		if err != nil {
			return err
		}
		for _, w := range file.Warnings {
			a.tell("%s\n", &document.Error{File: name, Problems: []document.Problem{{Line: w.Line, Column: w.Column, Why: "warning: " + w.Why}}})
		}
		all = append(all, file.Rules...)
		return nil
	})
	return all, err
}

func (a *app) rulesExampleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "example [NAME]", Args: cobra.MaximumNArgs(1), ValidArgs: rules.Examples(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, ok := rules.Example(args[0])
				if !ok {
					return usagef("no example %q; there are %s", args[0], strings.Join(rules.Examples(), ", "))
				}
				return a.print(result{text: text, data: text, names: args})
			}
			r := result{header: []string{"NAME", "PURPOSE"}}
			purposes := map[string]string{}
			for _, name := range rules.Examples() {
				text, _ := rules.Example(name)
				purposes[name] = rules.Purpose(text)
				r.names = append(r.names, name)
				r.rows = append(r.rows, []string{name, purposes[name]})
			}
			r.data = purposes
			return a.print(r)
		},
	}
}

func (a *app) rulesApplyCommand() *cobra.Command {
	var flags declaredFlags
	var files []string
	var rewrite bool
	cmd := &cobra.Command{
		Use: "apply -f FILE", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(files) == 0 {
				return usagef("rules apply: want -f FILE")
			}
			wanted, err := a.readRules(files) // before connecting: the file may be wrong
			if err != nil {
				return err
			}
			return a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
				now, err := provision.Rules(cmd.Context(), s.Client)
				if err != nil {
					return err
				}
				steps, err := provision.PlanRules(now, wanted, rewrite)
				if err != nil {
					return &models.Refusal{Kind: models.RefusedArguments, Action: "rules apply", Why: err.Error()}
				}
				return a.carryOutDeclared(cmd.Context(), s, steps, flags)
			})(cmd, nil)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, "file with inspection rules, YAML or JSON, or -; may be repeated")
	cmd.Flags().BoolVar(&rewrite, "rewrite-sensitive", false, "write the conditions and actions of sensitive rules, which cannot be compared")
	return cmd
}

func (a *app) rulesDeleteCommand() *cobra.Command {
	var flags declaredFlags
	cmd := &cobra.Command{
		Use: "delete RULE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeRules,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			found, err := findRules(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			return a.carryOutDeclared(cmd.Context(), s, provision.DeleteRules(found), flags)
		}),
	}
	flags.register(cmd)
	return cmd
}
