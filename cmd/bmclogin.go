package cmd

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// asker asks at the terminal, one question at a time; what was typed is for all BMCs of
// the context.
func (a *app) asker(logins *config.BMCLogins) func(ctx context.Context, t *bmc.Target) (models.Secret, error) {
	var mu sync.Mutex
	return func(ctx context.Context, t *bmc.Target) (models.Secret, error) {
		mu.Lock()
		defer mu.Unlock()
		if login, err := logins.For(ctx, t.Address, t.Username); err == nil && login.Password.IsSet() {
			return login.Password, nil // it was typed meanwhile
		}
		password, err := a.askPassword(ctx, t)
		if err == nil {
			logins.Remember(t.Address, true, config.BMCLogin{Username: t.Username, Password: password})
		}
		return password, err
	}
}

// askPassword asks at the terminal, without showing what is typed.
func (a *app) askPassword(ctx context.Context, t *bmc.Target) (models.Secret, error) {
	in, is := a.stdin.(*os.File)
	if !is || !a.interactive() {
		return "", &provision.BMCLoginError{Address: t.Address, Username: t.Username}
	}
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", fmt.Errorf("asking for the password: %w", err)
	}
	type answer struct {
		text []byte
		err  error
	}
	fmt.Fprintf(a.stderr, "password of %s at %s: ", models.Printable(t.Username), models.Printable(models.MaskURL(t.Address)))
	typed := make(chan answer, 1)
	go func() {
		text, err := term.ReadPassword(int(in.Fd()))
		typed <- answer{text, err}
	}()
	select {
	case got := <-typed:
		fmt.Fprintln(a.stderr)
		if got.err != nil {
			return "", fmt.Errorf("asking for the password: %w", got.err)
		}
		return models.Secret(got.text), nil
	case <-ctx.Done():
		_ = term.Restore(int(in.Fd()), state)
		fmt.Fprintln(a.stderr)
		return "", ctx.Err()
	}
}

func (a *app) bmcLoginCommand(flags *bmcFlags) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "login [NODE]", Short: "Keep the password of a BMC in the keyring, once the BMC has taken it", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeNodes(1),
		Long: "Keep the password of a BMC in the desktop's keyring (Secret Service, Keychain, Windows credentials), for the context.\n" +
			"It is asked for, or is that of --bmc-password-file or IRONWORKS_BMC_PASSWORD, and kept only when the BMC takes it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withBMC(cmd, flags, args, func(ctx context.Context, way *session.BMCWay, t *bmc.Target) error {
				return a.keepLogin(ctx, way, t, all)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "for all BMCs of the context where this user logs in")
	return cmd
}

func (a *app) bmcLogoutCommand(flags *bmcFlags) *cobra.Command {
	return &cobra.Command{
		Use: "logout [NODE]", Short: "Drop the password of a BMC from the keyring, and that for all BMCs", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withBMC(cmd, flags, args, func(ctx context.Context, way *session.BMCWay, t *bmc.Target) error {
				if !way.Logins.HasKeyring() {
					return errNoKeyring("bmc logout")
				}
				return way.Logins.Forget(ctx, t.Address, t.Username)
			})
		},
	}
}

func errNoKeyring(command string) error {
	return fmt.Errorf("%s: %w; %s, or the context's bmc: {password_file: …}, do without", command, config.ErrNoKeyring, session.EnvBMCPassword)
}

// withBMC does something about the login of a BMC: that of a node, or one without Ironic.
func (a *app) withBMC(cmd *cobra.Command, flags *bmcFlags, args []string, do func(ctx context.Context, way *session.BMCWay, t *bmc.Target) error) error {
	node, err := flags.which(cmd.CommandPath(), len(args))
	if err != nil {
		return err
	}
	target := flags.target()
	var s *session.Session
	if node {
		if s, err = a.connect(cmd); err != nil {
			return err
		}
		defer s.Close()
		n, err := s.Client.Node(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if target, err = bmc.OfNode(n); err != nil {
			return err
		}
	}
	way, err := a.bmcWay(s, flags)
	if err != nil {
		return err
	}
	way.Trust(&target)
	return do(cmd.Context(), way, &target)
}

// keepLogin tries a password, and puts it into the keyring.
func (a *app) keepLogin(ctx context.Context, way *session.BMCWay, t *bmc.Target, all bool) error {
	if !way.Logins.HasKeyring() {
		return errNoKeyring("bmc login")
	}
	login := way.Logins.Given(t.Username)
	if t.Username = login.Username; t.Username == "" {
		return usagef("bmc login: whose password? the node names no user: --bmc-username")
	}
	if t.Password = login.Password; !t.Password.IsSet() {
		var err error
		if t.Password, err = a.askPassword(ctx, t); err != nil {
			return err
		}
	}
	a.mask(t.Password)
	if err := bmc.Verify(ctx, *t); err != nil {
		return err
	}
	if err := way.Logins.Keep(ctx, t.Address, all, config.BMCLogin{Username: t.Username, Password: t.Password}); err != nil {
		return err
	}
	a.complain("the keyring has the password of %s now", models.Printable(t.Username))
	return nil
}
