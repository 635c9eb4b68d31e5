// Package show implements the commands that only read: lists, logs, explanations, history and diagnosis.
package show

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/session"
)

func (a *app) driversCommand() *cobra.Command {
	return &cobra.Command{
		Use: "drivers", Args: cobra.NoArgs,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			drivers, err := s.Client.Drivers(cmd.Context())
			if err != nil {
				return err
			}
			r := cli.Result{Empty: "No drivers enabled.", Data: cli.NonNil(drivers), Header: []string{"NAME", "HOSTS", "INTERFACE", "DEFAULT", "ENABLED"}}
			for _, d := range drivers {
				r.Names = append(r.Names, d.Name)
				r.Rows = append(r.Rows, driverRows(d)...)
			}
			return a.Print(r)
		}),
	}
}

// driverRows returns a row for each kind of interface of a driver, or one row without interfaces.
func driverRows(d models.Driver) [][]string {
	var rows [][]string
	for _, k := range slices.Sorted(maps.Keys(d.Enabled)) {
		rows = append(rows, []string{d.Name, strings.Join(d.Hosts, ","), k, d.Default[k], strings.Join(d.Enabled[k], ", ")})
	}
	if len(rows) == 0 {
		rows = append(rows, []string{d.Name, strings.Join(d.Hosts, ","), "", "", ""})
	}
	return rows
}

func (a *app) conductorsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "conductors", Args: cobra.NoArgs,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			conductors, err := s.Client.Conductors(cmd.Context())
			if err != nil {
				return err
			}
			r := cli.Result{Empty: "No conductors.", Data: cli.NonNil(conductors), Header: []string{"HOST", "GROUP", "ALIVE", "LAST SEEN", "DRIVERS"}}
			for _, c := range conductors {
				r.Add(c.Hostname,
					c.Hostname, c.Group, models.YesNo(c.Alive), cli.TimeText(c.UpdatedAt.Time), strings.Join(c.Drivers, ", "),
				)
			}
			return a.Print(r)
		}),
	}
}

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "validate NODE",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			progress := a.NewProgress()
			progress.SetText("validating the interfaces of %s…", args[0])
			list, err := s.Client.Validate(cmd.Context(), args[0])
			progress.Stop()
			if err != nil {
				return err
			}
			return a.printValidation(list)
		}),
	}
}

func (a *app) printValidation(list []models.Validation) error {
	r := cli.Result{Empty: "No interfaces.", Data: cli.NonNil(list), Header: []string{"INTERFACE", "RESULT", "REASON"}}
	code := cli.ExitOK
	for _, v := range list {
		r.Names = append(r.Names, v.Interface)
		word := "no"
		switch {
		case v.Unsupported():
			word = "–"
		case *v.Result:
			word = "yes"
		case models.NeededToDeploy(v.Interface):
			code = cli.ExitFailed
		}
		r.Rows = append(r.Rows, []string{v.Interface, word, v.Reason})
	}
	return a.PrintExit(r, code)
}

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("%w; use show or paths", cli.UnknownCommand(cmd, args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use: "show", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Load(cmd)
			if err != nil {
				return err
			}
			var names []string
			for _, c := range cfg.Contexts {
				names = append(names, c.Name)
			}
			if a.Output == cli.OutputTable {
				a.Output = cli.OutputYAML
			}
			return a.Print(cli.Result{Data: cfg.Show(), Names: names})
		},
	}, &cobra.Command{
		Use: "paths", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Load(cmd)
			if err != nil {
				a.PrintMessage("%v", err)
			}
			r := cli.Result{Data: cfg.Paths(), Header: []string{"WHAT", "PATH", "FOUND", "NOTE"}}
			for _, p := range cfg.Paths() {
				r.Add(p.Path, p.What, p.Path, models.YesNo(p.Found), p.Note)
			}
			return a.Print(r)
		},
	})
	return cmd
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := map[string]string{
				"version": cli.Version(), "api": fmt.Sprintf("1.%d to 1.%d", models.OldestMinor, models.NewestMinor), "go": runtime.Version(),
			}
			return a.Print(cli.Result{
				Data: info, Names: []string{cli.Version()},
				Text: fmt.Sprintf("ironworks %s (Ironic API %s, %s)\n", info["version"], info["api"], info["go"]),
			})
		},
	}
}

type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{
		x.exportCommand(), x.nodesCommand(), x.nodeCommand(), x.watchCommand(), x.logsCommand(), x.sshCommand(), x.driversCommand(), x.conductorsCommand(), x.validateCommand(), x.historyCommand(), x.explainCommand(), x.doctorCommand(), x.configCommand(), x.versionCommand(),
	}
}
