package hardware

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ironworks/bmc"
	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/session"
)

func (a *app) bmcLoginCommand(flags *cli.BMCFlags) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "login [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withBMC(cmd, flags, args, func(ctx context.Context, way *session.BMCAccess, t *bmc.Target) error {
				return a.keepLogin(ctx, way, t, all)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "use the password for all BMCs of the context with this user name")
	return cmd
}

func (a *app) bmcLogoutCommand(flags *cli.BMCFlags) *cobra.Command {
	return &cobra.Command{
		Use: "logout [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withBMC(cmd, flags, args, func(ctx context.Context, way *session.BMCAccess, t *bmc.Target) error {
				if !way.Logins.HasKeyring() {
					return errNoKeyring("bmc logout")
				}
				return way.Logins.Forget(ctx, t.Address, t.Username)
			})
		},
	}
}

func errNoKeyring(command string) error {
	return fmt.Errorf("%s: %w; set %s, or bmc: {password_file: …} in the context", command, config.ErrNoKeyring, session.EnvBMCPassword)
}

// withBMC calls do with the BMC of a node, or with the BMC given with --address.
func (a *app) withBMC(cmd *cobra.Command, flags *cli.BMCFlags, args []string, do func(ctx context.Context, way *session.BMCAccess, t *bmc.Target) error) error {
	node, err := flags.WantsNode(cmd.CommandPath(), len(args))
	if err != nil {
		return err
	}
	target := flags.Target()
	var s *session.Session
	if node {
		if s, err = a.Connect(cmd); err != nil {
			return err
		}
		defer s.Close()
		n, err := s.Client.Node(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if target, err = bmc.TargetOf(n); err != nil {
			return err
		}
	}
	way, err := a.BMCAccess(s, flags)
	if err != nil {
		return err
	}
	way.Trust(&target)
	return do(cmd.Context(), way, &target)
}

// keepLogin verifies a password and stores it in the keyring.
func (a *app) keepLogin(ctx context.Context, way *session.BMCAccess, t *bmc.Target, all bool) error {
	if !way.Logins.HasKeyring() {
		return errNoKeyring("bmc login")
	}
	login := way.Logins.FromFlags(t.Username)
	if t.Username = login.Username; t.Username == "" {
		return cli.Usagef("bmc login: the node has no BMC user name; pass --bmc-username")
	}
	if t.Password = login.Password; !t.Password.IsSet() {
		var err error
		if t.Password, err = a.AskPassword(ctx, t); err != nil {
			return err
		}
	}
	a.Mask(t.Password)
	if err := bmc.Verify(ctx, *t); err != nil {
		return err
	}
	if err := way.Logins.Keep(ctx, t.Address, all, config.BMCLogin{Username: t.Username, Password: t.Password}); err != nil {
		return err
	}
	a.PrintMessage("stored the password of %s in the keyring", t.Username)
	return nil
}
