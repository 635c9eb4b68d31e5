package declared

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/provision"
	"ironworks/session"
)

// declaredFlags holds the flags of the commands that change objects declared in files: inspection rules, deploy
// templates and runbooks.
type declaredFlags struct {
	dryRun, yes bool
}

func (f *declaredFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the requests without sending them")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "skip the confirmation")
}

// carryOutDeclared sends the requests of a plan and prints the results. At a terminal, it first shows the differences
// and asks for confirmation if objects would be changed or deleted.
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

// declaredOutcome is the result for one object, as printed in JSON and YAML.
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
