// Package declared implements the commands for inspection rules, deploy templates and runbooks, which are applied
// from files.
package declared

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/stepfile"
)

// declaredFlags holds the flags of the commands that change rules, templates and runbooks from files.
type declaredFlags struct {
	dryRun, yes bool
}

func (f *declaredFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the requests without sending them")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "skip the confirmation")
}

// carryOutDeclared sends a plan and prints the results. At a terminal, it first shows the differences and asks for
// confirmation if objects would be changed or deleted.
func (a *app) carryOutDeclared(ctx context.Context, s *session.Session, list []provision.Declared, flags declaredFlags) error {
	if flags.dryRun {
		return a.printDeclaredRequests(list)
	}
	loses := false
	for i := range list {
		loses = loses || list[i].Verb == provision.DeclaredChange || list[i].Verb == provision.DeclaredDelete
	}
	if loses && !flags.yes && a.Interactive() {
		for i := range list {
			if list[i].Before != "" {
				a.PrintErr("%s", list[i].Difference())
			}
		}
		if err := a.AskYes(ctx, provision.DeclaredCounts(list)+"? [y/N] ", list[0].Noun, cli.NothingSent); err != nil {
			return err
		}
	}
	book, err := audit.Open(s.Files.Audit)
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }()
	return a.printDeclaredResults(list, s.Runner(book).SendDeclared(ctx, list))
}

func (a *app) printDeclaredRequests(list []provision.Declared) error {
	var text strings.Builder
	r := cli.Result{}
	requests := []any{}
	for i := range list {
		d := &list[i]
		if len(d.Requests) == 0 {
			fmt.Fprintf(&text, "%s %s\n", d.Verb, d.Label)
			continue
		}
		r.Names = append(r.Names, d.Label)
		text.WriteString(d.Difference())
		for _, q := range d.Requests {
			requests = append(requests, q)
			fmt.Fprintf(&text, "  %s\n", strings.ReplaceAll(q.String(), "\n", "\n  "))
			for _, command := range q.Commands {
				fmt.Fprintf(&text, "  $ %s\n", command)
			}
		}
	}
	r.Text, r.Data = text.String(), requests
	return a.Print(r)
}

type declaredOutcome struct {
	Name   string                 `json:"name"`
	UUID   string                 `json:"uuid,omitempty"`
	Action provision.DeclaredVerb `json:"action"`
	Fields []string               `json:"fields,omitempty"`
	Result string                 `json:"result"`
	Error  string                 `json:"error,omitempty"`
}

func (a *app) printDeclaredResults(list []provision.Declared, errs []error) error {
	r := cli.Result{Header: []string{"NAME", "ACTION", "RESULT", "DETAILS"}}
	outcomes := []declaredOutcome{}
	code := cli.ExitOK
	for i := range list {
		d := &list[i]
		o := declaredOutcome{Name: d.Label, UUID: d.UUID, Action: d.Verb, Fields: d.Fields, Result: "done"}
		details := strings.Join(d.Fields, ", ")
		switch {
		case errs[i] != nil:
			o.Result, o.Error = "failed", errs[i].Error()
			details = o.Error
			if code == cli.ExitOK {
				code = cli.ExitCode(errs[i])
			}
		case d.Verb == provision.DeclaredHidden:
			details = d.Hidden + " cannot be compared; pass --rewrite-sensitive to write them anyway"
		}
		outcomes = append(outcomes, o)
		r.Add(o.Name, o.Name, string(o.Action), o.Result, details)
	}
	r.Data = outcomes
	return a.PrintExit(r, code)
}

type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	ruleCommands := []*cobra.Command{x.rulesListCommand(), x.rulesTestCommand(), x.rulesExampleCommand()}
	return []*cobra.Command{
		cli.Group("rules list|show|check|test|apply|delete|example", append(ruleCommands, x.declaredRules().commands()...)...),
		x.stepFilesCommand("templates", stepfile.Template), x.stepFilesCommand("runbooks", stepfile.Runbook),
	}
}

// declaredKind describes a kind of object that is declared in files. All kinds have the same commands.
type declaredKind[T any] struct {
	app *app
	// noun is the name of the kind in messages. counted is the form of the name that follows a number. argument is
	// the placeholder for objects in usage lines.
	noun, counted, argument string
	// apply is the name of the command in usage errors. refused is the name of the action in refusals. hidden is the
	// help text for --rewrite-sensitive.
	apply, refused, hidden string

	list      func(ctx context.Context, s *session.Session) ([]T, error)
	find      func(all []T, ids []string) ([]T, error)
	parse     func(data []byte, name string) ([]T, error)
	yaml      func([]T) ([]byte, error)
	documents func([]T) []any // the objects in the form that the API uses
	name      func(T) string
	words     func(T) []string // the words that completion offers for an object
	note      func(T) string   // a note about an object that is shown, or ""
	plan      func(now, wanted []T, rewrite bool) ([]provision.Declared, error)
	remove    func([]T) []provision.Declared
}

func (k declaredKind[T]) commands() []*cobra.Command {
	return []*cobra.Command{k.showCommand(), k.checkCommand(), k.applyCommand(), k.deleteCommand()}
}

func (k declaredKind[T]) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show " + k.argument, Args: cobra.MinimumNArgs(1), ValidArgsFunction: k.complete,
		RunE: k.app.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			found, err := k.named(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			text, err := k.yaml(found)
			if err != nil {
				return err
			}
			r := cli.Result{Data: k.documents(found), Text: string(text)}
			for _, one := range found {
				r.Names = append(r.Names, k.name(one))
				if note := k.note(one); note != "" {
					k.app.PrintMessage("%s", note)
				}
			}
			return k.app.Print(r)
		}),
	}
}

func (k declaredKind[T]) named(ctx context.Context, s *session.Session, ids []string) ([]T, error) {
	all, err := k.list(ctx, s)
	if err != nil {
		return nil, err
	}
	return k.find(all, ids)
}

// complete offers the names of the objects in Ironic. It offers none if Ironic does not answer.
func (k declaredKind[T]) complete(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var words []string
	_ = k.app.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
		all, err := k.list(cmd.Context(), s)
		for _, one := range all {
			words = append(words, k.words(one)...)
		}
		return err
	})(cmd, nil)
	return words, cobra.ShellCompDirectiveNoFileComp
}

func (k declaredKind[T]) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE…", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := k.readFiles(args)
			if err != nil {
				return err
			}
			k.app.PrintMessage("%s, no errors", models.Counted(len(list), k.counted))
			return nil
		},
	}
}

// readFiles reads the named files, where "-" is standard input. The error lists the problems of all files.
func (k declaredKind[T]) readFiles(names []string) (all []T, err error) {
	var problems []error
	for _, name := range names {
		data, err := k.app.ReadNodeFile(name)
		if name == "-" {
			name = "stdin"
		}
		var list []T
		if err == nil {
			list, err = k.parse(data, name)
		}
		problems = append(problems, err)
		all = append(all, list...)
	}
	return all, errors.Join(problems...)
}

func (k declaredKind[T]) applyCommand() *cobra.Command {
	var flags declaredFlags
	var files []string
	var rewrite bool
	cmd := &cobra.Command{
		Use: "apply -f FILE", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(files) == 0 {
				return cli.Usagef("%s: -f FILE is required", k.apply)
			}
			wanted, err := k.readFiles(files) // read the files before connecting, because they may contain errors
			if err != nil {
				return err
			}
			return k.app.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
				now, err := k.list(cmd.Context(), s)
				if err != nil {
					return err
				}
				steps, err := k.plan(now, wanted, rewrite)
				if err != nil {
					return &models.Refusal{Kind: models.RefusedArguments, Action: k.refused, Why: err.Error()}
				}
				return k.app.carryOutDeclared(cmd.Context(), s, steps, flags)
			})(cmd, nil)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, fmt.Sprintf("file with %ss, YAML or JSON, or -; may be repeated", k.noun))
	cmd.Flags().BoolVar(&rewrite, "rewrite-sensitive", false, k.hidden)
	return cmd
}

func (k declaredKind[T]) deleteCommand() *cobra.Command {
	var flags declaredFlags
	cmd := &cobra.Command{
		Use: "delete " + k.argument, Args: cobra.MinimumNArgs(1), ValidArgsFunction: k.complete,
		RunE: k.app.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			found, err := k.named(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			return k.app.carryOutDeclared(cmd.Context(), s, k.remove(found), flags)
		}),
	}
	flags.register(cmd)
	return cmd
}
