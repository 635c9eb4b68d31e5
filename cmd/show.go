package cmd

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/session"
)

func (a *app) driversCommand() *cobra.Command {
	return &cobra.Command{
		Use: "drivers", Args: cobra.NoArgs,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			drivers, err := s.Client.Drivers(cmd.Context())
			if err != nil {
				return err
			}
			r := result{empty: "No drivers enabled.", data: nonNil(drivers), header: []string{"NAME", "HOSTS", "INTERFACE", "DEFAULT", "ENABLED"}}
			for _, d := range drivers {
				r.names = append(r.names, d.Name)
				r.rows = append(r.rows, driverRows(d)...)
			}
			return a.print(r)
		}),
	}
}

// driverRows returns a row for each interface of a driver.
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
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			conductors, err := s.Client.Conductors(cmd.Context())
			if err != nil {
				return err
			}
			r := result{empty: "No conductors.", data: nonNil(conductors), header: []string{"HOST", "GROUP", "ALIVE", "LAST SEEN", "DRIVERS"}}
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

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "validate NODE",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			progress := a.newProgress()
			progress.setText("validating the interfaces of %s…", args[0])
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
	r := result{empty: "No interfaces.", data: nonNil(list), header: []string{"INTERFACE", "RESULT", "REASON"}}
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
		Use: "config",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("%w; want show or paths", unknownCommand(cmd, args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use: "show", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load(cmd)
			if err != nil {
				return err
			}
			var names []string
			for _, c := range cfg.Contexts {
				names = append(names, c.Name)
			}
			if a.output == outputTable {
				a.output = outputYAML
			}
			return a.print(result{data: cfg.Show(), names: names})
		},
	}, &cobra.Command{
		Use: "paths", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load(cmd)
			if err != nil {
				a.printMessage("%v", err)
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
		Use: "version", Args: cobra.NoArgs,
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
