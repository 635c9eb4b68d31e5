package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/test/golden"
)

// TestCommandReference compares docs/reference/commands.md with the commands; -update rewrites the page.
func TestCommandReference(t *testing.T) {
	t.Parallel()
	golden.Compare(t, "../docs/reference/commands.md", commandReference(newApp(cli.Process{}).rootCommand()))
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

// TestArgumentErrors checks that a wrong number of arguments leads to our own error. Unlike cobra's error, it shows
// which arguments the command takes.
func TestArgumentErrors(t *testing.T) {
	t.Parallel()
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for _, args := range [][]string{nil, {"x"}, slices.Repeat([]string{"x"}, 9)} {
			if c.Args == nil {
				continue
			}
			if err := c.Args(c, args); err != nil && strings.Contains(err.Error(), "arg(s)") {
				t.Errorf("%s with %d arguments: %v", c.CommandPath(), len(args), err)
			}
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(newApp(cli.Process{}).rootCommand())
}
