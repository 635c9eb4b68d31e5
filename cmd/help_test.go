package cmd

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/cmd/help"
)

// everyCommand returns the root command and all commands below it.
func everyCommand(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		list = append(list, everyCommand(sub)...)
	}
	return list
}

func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	paths := map[string]bool{}
	for _, cmd := range everyCommand(newApp(cli.Process{}).rootCommand()) {
		paths[cmd.CommandPath()] = true
		if length := utf8.RuneCountInString(cmd.Short); length == 0 || length > 60 || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: summary %q has %d characters, want 1 to 60 and no full stop", cmd.CommandPath(), cmd.Short, length)
		}
		if !strings.Contains(cmd.Long, ".") {
			t.Errorf("%s: description %q is no sentence", cmd.CommandPath(), cmd.Long)
		}
		if strings.Count(cmd.Example, "ironworks") < 2 || strings.Count(cmd.Example, "\n") < 1 {
			t.Errorf("%s: want two examples:\n%s", cmd.CommandPath(), cmd.Example)
		}
	}
	for _, texts := range help.Topics() {
		for path := range texts {
			if !paths[path] {
				t.Errorf("help of %s, which is no command", path)
			}
		}
	}
}

func TestExamplesParse(t *testing.T) {
	t.Parallel()
	for _, cmd := range everyCommand(newApp(cli.Process{}).rootCommand()) {
		for line := range strings.Lines(cmd.Example) {
			for _, args := range exampleArguments(line) {
				found, rest, err := newApp(cli.Process{}).rootCommand().Find(args)
				if err == nil {
					err = found.ParseFlags(rest)
				}
				if err == nil && found.Args != nil && found.CommandPath() != "ironworks" {
					err = found.Args(found, found.Flags().Args())
				}
				if err != nil {
					t.Errorf("%s: example %q: %v", cmd.CommandPath(), strings.TrimSpace(line), err)
				}
			}
		}
	}
}

// exampleArguments returns the arguments of each ironworks command in a line of shell code. It understands only
// single quotes, pipes and redirections.
func exampleArguments(line string) (commands [][]string) {
	var words []string
	var word strings.Builder
	quoted, inWord := false, false
	for _, r := range strings.TrimSpace(line) + " " {
		switch {
		case r == '\'':
			quoted, inWord = !quoted, true
		case r == ' ' && !quoted:
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	for i := 0; i < len(words); i++ {
		if words[i] != "ironworks" {
			continue
		}
		end := i + 1
		for end < len(words) && words[end] != "|" && words[end] != ">" && words[end] != "<" {
			end++
		}
		commands = append(commands, words[i+1:end])
		i = end
	}
	return commands
}
