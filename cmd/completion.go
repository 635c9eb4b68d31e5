package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/enroll/nodefile"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui"
)

// completeFlags registers completion functions for the flag values of cmd and of all commands below it. The argument
// known is the result of [app.flagChoices].
func completeFlags(cmd *cobra.Command, known map[string]cli.Choices) {
	register := func(f *pflag.Flag) {
		values, some := known[cmd.CommandPath()+" --"+f.Name]
		if !some {
			values, some = known["--"+f.Name]
		}
		if f.Name == "output" && f.Value.Type() != cli.OutputFormatFlag {
			some = cmd.Name() == "export" // in other commands, the flag names a file
		}
		if some {
			// An error means that the flag already has a completion function.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, values.Complete)
		}
	}
	cmd.Flags().VisitAll(register)
	cmd.PersistentFlags().VisitAll(register)
	for _, sub := range cmd.Commands() {
		completeFlags(sub, known)
	}
}

// flagChoices returns the choices of flags, keyed by flag, or by command and flag if they differ between commands.
func (a *app) flagChoices() map[string]cli.Choices {
	return map[string]cli.Choices{
		"--context":                 a.contextNames(func(config.Context) bool { return true }),
		"--cloud":                   a.contextNames(func(c config.Context) bool { return strings.Contains(c.Source, "clouds.y") }),
		"--output":                  cli.Words(cli.OutputNames()...),
		"ironworks export --output": cli.Words(models.Texts([]nodefile.Format{nodefile.Baremetal, nodefile.Bifrost, nodefile.CSV, nodefile.BMH})...),
		"--theme":                   cli.Words("auto", "dark", "light"),
		"--notify":                  cli.Words(models.Texts(ui.Notifies())...),
		"--columns":                 listOf(columnChoices("")),
		"--sort": func(_ *cobra.Command, prefix string) []string {
			if strings.HasPrefix(prefix, "-") { // a dash reverses the order
				return columnChoices("-")
			}
			return columnChoices("")
		},
		"--until":                         cli.Words(stateWords()...),
		"--state":                         cli.Words(stateWords()...),
		"--override":                      checkChoices,
		"--policy":                        policyChoices,
		"--user-data-reader":              cli.Words(models.Texts(plan.UserDataReaders())...),
		"--format":                        cli.Words(models.Texts(nodefile.Formats())...),
		"ironworks enroll --column":       fieldOfColumn,
		"ironworks enroll --driver":       cli.Words(nodefile.Drivers()...),
		"--names":                         cli.Words("serial", "hostname", "address"),
		"ironworks enroll --to":           cli.Words(models.Texts(provision.Goals())...),
		"ironworks hints set --to":        cli.Words("properties", "instance_info"),
		"--release":                       cli.Words("newest", "old"),
		"--profile":                       cli.Words("default", "classic", "metal3"),
		"--tls":                           cli.Words("off", "ca", "system", "insecure", "on"),
		"--copy-network":                  cli.Words("auto", "always", "never"),
		"--source":                        listOf([]string{"ssh", "push", "archive", "status", "serial"}),
		"--level":                         cli.Words("critical", "error", "warning", "notice", "info", "debug"),
		"ironworks lab machines --bmc":    cli.Words("each", "one"),
		"--confirm":                       a.nodeNames,
		"ironworks port list --node":      a.nodeNames,
		"ironworks portgroup list --node": a.nodeNames,
	}
}

// fieldOfColumn completes the field that follows HEADER=.
func fieldOfColumn(_ *cobra.Command, prefix string) (out []string) {
	at := strings.LastIndexByte(prefix, '=')
	if at <= 0 {
		return nil
	}
	for _, field := range nodefile.ColumnFields() {
		out = append(out, prefix[:at+1]+field)
	}
	return out
}

// listOf completes the last word of a comma-separated list. Words that are already in the list are not offered again.
func listOf(list []string) cli.Choices {
	return func(_ *cobra.Command, prefix string) []string {
		before := prefix[:strings.LastIndex(prefix, ",")+1]
		given := strings.Split(before, ",")
		var out []string
		for _, v := range list {
			if word, _, _ := strings.Cut(v, "\t"); !slices.Contains(given, word) {
				out = append(out, before+v)
			}
		}
		return out
	}
}

// contextNames completes the names of the wanted contexts. The description of each name is the endpoint.
func (a *app) contextNames(wanted func(config.Context) bool) cli.Choices {
	return func(cmd *cobra.Command, _ string) (names []string) {
		cfg, _ := a.LoadConfig(cmd, false) // contexts are completed even if none is selected
		for _, c := range cfg.Contexts {
			if !wanted(c) {
				continue
			}
			name := c.Name
			if where := c.Connection.Endpoint + c.Connection.Keystone.AuthURL; where != "" {
				name += "\t" + where
			}
			names = append(names, name)
		}
		return names
	}
}

func (a *app) nodeNames(cmd *cobra.Command, prefix string) []string {
	names, _ := a.CompleteNodes(0)(cmd, nil, prefix)
	return names
}

// columnChoices returns the keys of all columns, each prefixed with lead and followed by the column's title.
func columnChoices(lead string) []string {
	columns := explain.Columns()
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = lead + c.Key + "\t" + c.Title
	}
	return out
}

// stateWords returns the provision states with dashes instead of spaces.
func stateWords() []string {
	states := models.Texts(models.States())
	for i, s := range states {
		states[i] = strings.ReplaceAll(s, " ", "-")
	}
	return states
}

func checkChoices(*cobra.Command, string) (ids []string) {
	for _, r := range plan.CheckRules() {
		if _, err := plan.ParseCheckPolicy(r.ID, string(plan.PolicyWarn)); err == nil { // --override accepts only these checks
			ids = append(ids, string(r.ID)+"\t"+r.About)
		}
	}
	return ids
}

func policyChoices(_ *cobra.Command, prefix string) (out []string) {
	id, _, hasID := strings.Cut(prefix, "=")
	for _, r := range plan.CheckRules() {
		switch {
		case !hasID:
			out = append(out, string(r.ID)+"=\t"+r.About)
		case string(r.ID) == id:
			for _, p := range []plan.CheckPolicy{plan.PolicyRefuse, plan.PolicyWarn, plan.PolicyOff} {
				if _, err := plan.ParseCheckPolicy(r.ID, string(p)); err == nil {
					out = append(out, id+"="+string(p))
				}
			}
		}
	}
	return out
}
