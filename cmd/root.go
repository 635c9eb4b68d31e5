package cmd

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/actions"
	"ironworks/cmd/cli"
	"ironworks/cmd/declared"
	"ironworks/cmd/enroll"
	"ironworks/cmd/hardware"
	"ironworks/cmd/help"
	"ironworks/cmd/ignition"
	"ironworks/cmd/journal"
	"ironworks/cmd/lab"
	"ironworks/cmd/ports"
	"ironworks/cmd/show"
	"ironworks/models"
)

// app extends [cli.App] with all commands.
type app struct{ *cli.App }

func newApp(p cli.Process) *app { return &app{cli.NewApp(p)} }

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
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(flagError)
	a.RegisterFlags(root.PersistentFlags())
	root.AddCommand(
		enroll.Command(a.App), ignition.Command(a.App), journal.Command(a.App), lab.Command(a.App),
		a.runCommand(), a.replayCommand(), a.manCommand(), a.serveCommand(),
	)
	root.AddCommand(show.Commands(a.App)...)
	root.AddCommand(actions.Commands(a.App)...)
	root.AddCommand(actions.Verbs(a.App)...)
	root.AddCommand(ports.Commands(a.App)...)
	root.AddCommand(declared.Commands(a.App)...)
	root.AddCommand(hardware.Commands(a.App)...)
	wrapUsage(root)
	if a.Remote != nil {
		a.restrict(root)
	}
	help.Add(root)
	completeFlags(root, a.flagChoices())
	return root
}

// wrapUsage makes a wrong number of arguments a usage error in every command.
func wrapUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return cli.Usagef("%w (see %s --help)", argumentError(cmd, args, err), cmd.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapUsage(sub)
	}
}

// flagError returns a usage error for a flag that cannot be parsed. If the command is mistyped, the error reports the
// command instead, because the flags of an unknown command are unknown.
func flagError(cmd *cobra.Command, err error) error {
	if before := cmd.Flags().Args(); !cmd.HasParent() && len(before) > 0 {
		if wrong := fileArgument(cmd, before[:1]); wrong != nil {
			return cli.Usagef("%w (see %s --help)", wrong, cmd.CommandPath())
		}
	}
	near := ""
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		near = cli.DidYouMean("--"+unknown.GetSpecifiedName(), known)
	}
	return cli.Usagef("%w%s (see %s --help)", err, near, cmd.CommandPath())
}

// argumentError improves cobra's error about a command's arguments: it shows which ones the command takes.
func argumentError(cmd *cobra.Command, args []string, err error) error {
	_, program, _ := strings.Cut(cmd.CommandPath(), " ")
	switch {
	case cmd.HasParent() && !cmd.HasSubCommands() && cmd.Use == cmd.Name() && len(args) > 0:
		return fmt.Errorf("%s takes no argument, got %q", program, args[0])
	case !strings.Contains(err.Error(), " arg(s)"): // cobra's messages about the number of arguments
		return err
	}
	_, takes, _ := strings.Cut(cmd.Use, " ")
	return fmt.Errorf("expected %s %s, got %s", program, takes, models.Counted(len(args), "argument"))
}

// fileArgument accepts one existing file. It reports a missing file as an unknown command, unless it looks like a path.
func fileArgument(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	info, err := os.Stat(args[0])
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory: give a file to check", args[0])
	case err == nil && len(args) == 1:
		return nil
	case err == nil:
		return errors.New("give only one file to check")
	case strings.ContainsAny(args[0], "./"):
		return err // the argument is a path, not a mistyped command
	}
	return cli.UnknownCommand(cmd, args[0])
}
