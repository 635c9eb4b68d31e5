package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/session"
)

func (a *app) driversCommand() *cobra.Command {
	return &cobra.Command{
		Use: "drivers", Short: "List the hardware types that are enabled, and their interfaces", Args: cobra.NoArgs,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			drivers, err := s.Client.Drivers(cmd.Context())
			if err != nil {
				return err
			}
			r := result{data: nonNil(drivers), header: []string{"NAME", "HOSTS", "INTERFACE", "DEFAULT", "ENABLED"}}
			for _, d := range drivers {
				r.names = append(r.names, d.Name)
				r.rows = append(r.rows, driverRows(d)...)
			}
			return a.print(r)
		}),
	}
}

// driverRows is a line for each kind of interface of a driver.
func driverRows(d models.Driver) [][]string {
	var kinds []string
	for k := range d.Enabled {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	var rows [][]string
	for _, k := range kinds {
		rows = append(rows, []string{d.Name, strings.Join(d.Hosts, ","), k, d.Default[k], strings.Join(d.Enabled[k], ", ")})
	}
	if len(rows) == 0 {
		rows = append(rows, []string{d.Name, strings.Join(d.Hosts, ","), "", "", ""})
	}
	return rows
}

// nonNil makes an empty list [] in JSON, where a nil one would be null.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (a *app) conductorsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "conductors", Short: "List the conductors and whether they are alive", Args: cobra.NoArgs,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			conductors, err := s.Client.Conductors(cmd.Context())
			if err != nil {
				return err
			}
			r := result{data: nonNil(conductors), header: []string{"HOST", "GROUP", "ALIVE", "SEEN", "DRIVERS"}}
			for _, c := range conductors {
				r.names = append(r.names, c.Hostname)
				r.rows = append(r.rows, []string{
					c.Hostname, c.Group, yesNo(c.Alive), timeText(c.UpdatedAt.Time), strings.Join(c.Drivers, ", "),
				})
			}
			return a.print(r)
		}),
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "validate NODE", Short: "Ask every interface of a node whether it could do its work",
		Long: "Ask every interface of a node whether it could do its work. Exit code 1 when one that a deployment needs\n" +
			"(boot, deploy, management, network, power) says no.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			progress := a.newProgress()
			progress.say("asking the interfaces of %s", args[0])
			list, err := s.Client.Validate(cmd.Context(), args[0])
			progress.stop()
			if err != nil {
				return err
			}
			return a.printValidation(list)
		}),
	}
}

func (a *app) printValidation(list []models.Validation) error {
	r := result{data: nonNil(list), header: []string{"INTERFACE", "RESULT", "REASON"}}
	var bad error
	for _, v := range list {
		r.names = append(r.names, v.Interface)
		word := "no"
		switch {
		case v.Unsupported():
			word = "–"
		case *v.Result:
			word = "yes"
		case models.NeededToDeploy(v.Interface):
			bad = &codeError{code: exitFailed}
		}
		r.rows = append(r.rows, []string{v.Interface, word, v.Reason})
	}
	if err := a.print(r); err != nil {
		return err
	}
	return bad
}

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show the configuration that is in force", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "show", Short: "Show every context and the selected one, secrets masked", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load(cmd)
			if err != nil {
				return err
			}
			var names []string
			for _, c := range cfg.Contexts {
				names = append(names, c.Name)
			}
			if a.output == outputTable || a.output == "" {
				a.output = outputYAML
			}
			return a.print(result{data: cfg.Show(), names: names})
		},
	}, &cobra.Command{
		Use: "paths", Short: "Show the files that are read and written, and what was looked for", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load(cmd)
			if err != nil {
				a.complain("%v", err)
			}
			r := result{data: cfg.Paths(), header: []string{"WHAT", "PATH", "FOUND", "NOTE"}}
			for _, p := range cfg.Paths() {
				r.names = append(r.names, p.Path)
				r.rows = append(r.rows, []string{p.What, p.Path, yesNo(p.Found), p.Note})
			}
			return a.print(r)
		},
	})
	return cmd
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := map[string]string{
				"version": version(), "api": fmt.Sprintf("1.%d to 1.%d", models.OldestMinor, models.NewestMinor), "go": runtime.Version(),
			}
			return a.print(result{
				data: info, names: []string{version()},
				text: fmt.Sprintf("ironworks %s (Ironic API %s, %s)\n", info["version"], info["api"], info["go"]),
			})
		},
	}
}

// buildVersion is set by the Makefile from git; without it the build's own knowledge
// is used.
var buildVersion = ""

func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// completeNodes offers node names to the shell; limit bounds how many a command takes,
// 0 is any number.
func (a *app) completeNodes(limit int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if limit > 0 && len(args) >= limit {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		s, err := a.connect(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer s.Close()
		ctx, cancel := withTimeout(cmd.Context(), 2*time.Second)
		defer cancel()
		page, err := s.Client.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid", "name"}})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for i := range page.Nodes {
			if label := page.Nodes[i].Label(); strings.HasPrefix(label, prefix) && !slices.Contains(args, label) {
				names = append(names, models.Printable(label))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
