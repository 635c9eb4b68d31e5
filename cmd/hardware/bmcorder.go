package hardware

import (
	"strings"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
)

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

// bmcOrderCommand returns a command that sends one order to BMCs. argument is the placeholder for an argument that
// precedes the nodes. It is empty if the command has no such argument.
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

// orderBMCs sends an order to the BMCs of nodes. It plans, confirms and reports the order like any other action on
// nodes.
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

// orderBareBMC sends an order to the BMC given with --address.
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
