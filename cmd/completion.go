package cmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/config"
	"ironworks/enroll/nodefile"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui"
)

// choices returns the values of a flag that start with prefix; a value may be followed by a tab and a description.
type choices func(cmd *cobra.Command, prefix string) []cobra.Completion

// completeFlags registers the completion of flag values of a command and of the commands below it.
func (a *app) completeFlags(cmd *cobra.Command) {
	known := a.flagChoices()
	register := func(f *pflag.Flag) {
		values, some := known[cmd.CommandPath()+" --"+f.Name]
		if !some {
			values, some = known["--"+f.Name]
		}
		if f.Name == "output" && f.Value.Type() != (outputFlag{}).Type() {
			some = cmd.Name() == "export" // in other commands, the flag names a file
		}
		if some {
			// An error means that the flag already has a completion function.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, values.complete)
		}
	}
	cmd.Flags().VisitAll(register)
	cmd.PersistentFlags().VisitAll(register)
	for _, sub := range cmd.Commands() {
		a.completeFlags(sub)
	}
}

func (c choices) complete(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	var found []cobra.Completion
	for _, v := range c(cmd, prefix) {
		if word, _, _ := strings.Cut(v, "\t"); strings.HasPrefix(word, prefix) {
			found = append(found, v)
			if strings.HasSuffix(word, "=") || strings.HasSuffix(word, ":") || strings.HasSuffix(word, ".") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
	}
	return found, directive
}

// flagChoices returns the choices of flags by the name of the flag. If only the flag of one command has choices, the
// key is the path of the command with the name.
func (a *app) flagChoices() map[string]choices {
	return map[string]choices{
		"--context":                       a.contextNames(func(config.Context) bool { return true }),
		"--cloud":                         a.contextNames(func(c config.Context) bool { return strings.Contains(c.Source, "clouds.y") }),
		"--output":                        words(outputNames()...),
		"ironworks export --output":       words(models.Texts([]nodefile.Format{nodefile.Baremetal, nodefile.Bifrost, nodefile.CSV, nodefile.BMH})...),
		"--theme":                         words("auto", "dark", "light"),
		"--notify":                        words(models.Texts(ui.Notifies())...),
		"--columns":                       listOf(columnChoices("")),
		"--sort":                          sortChoices,
		"--until":                         words(stateWords()...),
		"--state":                         words(stateWords()...),
		"--override":                      checkChoices,
		"--policy":                        policyChoices,
		"--user-data-reader":              words(models.Texts(plan.UserDataReaders())...),
		"--format":                        words(models.Texts(nodefile.Formats())...),
		"ironworks enroll --column":       fieldOfColumn,
		"ironworks enroll --driver":       words(nodefile.Drivers()...),
		"--names":                         words("serial", "hostname", "address"),
		"ironworks enroll --to":           words(models.Texts(provision.Goals())...),
		"ironworks hints set --to":        words("properties", "instance_info"),
		"--release":                       words("newest", "old"),
		"--profile":                       words("default", "classic", "metal3"),
		"--tls":                           words("off", "ca", "system", "insecure", "on"),
		"--copy-network":                  words("auto", "always", "never"),
		"--source":                        listOf([]string{"ssh", "push", "archive", "status", "serial"}),
		"--level":                         words("critical", "error", "warning", "notice", "info", "debug"),
		"ironworks lab machines --bmc":    words("each", "one"),
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

func words(list ...string) choices {
	return func(*cobra.Command, string) []string { return list }
}

// listOf completes the last word of a comma-separated list, without the words that the list has already.
func listOf(list []string) choices {
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

// contextNames completes the names of contexts, with their endpoints.
func (a *app) contextNames(wanted func(config.Context) bool) choices {
	return func(cmd *cobra.Command, _ string) (names []string) {
		cfg, _ := a.loadConfig(cmd, false) // contexts are completed even if none is selected
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
	names, _ := a.completeNodes(0)(cmd, nil, prefix)
	return names
}

// columnChoices returns the keys of all columns, each after lead, with their titles.
func columnChoices(lead string) []string {
	columns := explain.Columns()
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = lead + c.Key + "\t" + c.Title
	}
	return out
}

// sortChoices returns the keys of all columns. If the prefix starts with a dash, for the reverse order, the keys have
// one, too.
func sortChoices(_ *cobra.Command, prefix string) []string {
	if strings.HasPrefix(prefix, "-") {
		return columnChoices("-")
	}
	return columnChoices("")
}

// stateWords returns the provision states as one word each.
func stateWords() []string {
	states := models.Texts(models.States())
	for i, s := range states {
		states[i] = strings.ReplaceAll(s, " ", "-")
	}
	return states
}

func checkChoices(*cobra.Command, string) (ids []string) {
	for _, r := range plan.CheckRules() {
		if _, err := plan.ParseCheckPolicy(r.ID, string(plan.PolicyWarn)); err == nil { // as --override does
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

// completeFilter completes filter keys, known values, and the names of saved filters.
func (a *app) completeFilter(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var saved *models.SavedFilters
	if cfg, err := a.loadConfig(cmd, false); err == nil {
		saved = cfg.Current.Filters
	}
	return choices(func(*cobra.Command, string) []string { return saved.Complete(prefix, nil) }).complete(nil, nil, prefix)
}

// completion completes names; limit is the maximum number of arguments, 0 for any number.
func completion(limit int, labels func(cmd *cobra.Command) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) (names []string, _ cobra.ShellCompDirective) {
		if limit == 0 || len(args) < limit {
			for _, label := range labels(cmd) {
				if strings.HasPrefix(label, prefix) && !slices.Contains(args, label) {
					names = append(names, label)
				}
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeNodes completes the names of nodes.
func (a *app) completeNodes(limit int) cobra.CompletionFunc {
	return completion(limit, func(cmd *cobra.Command) (labels []string) {
		s, err := a.connect(cmd)
		if err != nil {
			return nil
		}
		defer s.Close()
		ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Second)
		defer cancel()
		page, err := s.Client.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid", "name"}})
		if err != nil {
			return nil
		}
		for i := range page.Nodes {
			labels = append(labels, page.Nodes[i].Label())
		}
		return labels
	})
}

// completeBootDevice completes the device, and the nodes after it.
func (a *app) completeBootDevice(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return words("pxe", "disk", "cdrom", "bios", "safe", "iscsiboot", "floppy", "usb").complete(cmd, nil, prefix)
	}
	return a.completeNodes(0)(cmd, args, prefix)
}

// completeJournalNodes completes the names of nodes in the journal, offline.
func (a *app) completeJournalNodes() cobra.CompletionFunc {
	return completion(1, func(cmd *cobra.Command) (labels []string) {
		kept, _, err := a.offlineJournal(cmd)
		if err != nil {
			return nil
		}
		defer kept.Close()
		refs, err := kept.Nodes(cmd.Context(), "")
		if err != nil {
			return nil
		}
		for _, ref := range a.visibleNodes(refs) {
			labels = append(labels, ref.Label())
		}
		return labels
	})
}
