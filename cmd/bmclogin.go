package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/models"
	"ironworks/provision"
)

// The variables that name the login of BMCs.
const (
	envBMCUsername = "IRONWORKS_BMC_USERNAME"
	envBMCPassword = "IRONWORKS_BMC_PASSWORD" //nolint:gosec // the name of a variable
	// envBMCHosts are further hosts as the context's bmc.hosts, with commas between them.
	envBMCHosts = "IRONWORKS_BMC_HOSTS"
)

// bmcLogins are those of a context, with what flags and variables add; flags may be nil.
func (a *app) bmcLogins(name string, own config.BMC, flags *bmcFlags) (*config.BMCLogins, error) {
	given := config.BMCLogin{
		Username: a.variable(envBMCUsername), Password: models.Secret(a.variable(envBMCPassword)), From: envBMCPassword,
	}
	if flags != nil && flags.username != "" {
		given.Username = flags.username
	}
	if flags != nil && flags.password != "" {
		password, err := config.ReadPassword(flags.password)
		if err != nil {
			return nil, usagef("--bmc-password-file: %w", err)
		}
		given.Password, given.From = password, "--bmc-password-file"
	}
	return config.NewBMCLogins(name, own, given, config.SystemKeyring(a.variable)), nil
}

// bmcWay is how the BMCs of a context are asked.
type bmcWay struct {
	app    *app
	own    config.BMC
	flags  bmcFlags
	logins *config.BMCLogins
	// hosts get logins that are meant for several BMCs.
	hosts config.BMCHosts
	// command says that somebody has named the nodes, or the BMC, together with the login.
	command bool
	// ask asks somebody for the password of a user; nil where nobody can be asked.
	ask func(ctx context.Context, t *bmc.Target) (models.Secret, error)
	// told hears of a keyring that does not answer.
	told func(err error)
}

// complete adds the login and what is trusted.
func (w bmcWay) complete(ctx context.Context, t *bmc.Target) error {
	w.trust(t)
	login, err := w.logins.For(ctx, t.Address, t.Username)
	if err != nil {
		w.told(err) // another way may be left
	}
	t.Username, t.Password = login.Username, login.Password
	if t.Password.IsSet() && !w.mayHave(t, login) {
		t.Password = ""
		if t.Username == "" {
			return nil // nobody logs in
		}
		return &provision.BMCLoginError{Address: t.Address, Username: t.Username, Withheld: login.From}
	}
	if t.Username != "" && !t.Password.IsSet() && w.ask != nil {
		if t.Password, err = w.ask(ctx, t); err != nil {
			return err
		}
	}
	w.app.mask(t.Password)
	return nil
}

// mayHave says whether a BMC may have a login. Whoever may write driver_info chooses the
// address: a login that is meant for several BMCs is sent to hosts that the configuration
// lists, to BMCs whose certificate it pins, and to those that somebody has named with it.
func (w bmcWay) mayHave(t *bmc.Target, login config.BMCLogin) bool {
	switch {
	case login.Scope == config.ScopeBMC, w.flags.address != "", w.own.Fingerprints[t.Address] != "", w.logins.Approved(t.Address):
		return true
	case login.Scope == config.ScopeRun && w.command:
		return true
	}
	host, err := t.Host()
	return err == nil && w.hosts.List(host)
}

// bmcHosts are those of a context, and of the variable.
func (a *app) bmcHosts(own config.BMC) (config.BMCHosts, error) {
	var more []string
	for entry := range strings.SplitSeq(a.variable(envBMCHosts), ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			more = append(more, entry)
		}
	}
	hosts, err := config.ParseBMCHosts(more)
	if err != nil {
		return nil, usagef("%s: %w", envBMCHosts, err)
	}
	return append(slices.Clone(own.Hosts), hosts...), nil
}

// trust adds which machine it is, and what is trusted.
func (w bmcWay) trust(t *bmc.Target) {
	t.System = cmp.Or(w.flags.system, t.System)
	t.Basic = t.Basic || w.flags.basic
	switch {
	case w.flags.insecure:
		t.TLS.Insecure = true
	case w.own.Verify != nil:
		t.TLS.Insecure = !*w.own.Verify
	}
	if t.TLS.CACert = cmp.Or(w.flags.cacert, w.own.CACert); t.TLS.CACert != "" && !w.flags.insecure {
		t.TLS.Insecure = false
	}
	t.Fingerprint = cmp.Or(w.flags.fingerprint, w.own.Fingerprints[t.Address])
}

// mask keeps a secret out of a crash file.
func (a *app) mask(s models.Secret) {
	a.secretsMu.Lock()
	defer a.secretsMu.Unlock()
	a.secrets = append(a.secrets, s.Reveal())
}

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
			return a.withBMC(cmd, flags, args, func(ctx context.Context, way *bmcWay, t *bmc.Target) error {
				return way.keep(ctx, t, all)
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
			return a.withBMC(cmd, flags, args, func(ctx context.Context, way *bmcWay, t *bmc.Target) error {
				if !way.logins.HasKeyring() {
					return errNoKeyring("bmc logout")
				}
				return way.logins.Forget(ctx, t.Address, t.Username)
			})
		},
	}
}

func errNoKeyring(command string) error {
	return fmt.Errorf("%s: %w; %s, or the context's bmc: {password_file: …}, do without", command, config.ErrNoKeyring, envBMCPassword)
}

// withBMC does something about the login of a BMC: that of a node, or one without Ironic.
func (a *app) withBMC(cmd *cobra.Command, flags *bmcFlags, args []string, do func(ctx context.Context, way *bmcWay, t *bmc.Target) error) error {
	node, err := flags.which(cmd.CommandPath(), len(args))
	if err != nil {
		return err
	}
	target := flags.target()
	var s *session
	if node {
		if s, err = a.connect(cmd); err != nil {
			return err
		}
		defer s.client.Close()
		n, err := s.client.Node(cmd.Context(), args[0])
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
	way.trust(&target)
	return do(cmd.Context(), way, &target)
}

// keep tries a password, and puts it into the keyring.
func (w *bmcWay) keep(ctx context.Context, t *bmc.Target, all bool) error {
	if !w.logins.HasKeyring() {
		return errNoKeyring("bmc login")
	}
	login := w.logins.Given(t.Username)
	if t.Username = login.Username; t.Username == "" {
		return usagef("bmc login: whose password? the node names no user: --bmc-username")
	}
	if t.Password = login.Password; !t.Password.IsSet() {
		var err error
		if t.Password, err = w.app.askPassword(ctx, t); err != nil {
			return err
		}
	}
	w.app.mask(t.Password)
	if err := bmc.Verify(ctx, *t); err != nil {
		return err
	}
	if err := w.logins.Keep(ctx, t.Address, all, config.BMCLogin{Username: t.Username, Password: t.Password}); err != nil {
		return err
	}
	w.app.complain("the keyring has the password of %s now", models.Printable(t.Username))
	return nil
}
