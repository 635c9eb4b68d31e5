package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/agentlog"
	"ironworks/audit"
	"ironworks/models"
	"ironworks/session"
	"ironworks/shell"
)

// sshFlags are the flags of ssh.
type sshFlags struct {
	address string
	tty     bool
}

func (a *app) sshCommand() *cobra.Command {
	var flags sshFlags
	cmd := &cobra.Command{
		Use: "ssh NODE [-- COMMAND…]", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
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
	atTerminal := shell.IsTerminal(a.stdin) && shell.IsTerminal(a.stdout)
	if flags.tty && !atTerminal {
		return usagef("--tty: stdin and stdout are not a terminal")
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
		a.printMessage("%s: %s", machine.Target(), note)
	}
	command := strings.Join(args[1:], " ")
	var status int
	if atTerminal && (flags.tty || command == "") {
		back := func() {}
		if a.handOver != nil { // Ctrl-C is for the machine
			back = a.handOver()
		}
		status, err = machine.AtTerminal(ctx, a.stdin, a.stdout, command)
		back()
	} else {
		status, err = machine.Run(ctx, agentlog.ShellSession{Command: command, In: a.stdin, Out: a.stdout, Err: a.stderr})
	}
	if errors.Is(err, shell.ErrLeft) {
		a.printMessage("%s: %v", machine.Target(), err)
		return &codeError{code: exitSSH}
	}
	if err == nil && status != exitOK {
		return &codeError{code: status}
	}
	return err
}
