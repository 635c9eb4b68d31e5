package show

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/agentlog"
	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/session"
	"ironworks/shell"
)

type sshFlags struct {
	address string
	tty     bool
}

func (a *app) sshCommand() *cobra.Command {
	var flags sshFlags
	cmd := &cobra.Command{
		Use: "ssh NODE [-- COMMAND…]", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			return a.ssh(cmd, s, flags, args)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&flags.address, "address", "", "address of the machine (default: the address of the ramdisk's agent)")
	f.BoolVarP(&flags.tty, "tty", "t", false, "give COMMAND a terminal")
	return cmd
}

// ssh runs a command, or a login shell, on the machine of a node, and returns its exit status.
func (a *app) ssh(cmd *cobra.Command, s *session.Session, flags sshFlags, args []string) error {
	atTerminal := shell.IsTerminal(a.Stdin) && shell.IsTerminal(a.Stdout)
	if flags.tty && !atTerminal {
		return cli.Usagef("--tty: stdin and stdout are not a terminal")
	}
	ctx := cmd.Context()
	node, err := s.Client.Node(ctx, args[0])
	if err != nil {
		return err
	}
	log := &audit.LazyFile{Path: s.Files.Audit}
	defer log.Close()
	machine, err := s.Shells(s.Runner(log), []models.Node{*node}).Open(ctx, node, flags.address)
	if err != nil {
		return err
	}
	defer machine.Close()
	if note := machine.Note(); note != "" {
		a.PrintMessage("%s: %s", machine.Target(), note)
	}
	command := strings.Join(args[1:], " ")
	var status int
	if atTerminal && (flags.tty || command == "") {
		back := func() {}
		if a.HandOver != nil { // Ctrl-C is for the machine
			back = a.HandOver()
		}
		status, err = machine.AtTerminal(ctx, a.Stdin, a.Stdout, command)
		back()
	} else {
		status, err = machine.Run(ctx, agentlog.ShellSession{Command: command, In: a.Stdin, Out: a.Stdout, Err: a.Stderr})
	}
	if errors.Is(err, shell.ErrLeft) {
		a.PrintMessage("%s: %v", machine.Target(), err)
		return &cli.CodeError{Code: cli.ExitSSH}
	}
	if err == nil && status != cli.ExitOK {
		return &cli.CodeError{Code: status}
	}
	return err
}
