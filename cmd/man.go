package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man FOLDER", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // man pages are public
				return err
			}
			return writeManPages(cmd.Root(), args[0])
		},
	}
}

// writeManPages writes the man pages, in section 1, of a command and of its subcommands at all levels.
func writeManPages(cmd *cobra.Command, folder string) error {
	var b strings.Builder
	manPage(&b, cmd)
	if err := os.WriteFile(filepath.Join(folder, manName(cmd)+".1"), []byte(b.String()), 0o644); err != nil { //nolint:gosec // as above
		return err
	}
	for _, sub := range manCommands(cmd) {
		if err := writeManPages(sub, folder); err != nil {
			return err
		}
	}
	return nil
}

func manCommands(cmd *cobra.Command) (subs []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			subs = append(subs, sub)
		}
	}
	return subs
}

// manName returns the name of a command's page, such as ironworks-bmc-power.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage writes a man page with roff's man macros. It does not use cobra/doc, which reads descriptions as Markdown,
// because the help texts are plain text.
func manPage(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(w, ".TH %s 1 \"\" \"ironworks %s\" \"ironworks\"\n", strings.ToUpper(roff(manName(cmd))), roff(cli.Version()))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	for paragraph := range strings.SplitSeq(strings.Trim(cmd.Long, "\n"), "\n\n") {
		manParagraph(w, paragraph)
	}
	manFlags(w, "OPTIONS", cmd.LocalFlags())
	if cmd.Example != "" {
		fmt.Fprintf(w, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roffLines(cmd.Example))
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, manName(cmd.Parent()))
		if parent := cmd.Parent(); parent.HasParent() {
			also = append(also, manName(cmd.Root()))
		}
	}
	for _, sub := range manCommands(cmd) {
		also = append(also, manName(sub))
	}
	for i, name := range also {
		also[i] = fmt.Sprintf("\\fB%s\\fR(1)", roff(name))
	}
	fmt.Fprintf(w, ".SH SEE ALSO\n%s\n", strings.Join(also, ", "))
	if cmd.HasParent() {
		fmt.Fprint(w, ".PP\nFlags of every command and exit codes: \\fBironworks\\fR(1).\n")
	}
}

// manParagraph writes a paragraph that is filled, except that indented lines keep their line breaks.
func manParagraph(w io.Writer, text string) {
	fmt.Fprint(w, ".PP\n")
	kept := false
	for line := range strings.SplitSeq(text, "\n") {
		if indented := strings.HasPrefix(line, " "); indented != kept {
			fmt.Fprintln(w, map[bool]string{true: ".nf", false: ".fi"}[indented])
			kept = indented
		}
		fmt.Fprintln(w, roffLines(line))
	}
	if kept {
		fmt.Fprintln(w, ".fi")
	}
}

func manFlags(w io.Writer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(w, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		fmt.Fprint(w, ".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(w, "\\fB\\-%s\\fR, ", f.Shorthand)
		}
		fmt.Fprintf(w, "\\fB%s\\fR", roff("--"+f.Name))
		if name != "" {
			fmt.Fprintf(w, " \\fI%s\\fR", roff(name))
		}
		if zero := f.DefValue == "" || f.DefValue == "false" || f.DefValue == "0" || f.DefValue == "0s" || f.DefValue == "[]"; !zero {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, "\n%s\n", roffLines(usage))
	})
}

// roff escapes text within a line; groff reads characters beyond ASCII only as escapes.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// roffLines escapes whole lines, so that none is read as a roff request.
func roffLines(text string) string {
	lines := strings.Split(roff(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
