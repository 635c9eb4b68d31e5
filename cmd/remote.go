package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/actions"
	"ironworks/cmd/cli"
	"ironworks/presence"
	"ironworks/sshserver"
	"ironworks/sshserver/access"
)

// remoteCommands returns the commands available in a served console, each with the lowest role that may run it.
// Commands are missing if they read or write files of the server, need a terminal, or concern the server itself. As a
// second safeguard, the client of a viewer refuses requests that change something.
func remoteCommands() map[string]access.Role {
	roles := map[string]access.Role{}
	for role, names := range map[access.Role]string{
		access.Viewer: "nodes node watch logs history explain drivers conductors steps disks hints inventory volumes rules templates runbooks " +
			"bios firmware raid port portgroup vif vendor export version who say help",
		access.Operator: "validate power maintenance set boot-device bmc enroll bringup delete",
	} {
		for _, name := range strings.Fields(names) {
			roles[name] = role
		}
	}
	return roles
}

// These lists restrict flags and commands over SSH. The value of a flag in remoteFileFlags or remoteJSONFlags must be
// standard input. Flags in remoteJSONFlags also take literal JSON, and those in remoteURLFlags also take URLs. Flags
// in remoteNoFlags are not available. A test compares the lists with the flags of the commands.
var (
	remoteFileFlags  = strings.Fields("file user-data batch password-file")                                                                                                                               //nolint:gochecknoglobals // constant
	remoteJSONFlags  = strings.Fields("steps root-device configdrive hints inventory skip")                                                                                                               //nolint:gochecknoglobals // constant
	remoteURLFlags   = strings.Fields("configdrive")                                                                                                                                                      //nolint:gochecknoglobals // constant
	remoteNoFlags    = strings.Fields("config context cloud url username cacert insecure journal bmc-cacert bmc-password-file credentials plan deploy-iso archive identity address hosts receive listen") //nolint:gochecknoglobals // constant
	remoteNoCommands = []string{"bmc login", "bmc logout"}                                                                                                                                                //nolint:gochecknoglobals // constant
	// remoteChanges lists the subcommands that only operators may run, although viewers may run the parent command.
	remoteChanges = []string{ //nolint:gochecknoglobals // constant
		"bios copy", "bios reset", "bios set", "firmware update", "hints set", "port create", "port delete", "port set", "portgroup create", "portgroup delete", "portgroup set",
		"raid apply", "raid delete", "rules apply", "rules delete", "runbooks apply", "runbooks delete", "templates apply", "templates delete", "vif attach", "vif detach",
	}
	remoteFileCommand = strings.Fields("check") //nolint:gochecknoglobals // constant
)

// restrict removes the commands that are not available over SSH; the others check the role and the flags first.
func (a *app) restrict(root *cobra.Command) {
	root.AddCommand(a.whoCommand(), a.sayCommand())
	allowed, verbs := remoteCommands(), actions.Verbs(a.App)
	for _, cmd := range root.Commands() {
		role, is := allowed[cmd.Name()]
		if !is && slices.ContainsFunc(verbs, func(v *cobra.Command) bool { return v.Name() == cmd.Name() }) {
			role, is = access.Operator, true
		}
		if !is {
			root.RemoveCommand(cmd)
			continue
		}
		a.checkRole(cmd, role)
	}
	// The arguments of the root command would be names of files.
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return cli.Usagef("%w", cli.UnknownCommand(cmd, args[0]))
		}
		return nil
	}
	root.RunE = func(*cobra.Command, []string) error {
		return cli.Usagef("the console needs a terminal (ssh -t)")
	}
	root.CompletionOptions.DisableDefaultCmd = true
}

// checkRole makes a command and its subcommands refuse users below the role least, and flags that name files.
func (a *app) checkRole(cmd *cobra.Command, least access.Role) {
	for _, sub := range cmd.Commands() {
		if slices.Contains(remoteNoCommands, cmd.Name()+" "+sub.Name()) {
			cmd.RemoveCommand(sub)
			continue
		}
		if slices.Contains(remoteChanges, cmd.Name()+" "+sub.Name()) {
			a.checkRole(sub, access.Operator)
			continue
		}
		a.checkRole(sub, least)
	}
	run, role := cmd.RunE, a.Remote.Role
	if run == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !role.AtLeast(least) {
			return a.Refusef("%s requires the %s role; your role is %s", cmd.CommandPath(), least, role)
		}
		if err := remoteFlags(cmd, args); err != nil {
			return err
		}
		if f := cmd.Flags().Lookup("bmc"); f != nil && f.Changed && role == access.Viewer {
			return a.Refusef("--bmc requires the %s role; your role is %s", access.Operator, role)
		}
		return run(cmd, args)
	}
}

// remoteFlags rejects flags that choose another Ironic or name files.
func remoteFlags(cmd *cobra.Command, args []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(remoteNoFlags, f.Name):
			err = cli.Usagef("--%s is not available over SSH", f.Name)
		case slices.Contains(slices.Concat(remoteFileFlags, remoteJSONFlags), f.Name) && !fromStandardInput(f):
			err = cli.Usagef("--%s: %s", f.Name, cli.TextNoFiles)
		}
	})
	if err == nil && slices.Contains(remoteFileCommand, cmd.Name()) && slices.ContainsFunc(args, func(arg string) bool { return arg != "-" }) && cmd.Parent().Name() != "raid" {
		err = cli.Usagef("%s: %s", cmd.CommandPath(), cli.TextNoFiles)
	}
	return err
}

// fromStandardInput reports whether every value of a flag is "-", or literal JSON or a URL if the flag takes them.
func fromStandardInput(f *pflag.Flag) bool {
	values := []string{f.Value.String()}
	if list, is := f.Value.(pflag.SliceValue); is {
		values = list.GetSlice()
	}
	return !slices.ContainsFunc(values, func(v string) bool {
		literal := slices.Contains(remoteJSONFlags, f.Name) && (strings.HasPrefix(strings.TrimSpace(v), "{") || strings.HasPrefix(strings.TrimSpace(v), "["))
		url := slices.Contains(remoteURLFlags, f.Name) && (strings.HasPrefix(v, "http://") || strings.HasPrefix(v, "https://"))
		return v != "-" && !literal && !url
	})
}

func (a *app) whoCommand() *cobra.Command {
	r := a.Remote
	return &cobra.Command{
		Use: "who", Short: "List the connected users", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			res := cli.Result{Empty: "No consoles are open.", Header: []string{"SESSION", "USER", "ROLE", "ADDRESS", "SINCE", "SCREEN"}}
			people := r.Room.Sessions()
			for i := range people {
				p := &people[i]
				if r.Member.Nodes.String() != "" && r.Member.Nodes.String() != p.Nodes {
					p.Screen, p.Node.Name, p.Node.UUID = "", "", ""
				}
				res.Add(p.User, fmt.Sprint(p.ID), p.User, p.Role, p.Address, p.Since.Local().Format(time.DateTime), p.Screen)
			}
			res.Data = people
			return a.Print(res)
		},
	}
}

func (a *app) sayCommand() *cobra.Command {
	r := a.Remote
	return &cobra.Command{
		Use: "say WORD…", Short: "Send a line to all connected users", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, words []string) error {
			line := strings.Join(words, " ")
			if n := utf8.RuneCountInString(line); n > presence.MessageMost {
				return cli.Usagef("say: %d characters; the limit is %d", n, presence.MessageMost)
			}
			r.Room.Say(r.Member.Actor.User, line)
			return nil
		},
	}
}

// command runs a command that a user sent over SSH, and returns its exit code.
func (s *consoleServer) command(ctx context.Context, one *sshserver.Session, args []string) int {
	member, err := s.member(one)
	if err != nil {
		_, _ = fmt.Fprintf(one.Err, "ironworks: %v\n", err)
		return cli.ExitFailed
	}
	options := s.app.Options
	options.Env = func(name string) string {
		value := ""
		for _, v := range one.Env {
			if key, text, _ := strings.Cut(v, "="); key == name {
				value = text
			}
		}
		return value
	}
	return run(ctx, cli.Process{
		Args: args, Stdin: one.In, Stdout: one.Out, Stderr: one.Err, Options: options,
		Remote: &cli.RemoteUser{Cfg: s.cfg, Shared: s.shared, Member: member, Role: one.Role, Room: s.room, Tasks: s.tasks.For(member.Actor.User, nil)},
	})
}
