package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/ui/screen"
)

// deployAgain is the command line that does the same to some of the nodes alone. What
// was given as a text that may be secret, or as standard input, is not repeated.
func deployAgain(cmd *cobra.Command, names []string) string {
	words := strings.Fields(cmd.CommandPath())
	for _, name := range names {
		words = append(words, screen.Quoted(name))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch {
			case f.Name == "confirm" && !slices.Contains(names, value):
				continue
			case f.Name == "configdrive" && strings.HasPrefix(strings.TrimSpace(value), "{"):
				value = "CONFIGDRIVE"
			case f.Value.Type() == "bool" && value == "true":
				words = append(words, "--"+f.Name)
				continue
			}
			words = append(words, "--"+f.Name+"="+screen.Quoted(value))
		}
	})
	return strings.Join(words, " ")
}
