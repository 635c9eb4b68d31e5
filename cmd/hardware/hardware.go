// Package hardware implements the commands for the hardware of a node: BMC, BIOS settings, firmware, RAID, disks,
// root device hints and inventory.
package hardware

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/inspection"
	"ironworks/models/steps"
	"ironworks/printable"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) inventoryCommand() *cobra.Command {
	return a.NodeCommand("inventory NODE", func(cmd *cobra.Command, s *session.Session, n *models.Node) error {
		raw, err := s.Client.Inventory(cmd.Context(), n.UUID)
		if models.IsFault(err, models.FaultNotFound) {
			return a.Print(cli.Result{Empty: n.Label() + " is not inspected.", Data: nil, Header: []string{"INVENTORY"}})
		}
		if err != nil {
			return err
		}
		sections, err := inspection.Describe(raw)
		if err != nil {
			return err
		}
		return a.Print(cli.Result{Data: raw, Text: inspection.Text(sections), Names: []string{n.Label()}})
	})
}

func (a *app) volumesCommand() *cobra.Command {
	return a.NodesCommand("volumes NODE…", 1, func(cmd *cobra.Command, s *session.Session, nodes []models.Node) error {
		r := cli.Result{Header: []string{"NODE", "KIND", "TYPE", "ID", "BOOT INDEX", "UUID"}, Empty: "No volume connectors or targets."}
		all := []models.Volumes{}
		for i := range nodes {
			n := &nodes[i]
			v, err := s.Client.Volumes(cmd.Context(), n.UUID)
			if err != nil {
				return err
			}
			all = append(all, v)
			for _, c := range v.Connectors {
				r.Add(c.UUID, n.Label(), "connector", c.Type, c.ID, "", c.UUID)
			}
			for _, t := range v.Targets {
				r.Add(t.UUID, n.Label(), "target", t.Type, t.VolumeID, fmt.Sprint(t.BootIndex), t.UUID)
			}
		}
		r.Data = all
		return a.Print(r)
	})
}

func (a *app) vendorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "vendor NODE", Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			methods, err := s.Client.VendorMethods(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := cli.Result{Header: []string{"METHOD", "HTTP", "ASYNC", "DESCRIPTION"}, Data: cli.NonNil(methods), Empty: "No vendor methods."}
			for _, m := range methods {
				r.Add(m.Name, m.Name, strings.Join(m.HTTPMethods, " "), models.YesNo(m.Async), m.Description)
			}
			return a.Print(r)
		}),
	}
}

type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{
		cli.Group("bios show|set|reset|compare|copy",
			x.biosShowCommand(), x.preparedCommand("set NODE… NAME=VALUE…", 2, x.setBIOS),
			x.resetCommand("reset NODE…", provision.ResetBIOS), x.biosCompareCommand(),
			x.preparedCommand("copy GOLDEN NODE…", 2, x.copyBIOS)),
		cli.Group("firmware list|matrix|update", x.firmwareListCommand(), x.firmwareMatrixCommand(), x.firmwareUpdateCommand()),
		cli.Group("raid show|check|apply|delete",
			x.raidShowCommand(), x.raidCheckCommand(), x.raidApplyCommand(), x.resetCommand("delete NODE…", provision.DeleteRAID)),
		x.hintsCommand(), x.disksCommand(), x.inventoryCommand(), x.volumesCommand(), x.vendorCommand(), x.stepsCommand(),
		x.webConsoleCommand(), x.agentCommand(), x.bmcCommand(),
	}
}

func (a *app) stepsCommand() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use: "steps [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kinds := []models.StepKind{models.DeploySteps, models.CleanSteps, models.ServiceSteps}
			if kind != "" {
				if !slices.Contains(kinds, models.StepKind(kind)) {
					return cli.Usagef("--kind %q: must be deploy, clean or service", kind)
				}
				kinds = []models.StepKind{models.StepKind(kind)}
			}
			if len(args) == 0 {
				return a.printSteps(steps.All(), kinds, "")
			}
			return a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
				n, err := s.Client.Node(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.printSteps(provision.StepsOf(n, s.Offered(n.UUID)), kinds, n.Label())
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only deploy, clean or service steps")
	return cmd
}

// printSteps prints the steps of the given kinds and, if node is empty, which interfaces offer each.
func (a *app) printSteps(list []steps.Known, kinds []models.StepKind, node string) error {
	r := cli.Result{Header: []string{"STEP", "IN", "AUTOMATED", "ARGUMENTS", "DESCRIPTION"}, Empty: "No steps."}
	if node == "" {
		r.Header = append(r.Header, "OFFERED BY")
	}
	shown := []steps.Known{}
	for _, k := range list {
		k.Kinds = slices.DeleteFunc(slices.Clone(k.Kinds), func(kind models.StepKind) bool { return !slices.Contains(kinds, kind) })
		if len(k.Kinds) == 0 {
			continue
		}
		shown = append(shown, k)
		automated := ""
		if k.Automated > 0 {
			automated = strconv.Itoa(k.Automated)
		}
		row := []string{k.Label(), strings.Join(models.Texts(k.Kinds), " "), automated, argumentNames(k.Args), k.Description}
		if node == "" {
			row = append(row, k.OfferedBy())
		}
		r.Names = append(r.Names, k.Label())
		r.Rows = append(r.Rows, row)
	}
	r.Data = shown
	return a.Print(r)
}

// argumentNames lists arguments, optional ones in brackets.
func argumentNames(list []steps.Argument) string {
	names := make([]string, len(list))
	for i, arg := range list {
		names[i] = arg.Name
		if !arg.Required {
			names[i] = "[" + arg.Name + "]"
		}
	}
	return strings.Join(names, " ")
}

func (a *app) webConsoleCommand() *cobra.Command {
	var open, keep bool
	cmd := a.NodeCommand("console NODE", func(cmd *cobra.Command, s *session.Session, n *models.Node) error {
		consoles := provision.NewConsoles(s.Client, s.Runner(&audit.LazyFile{Path: s.Files.Audit}), nil)
		page, err := consoles.OpenGraphical(cmd.Context(), n.Ref())
		if err != nil {
			return err
		}
		return a.showWebConsole(cmd.Context(), page, open, keep)
	})
	cmd.Flags().BoolVar(&open, "open", false, "open the URL in a browser")
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the console enabled and exit")
	return cmd
}

// showWebConsole prints the address of a node's graphical console, and opens it in the browser if open is set. Unless
// keep is set, a console that had to be enabled is disabled again when the command is interrupted.
func (a *app) showWebConsole(ctx context.Context, page *provision.GraphicalConsole, open, keep bool) error {
	if err := a.PrintOut("%s\n", page.Address().Reveal()); err != nil {
		return err
	}
	if open {
		if err := a.browse(ctx, page.Address().Reveal()); err != nil {
			a.PrintMessage("%v", err)
		}
	}
	if keep || !page.Enabled() {
		return nil
	}
	a.PrintMessage("console enabled; Ctrl-C disables it")
	<-ctx.Done()
	return page.Close(context.WithoutCancel(ctx))
}

// browse opens a URL with $BROWSER or, without it, the operating system's program for opening URLs.
func (a *app) browse(ctx context.Context, url string) error {
	program := a.Options.Env("BROWSER")
	if program == "" {
		program = map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
	}
	if program == "" {
		program = "xdg-open"
	}
	if err := exec.CommandContext(context.WithoutCancel(ctx), program, url).Start(); err != nil { //nolint:gosec // the operator's program
		return fmt.Errorf("open the browser: %s; set $BROWSER", printable.Line(err.Error()))
	}
	return nil
}
