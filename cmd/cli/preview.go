package cli

import (
	"fmt"
	"strings"

	"ironworks/provision"
)

// PrintPreviews prints the requests of a dry run. If a node was refused, it returns an error with the exit code for
// refusals.
func (a *App) PrintPreviews(previews []provision.Preview) error {
	r := Result{Data: NonNil(previews)}
	var text strings.Builder
	code := ExitOK
	for _, p := range previews {
		switch {
		case p.Refusal != nil:
			code = ExitRefused
		case !p.Unchanged():
			r.Names = append(r.Names, p.Node.Label())
		}
		text.WriteString(PreviewOf(p))
	}
	r.Text = text.String()
	return a.PrintExit(r, code)
}

// PreviewOf formats the requests for one node as text.
func PreviewOf(p provision.Preview) string {
	var b strings.Builder
	b.WriteString(p.Node.Label() + "\n")
	switch {
	case p.Refusal != nil:
		b.WriteString("  refused: " + p.Refusal.Error() + "\n")
	case p.Unchanged():
		b.WriteString("  already set: nothing is sent\n")
	}
	for _, r := range p.Requests {
		fmt.Fprintf(&b, "  %s %s\n  %s\n", r.Method, r.Path, string(r.Payload()))
	}
	for i, c := range p.Commands {
		if i == 0 {
			b.WriteString("  equivalent baremetal commands:\n")
		}
		b.WriteString("    " + c + "\n")
	}
	for _, w := range p.Warnings {
		b.WriteString("  warning: " + w + "\n")
	}
	return b.String()
}
