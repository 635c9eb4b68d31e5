package hardware

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/bmc"
	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) bmcCommand() *cobra.Command {
	var flags cli.BMCFlags
	cmd := &cobra.Command{
		Use:               "bmc [NODE]",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.queryBMC(cmd, &flags, args)
			if err != nil {
				return err
			}
			return a.Print(cli.Result{Data: look, Names: []string{look.BMC.Address}, Text: bmcText(look)})
		},
	}
	flags.Register(cmd.PersistentFlags())
	cmd.AddCommand(a.bmcOrderCommands(&flags)...)
	cmd.AddCommand(a.bmcConsoleCommand(&flags), a.bmcLoginCommand(&flags), a.bmcLogoutCommand(&flags))
	return cmd
}

// queryBMC queries the BMC of a node, or the BMC given with --address. The latter needs no configuration.
func (a *app) queryBMC(cmd *cobra.Command, flags *cli.BMCFlags, args []string) (*provision.BMCReport, error) {
	node, err := flags.WantsNode(cmd.CommandPath(), len(args))
	if err != nil {
		return nil, err
	}
	if !node {
		bmcs, err := a.BMCs(nil, flags)
		if err != nil {
			return nil, err
		}
		return bmcs.QueryTarget(cmd.Context(), flags.Target())
	}
	s, err := a.Connect(cmd)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	bmcs, err := a.BMCs(s, flags)
	if err != nil {
		return nil, err
	}
	look, err := bmcs.Query(cmd.Context(), args[0])
	if err != nil {
		return nil, errors.Join(err, a.knownOfBMC(cmd.Context(), s, args[0], err))
	}
	for _, missing := range look.Missing {
		a.PrintMessage("%v", missing)
	}
	return look, nil
}

// knownOfBMC prints what Ironic knows about a BMC if why is a [models.NoRedfishError].
func (a *app) knownOfBMC(ctx context.Context, s *session.Session, name string, why error) error {
	if !cli.Is[*models.NoRedfishError](why) {
		return nil
	}
	n, err := s.Client.Node(ctx, name)
	if err != nil {
		return err
	}
	known := models.BMCOfIronic(n)
	r := cli.Result{Header: []string{"FIELD", "VALUE"}, Names: []string{n.Label()}}
	fields := map[string]string{}
	for _, d := range known {
		fields[d.Name] = d.Value
		r.Rows = append(r.Rows, []string{d.Name, d.Value})
	}
	r.Data = map[string]any{"node": n.Ref(), "ironic": fields}
	return a.Print(r)
}

func (a *app) bmcConsoleCommand(flags *cli.BMCFlags) *cobra.Command {
	return &cobra.Command{
		Use: "console [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.queryBMC(cmd, flags, args)
			if err != nil {
				return err
			}
			return a.printConsoles(look.BMC)
		},
	}
}

func (a *app) printConsoles(b *models.BMC) error {
	r := cli.Result{Header: []string{"CONSOLE", "ENABLED", "BY", "URL"}, Data: cli.NonNil(b.Consoles)}
	for _, c := range b.Consoles {
		r.Rows = append(r.Rows, []string{string(c.Kind), models.YesNo(c.Enabled), strings.Join(c.Types, ", "), c.URL})
		if c.URL != "" {
			r.Names = append(r.Names, c.URL)
		}
	}
	if len(b.Consoles) == 0 {
		a.PrintMessage("the BMC reports no console; its web interface is at %s", b.Address)
	}
	return a.Print(r)
}

// bmcText formats the report of a BMC. It omits the BIOS settings, which only the JSON and YAML output contains.
func bmcText(l *provision.BMCReport) string {
	var b strings.Builder
	title, sections := l.Page()
	if l.Node != nil {
		fmt.Fprintf(&b, "%s  ", l.Node.Label())
	}
	fmt.Fprintf(&b, "%s  %s\n", title, l.BMC.Address)
	for _, section := range sections {
		switch section.Title {
		case "BIOS settings":
			continue
		case "":
		default:
			fmt.Fprintf(&b, "\n%s\n", section.Title)
		}
		for _, row := range section.Rows {
			fmt.Fprintf(&b, "  %-22s %s\n", row.Name, row.Text)
		}
	}
	return b.String()
}

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
	given := models.BMCCredentials{Address: t.Address, Username: t.Username, Password: t.Password, All: all}
	if err := way.Logins.Keep(ctx, given); err != nil {
		return err
	}
	a.PrintMessage("stored the password of %s in the keyring", t.Username)
	return nil
}

// bmcOrderCommands returns the commands that change machines through their BMCs.
func (a *app) bmcOrderCommands(flags *cli.BMCFlags) []*cobra.Command {
	power := cli.Group("power on|off|shut-down|reset|restart|cycle NODE…")
	for _, p := range models.BMCPowers {
		power.AddCommand(a.bmcOrderCommand(flags, p.Name, "", func(string) models.BMCOrder { return models.BMCOrder{Verb: p.Verb} }))
	}
	var slot string
	insert := a.bmcOrderCommand(flags, "insert", "URL", func(image string) models.BMCOrder {
		return models.BMCOrder{Verb: models.BMCInsert, Image: image, Slot: slot}
	})
	eject := a.bmcOrderCommand(flags, "eject", "", func(string) models.BMCOrder {
		return models.BMCOrder{Verb: models.BMCEject, Slot: slot}
	})
	for _, cmd := range []*cobra.Command{insert, eject} {
		cmd.Flags().StringVar(&slot, "slot", "", "ID of the virtual media slot (default: the first that fits)")
	}
	return []*cobra.Command{
		power,
		a.bmcOrderCommand(flags, "boot-once", "SOURCE", func(source string) models.BMCOrder {
			return models.BMCOrder{Verb: models.BMCBootOnce, Boot: source}
		}),
		insert, eject,
		a.bmcOrderCommand(flags, "clear-jobs", "", func(string) models.BMCOrder { return models.BMCOrder{Verb: models.BMCClearJobs} }),
		a.bmcOrderCommand(flags, "reset-controller", "", func(string) models.BMCOrder { return models.BMCOrder{Verb: models.BMCResetController} }),
	}
}

// bmcOrderCommand returns a command that sends an order. argument is a placeholder before the nodes, or "".
func (a *app) bmcOrderCommand(flags *cli.BMCFlags, name, argument string, order func(argument string) models.BMCOrder) *cobra.Command {
	first := len(strings.Fields(argument))
	use := strings.Join(cli.NonEmpty(name, argument, "NODE…"), " ")
	return a.ActCommand(use, first, false, func(cmd *cobra.Command, args []string, act cli.ActFlags) error {
		o := order(strings.Join(args[:first], ""))
		nodes, err := flags.WantsNode(cmd.CommandPath(), len(args)-first)
		switch {
		case err != nil:
			return err
		case o.Check() != nil:
			return cli.Usagef("%s: %w", cmd.CommandPath(), o.Check())
		case nodes:
			return a.orderBMCs(cmd, flags, o, args[first:], act)
		}
		return a.orderBareBMC(cmd, flags, o, act)
	})
}

// orderBMCs plans, confirms, sends and reports an order to the BMCs of nodes, like any other action on nodes.
func (a *app) orderBMCs(cmd *cobra.Command, flags *cli.BMCFlags, o models.BMCOrder, names []string, act cli.ActFlags) error {
	s, nodes, err := a.ConnectNodes(cmd, names)
	if err != nil {
		return err
	}
	defer s.Close()
	bmcs, err := a.BMCs(s, flags)
	if err != nil {
		return err
	}
	runner := s.Runner(nil)
	return a.CarryOut(cmd, s, runner, runner.Plan(bmcs.Order(o), nodes), act)
}

func (a *app) orderBareBMC(cmd *cobra.Command, flags *cli.BMCFlags, o models.BMCOrder, act cli.ActFlags) error {
	target := flags.Target()
	shown := models.MaskURL(target.Address)
	cfg, err := a.LoadConfig(cmd, true)
	if cfg == nil {
		return err // even a configuration without a selected context contains the path of the audit log
	}
	effect := o.Effect()
	if effect.Danger.Consent() > models.ConsentNone && !act.Yes && a.Interactive() {
		a.PrintErr("%s: %s\n", shown, effect.Text)
		name := "BMC " + o.Name()
		if err := a.AskYes(cmd.Context(), name+"? [y/N] ", name, cli.NothingSent); err != nil {
			return err
		}
	}
	bmcs, err := a.BMCs(nil, flags)
	if err != nil {
		return err
	}
	book, err := audit.Open(a.Files.Audit)
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }()
	runner := &provision.Runner{Audit: book, ReadOnly: a.ReadOnly}
	did, err := runner.OrderBMC(cmd.Context(), bmcs, target, o)
	if err != nil {
		return err
	}
	return a.Print(cli.Result{
		Header: []string{"BMC", "RESULT", "DONE"}, Rows: [][]string{{shown, string(provision.OutcomeDone), did}}, Names: []string{shown},
		Data: map[string]string{"bmc": shown, "verb": "BMC " + o.Name(), "result": string(provision.OutcomeDone), "note": did},
	})
}
