package cmd

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/models"
)

func (a *app) rootCommand() *cobra.Command {
	var console consoleFlags
	root := &cobra.Command{
		Use:           "ironworks [FILE]",
		SilenceErrors: true, SilenceUsage: true,
		Args: fileArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				console.file = args[0]
			}
			return a.console(cmd, console)
		},
	}
	console.register(root)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	f := root.PersistentFlags()
	f.StringVar(&a.flags.ConfigFile, "config", "", "configuration file")
	f.StringVarP(&a.flags.Context, "context", "c", "", "context of the configuration file, or cloud of clouds.yaml")
	f.StringVar(&a.flags.Cloud, "cloud", "", "cloud of clouds.yaml")
	f.StringVar(&a.flags.URL, "url", "", "URL of an Ironic without Keystone")
	f.StringVar(&a.flags.Username, "username", "", "user name for http_basic or Keystone")
	f.StringVar(&a.flags.CACert, "cacert", "", "PEM file of the CA that signed the server's certificate")
	f.BoolVar(&a.insecure, "insecure", false, "skip verification of the server's certificate")
	f.BoolVar(&a.readOnly, "read-only", false, "read-only mode: refuse every change; =false overrides read_only of the context")
	f.DurationVar(&a.flags.Timeout, "connect-timeout", 0, "time limit for a request without any response (default 12s)")
	f.VarP(outputFlag{&a.output, &a.wide}, "output", "o", "output format: table, wide, json, yaml or name")
	root.AddCommand(
		a.enrollCommand(), a.bringUpCommand(), a.exportCommand(), a.nodesCommand(), a.nodeCommand(), a.watchCommand(), a.logsCommand(), a.sshCommand(),
		a.powerCommand(), a.maintenanceCommand(), a.setCommand(), a.bootDeviceCommand(), a.deleteCommand(), a.runCommand(),
		a.portCommand(), a.portgroupCommand(), a.vifCommand(), a.rulesCommand(), a.templatesCommand(), a.runbooksCommand(),
		a.stepsCommand(), a.biosCommand(), a.firmwareCommand(), a.raidCommand(), a.inventoryCommand(), a.webConsoleCommand(), a.volumesCommand(), a.vendorCommand(),
		a.driversCommand(), a.conductorsCommand(), a.validateCommand(), a.historyCommand(), a.explainCommand(), a.doctorCommand(), a.journalCommand(), a.disksCommand(), a.hintsCommand(),
		a.ignitionCommand(), a.configCommand(), a.labCommand(), a.replayCommand(), a.bmcCommand(), a.agentCommand(), a.versionCommand(), a.manCommand(), a.serveCommand(),
	)
	root.AddCommand(a.verbCommands()...)
	root.AddCommand(a.flagCommands()...)
	wrapUsage(root)
	if a.remote != nil {
		a.remote.restrict(a, root)
	}
	addHelp(root)
	a.completeFlags(root)
	return root
}

// wrapUsage makes a wrong number of arguments a usage error in every command.
func wrapUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usagef("%w (see %s --help)", argumentError(cmd, args, err), cmd.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapUsage(sub)
	}
}

// flagError returns a usage error for a flag that cannot be parsed. After a mistyped command the error is about the
// command: its flags are not known either.
func flagError(cmd *cobra.Command, err error) error {
	if before := cmd.Flags().Args(); !cmd.HasParent() && len(before) > 0 {
		if wrong := fileArgument(cmd, before[:1]); wrong != nil {
			return usagef("%w (see %s --help)", wrong, cmd.CommandPath())
		}
	}
	near := ""
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		near = didYouMean("--"+unknown.GetSpecifiedName(), known)
	}
	return usagef("%w%s (see %s --help)", err, near, cmd.CommandPath())
}

// argumentError returns an error of cobra about the arguments of a command. It adds the arguments that the command
// takes.
func argumentError(cmd *cobra.Command, args []string, err error) error {
	_, program, _ := strings.Cut(cmd.CommandPath(), " ")
	switch {
	case cmd.HasParent() && !cmd.HasSubCommands() && cmd.Use == cmd.Name() && len(args) > 0:
		return fmt.Errorf("%s takes no argument, got %q", program, args[0])
	case !strings.Contains(err.Error(), " arg(s)"): // cobra's texts about the number of arguments
		return err
	}
	_, takes, _ := strings.Cut(cmd.Use, " ")
	return fmt.Errorf("want %s %s, got %s", program, takes, models.Counted(len(args), "argument"))
}

// fileArgument accepts one argument that is an existing file. It reports a missing file as an unknown command, unless
// the argument looks like a path.
func fileArgument(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	info, err := os.Stat(args[0])
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory: want a file to check", args[0])
	case err == nil && len(args) == 1:
		return nil
	case err == nil:
		return errors.New("want one file to check")
	case strings.ContainsAny(args[0], "./"):
		return err // the argument is a path, not a mistyped command
	}
	return unknownCommand(cmd, args[0])
}
