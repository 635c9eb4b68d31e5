package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// bmcFlags say which BMC, and how it is asked.
type bmcFlags struct {
	address, system     string
	username, password  string
	cacert, fingerprint string
	insecure            bool
	basic               bool
}

func (f *bmcFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.address, "address", "", "the BMC's https://HOST[:PORT], instead of a node's")
	flags.StringVar(&f.system, "system", "", "path of the machine where a BMC has several, as redfish_system_id")
	flags.StringVar(&f.username, "bmc-username", "", "user of the BMC")
	flags.StringVar(&f.password, "bmc-password-file", "", "file with the password of the BMC in one line")
	flags.StringVar(&f.cacert, "bmc-cacert", "", "PEM file of the CA that signed the BMC's certificate")
	flags.StringVar(&f.fingerprint, "fingerprint", "", "SHA-256 of the only certificate of the BMC that is taken")
	flags.BoolVar(&f.insecure, "bmc-insecure", false, "do not verify the BMC's certificate")
	flags.BoolVar(&f.basic, "bmc-basic", false, "send user and password with each request, instead of making a session")
}

// which says whether it is a node's BMC, or one without Ironic; named are the nodes.
func (f *bmcFlags) which(command string, named int) (node bool, err error) {
	switch {
	case named == 0 && f.address == "":
		return false, usagef("%s: which one? name a NODE, or --address https://HOST", command)
	case named > 0 && f.address != "":
		return false, usagef("%s: either a NODE or --address: a node's address is in its driver_info", command)
	}
	return named > 0, nil
}

func (f *bmcFlags) target() bmc.Target { return bmc.Target{Address: f.address} }

func (a *app) bmcCommand() *cobra.Command {
	var flags bmcFlags
	cmd := &cobra.Command{
		Use:   "bmc [NODE]",
		Short: "Ask a machine's BMC over Redfish: health, power, boot, drives, logs, sensors; or tell it what to do",
		Long: "Ask the management controller of a node, from here, and show it beside what Ironic believes. One session, closed after use; nothing is changed.\n" +
			"The address is driver_info's. Ironic masks the password: it comes from the context's bmc section, IRONWORKS_BMC_PASSWORD,\n" +
			"--bmc-password-file, the keyring (ironworks bmc login), or is asked for. --address asks a BMC without Ironic.\n\n" +
			"The commands below change something, past Ironic, which does not hear of it. A node with the name of one of them is named by its uuid.",
		Example:           "  ironworks bmc r7-n01\n  ironworks bmc r7-n01 -o json\n  IRONWORKS_BMC_PASSWORD=… ironworks bmc --address https://10.0.7.1 --bmc-username root\n  ironworks bmc boot-once cd r7-n01",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.lookAtBMC(cmd, &flags, args)
			if err != nil {
				return err
			}
			return a.printBMC(look)
		},
	}
	flags.register(cmd.PersistentFlags())
	cmd.AddCommand(a.bmcOrderCommands(&flags)...)
	cmd.AddCommand(a.bmcConsoleCommand(&flags), a.bmcLoginCommand(&flags), a.bmcLogoutCommand(&flags))
	return cmd
}

// lookAtBMC asks the BMC of a node, or one without Ironic, for which no configuration is
// needed.
func (a *app) lookAtBMC(cmd *cobra.Command, flags *bmcFlags, args []string) (*provision.BMCLook, error) {
	node, err := flags.which(cmd.CommandPath(), len(args))
	if err != nil {
		return nil, err
	}
	if !node {
		bmcs, err := a.bmcs(nil, flags)
		if err != nil {
			return nil, err
		}
		return bmcs.LookAt(cmd.Context(), flags.target())
	}
	s, err := a.connect(cmd)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	bmcs, err := a.bmcs(s, flags)
	if err != nil {
		return nil, err
	}
	look, err := bmcs.Look(cmd.Context(), args[0])
	if err != nil {
		return nil, errors.Join(err, a.knownOfBMC(cmd.Context(), s, args[0], err))
	}
	for _, missing := range look.Missing {
		a.complain("%v", missing)
	}
	return look, nil
}

// knownOfBMC prints what Ironic knows of a BMC that cannot be asked, for it has no Redfish.
func (a *app) knownOfBMC(ctx context.Context, s *session.Session, name string, why error) error {
	var none *models.NoRedfishError
	if !errors.As(why, &none) {
		return nil
	}
	n, err := s.Client.Node(ctx, name)
	if err != nil {
		return err
	}
	known := models.BMCOfIronic(n)
	r := result{header: []string{"WHAT IRONIC KNOWS", ""}, names: []string{n.Label()}}
	fields := map[string]string{}
	for _, d := range known {
		fields[d.Name] = d.Value
		r.rows = append(r.rows, []string{d.Name, d.Value})
	}
	r.data = map[string]any{"node": n.Ref(), "ironic": fields}
	return a.print(r)
}

// bmcWay is how BMCs are asked, by flags, environment and context; the session is nil where
// there is no Ironic.
func (a *app) bmcWay(s *session.Session, flags *bmcFlags) (*session.BMCWay, error) {
	given := session.BMCFlags{
		Address: flags.address, System: flags.system, CACert: flags.cacert, Fingerprint: flags.fingerprint, Insecure: flags.insecure, Basic: flags.basic,
		Login: config.BMCLogin{Username: flags.username, From: "--bmc-password-file"},
	}
	if flags.password != "" {
		password, err := config.ReadPassword(flags.password)
		if err != nil {
			return nil, usagef("--bmc-password-file: %w", err)
		}
		given.Login.Password = password
	}
	var x config.Context
	if s != nil {
		x = s.Context
	}
	host := a.host()
	way, err := host.BMCWay(&x, given, func(err error) { a.complain("%v", err) })
	if err != nil {
		return nil, usagef("%w", err)
	}
	way.Command, way.Ask = true, a.asker(way.Logins)
	return way, nil
}

// bmcs asks BMCs for a command.
func (a *app) bmcs(s *session.Session, flags *bmcFlags) (*provision.BMCs, error) {
	way, err := a.bmcWay(s, flags)
	if err != nil {
		return nil, err
	}
	return a.bmcsBy(s, way), nil
}

// bmcsBy asks BMCs in a way; the session is nil where there is no Ironic.
func (a *app) bmcsBy(s *session.Session, way *session.BMCWay) *provision.BMCs {
	bmcs := &provision.BMCs{Complete: way.Complete, Web: provision.NewWeb(), Now: clock{}.Now}
	if s != nil {
		bmcs.API = s.Client
	}
	return bmcs
}

func (a *app) bmcConsoleCommand(flags *bmcFlags) *cobra.Command {
	return &cobra.Command{
		Use: "console [NODE]", Short: "Say where the machine's consoles are, as its BMC tells it", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.lookAtBMC(cmd, flags, args)
			if err != nil {
				return err
			}
			return a.printConsoles(look.BMC)
		},
	}
}

func (a *app) printConsoles(b *models.BMC) error {
	r := result{header: []string{"CONSOLE", "ENABLED", "BY", "URL"}, data: nonNil(b.Consoles)}
	for _, c := range b.Consoles {
		r.rows = append(r.rows, bmcConsoleRow(&c))
		if c.URL != "" {
			r.names = append(r.names, c.URL)
		}
	}
	if len(b.Consoles) == 0 {
		a.complain("the BMC tells of no console; its own pages are at %s", b.Address)
	}
	return a.print(r)
}
