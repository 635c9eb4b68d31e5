package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/audit"
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
				conditions, actions := operationNames(rule.Conditions, "always"), operationNames(rule.Actions, "")
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

func operationNames(list []rules.Operation, none string) string {
	var names []string
	for i := range list {
		names = append(names, list[i].Op)
	}
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

func (a *app) rulesShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show RULE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeRules,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			all, err := provision.Rules(cmd.Context(), s.Client)
			if err != nil {
				return err
			}
			found, err := provision.FindRules(all, args)
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

// completeRules offers the descriptions and UUIDs of Ironic's rules.
func (a *app) completeRules(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var words []string
	_ = a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
		list, err := provision.Rules(cmd.Context(), s.Client)
		for _, rule := range list {
			words = append(words, rule.UUID)
			if rule.Description != "" {
				words = append(words, rule.Description)
			}
		}
		return err
	})(cmd, nil)
	return words, cobra.ShellCompDirectiveNoFileComp
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

// readRules reads files of rules, and prints their warnings. The error has the problems of all files.
func (a *app) readRules(names []string) ([]*rules.Rule, error) {
	var all []*rules.Rule
	var problems []error
	for _, name := range names {
		data, err := a.readNodeFile(name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if name == "-" {
			name = "stdin"
		}
		file, err := rules.Parse(data, name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, w := range file.Warnings {
			a.tell("%s\n", &document.Error{File: name, Problems: []document.Problem{{Line: w.Line, Column: w.Column, Why: "warning: " + w.Why}}})
		}
		all = append(all, file.Rules...)
	}
	return all, errors.Join(problems...)
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

// ruleFlags are the flags of commands that change rules.
type ruleFlags struct {
	dryRun, yes bool
}

func (f *ruleFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the requests without sending")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "skip the confirmation")
}

func (a *app) rulesApplyCommand() *cobra.Command {
	var flags ruleFlags
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
				return a.carryOutRules(cmd.Context(), s, steps, flags)
			})(cmd, nil)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, "file with inspection rules, YAML or JSON, or -; may be repeated")
	cmd.Flags().BoolVar(&rewrite, "rewrite-sensitive", false, "write the conditions and actions of sensitive rules, which cannot be compared")
	return cmd
}

func (a *app) rulesDeleteCommand() *cobra.Command {
	var flags ruleFlags
	cmd := &cobra.Command{
		Use: "delete RULE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeRules,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			all, err := provision.Rules(cmd.Context(), s.Client)
			if err != nil {
				return err
			}
			found, err := provision.FindRules(all, args)
			if err != nil {
				return err
			}
			return a.carryOutRules(cmd.Context(), s, provision.DeleteRules(found), flags)
		}),
	}
	flags.register(cmd)
	return cmd
}

// carryOutRules shows a plan, asks where something is lost, sends it and prints the results.
func (a *app) carryOutRules(ctx context.Context, s *session.Session, steps []provision.RuleStep, flags ruleFlags) error {
	if flags.dryRun {
		return a.printRuleRequests(steps)
	}
	loses := false
	for i := range steps {
		loses = loses || steps[i].Verb == provision.RuleChange || steps[i].Verb == provision.RuleDelete
	}
	if loses && !flags.yes && a.interactive() {
		for i := range steps {
			if steps[i].Now != nil {
				a.tell("%s", steps[i].Difference())
			}
		}
		question := provision.RuleCounts(steps) + "? [y/N] "
		if err := a.askYes(ctx, question, "rules", nothingSent); err != nil {
			return err
		}
	}
	book, err := audit.Open(s.Files.Audit)
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }()
	return a.printRuleResults(steps, s.Runner(book).SendRules(ctx, steps))
}

func (a *app) printRuleRequests(steps []provision.RuleStep) error {
	var text strings.Builder
	r := result{}
	requests := []any{}
	for i := range steps {
		step := &steps[i]
		if step.Now == nil || step.Request.Method == "" {
			fmt.Fprintf(&text, "%s %s\n", step.Verb, step.Rule.Label())
		} else {
			text.WriteString(step.Difference())
		}
		if step.Request.Method == "" {
			continue
		}
		requests = append(requests, step.Request)
		r.names = append(r.names, step.Rule.Label())
		fmt.Fprintf(&text, "  %s\n", strings.ReplaceAll(step.Request.String(), "\n", "\n  "))
		for _, command := range step.Request.Commands {
			fmt.Fprintf(&text, "  $ %s\n", command)
		}
	}
	r.text, r.data = text.String(), requests
	return a.print(r)
}

// ruleOutcome is the result of one rule, as JSON.
type ruleOutcome struct {
	Rule   string             `json:"rule"`
	UUID   string             `json:"uuid,omitempty"`
	Action provision.RuleVerb `json:"action"`
	Fields []string           `json:"fields,omitempty"`
	Result string             `json:"result"`
	Error  string             `json:"error,omitempty"`
}

func (a *app) printRuleResults(steps []provision.RuleStep, errs []error) error {
	r := result{header: []string{"RULE", "ACTION", "RESULT", "DETAILS"}}
	outcomes := []ruleOutcome{}
	var first error
	for i := range steps {
		step := &steps[i]
		o := ruleOutcome{Rule: step.Rule.Label(), UUID: step.Rule.UUID, Action: step.Verb, Fields: step.Fields, Result: "done"}
		details := strings.Join(step.Fields, ", ")
		switch {
		case errs[i] != nil:
			o.Result, o.Error = "failed", errs[i].Error()
			details = o.Error
			if first == nil {
				first = errs[i]
			}
		case step.Verb == provision.RuleHidden:
			details = "its conditions and actions cannot be compared; --rewrite-sensitive writes them"
		}
		outcomes = append(outcomes, o)
		r.names = append(r.names, o.Rule)
		r.rows = append(r.rows, []string{o.Rule, string(o.Action), o.Result, details})
	}
	r.data = outcomes
	if err := a.print(r); err != nil || first == nil {
		return err
	}
	return &codeError{code: exitCode(first)}
}
