package cmd

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ironworks/test/golden"
)

// TestCommandReference compares docs/reference/commands.md with the commands; -update rewrites the page.
func TestCommandReference(t *testing.T) {
	t.Parallel()
	golden.Compare(t, "../docs/reference/commands.md", commandReference(newApp(process{}).rootCommand()))
}

func commandReference(root *cobra.Command) string {
	var b bytes.Buffer
	b.WriteString("# Commands\n\n" +
		"Generated from the program (`go test ./cmd -run TestCommandReference -update`). `--help` prints the same.\n\n" +
		"```console\n$ ironworks --help\n```\n\n" +
		"Exit codes and JSON formats: [output](output.md). Filters: [filters](filters.md).\n\n" +
		"Flags of every command:\n\n")
	codeBlock(&b, root.PersistentFlags().FlagUsagesWrapped(110))
	describe(&b, root)
	return b.String()
}

// describe writes a section for each runnable command, in the order of the help.
func describe(b *bytes.Buffer, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		if c.Runnable() {
			fmt.Fprintf(b, "\n## %s\n\n", strings.TrimPrefix(c.CommandPath(), "ironworks "))
			codeBlock(b, c.UseLine())
			fmt.Fprintf(b, "\n%s.\n", strings.TrimSuffix(c.Short, "."))
			if c.Long != "" {
				fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(c.Long))
			}
			if c.Example != "" {
				b.WriteString("\nExamples:\n\n")
				codeBlock(b, c.Example)
			}
			if c.HasAvailableLocalFlags() {
				b.WriteString("\nFlags:\n\n")
				codeBlock(b, c.LocalFlags().FlagUsagesWrapped(110))
			}
		}
		describe(b, c)
	}
}

// codeBlock writes text as code, without its common indentation.
func codeBlock(b *bytes.Buffer, text string) {
	b.WriteString("```\n")
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		b.WriteString(strings.TrimRight(strings.TrimPrefix(line, "  "), "\n") + "\n")
	}
	b.WriteString("```\n")
}
