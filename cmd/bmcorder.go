package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/provision"
)

// bmcOrderCommands tell BMCs what to do.
func (a *app) bmcOrderCommands(flags *bmcFlags) []*cobra.Command {
	power := &cobra.Command{Use: "power on|off|shut-down|reset|restart|cycle NODE…", Short: "Change the power of machines past Ironic"}
	for _, p := range []struct {
		name, short string
		verb        models.BMCVerb
	}{
		{"on", "Switch machines on", models.BMCPowerOn},
		{"off", "Switch machines off, hard", models.BMCPowerOff},
		{"shut-down", "Ask the operating systems to shut down", models.BMCShutDown},
		{"reset", "Reset machines, hard", models.BMCReset},
		{"restart", "Ask the operating systems to restart", models.BMCRestart},
		{"cycle", "Cut the power, and give it back", models.BMCPowerCycle},
	} {
		power.AddCommand(a.bmcOrderCommand(flags, p.name, p.short, "", func(string) models.BMCOrder { return models.BMCOrder{Verb: p.verb} }))
	}
	var slot string
	insert := a.bmcOrderCommand(flags, "insert", "Put an ISO into the virtual CD", "URL", func(image string) models.BMCOrder {
		return models.BMCOrder{Verb: models.BMCInsert, Image: image, Slot: slot}
	})
	eject := a.bmcOrderCommand(flags, "eject", "Take what is in the virtual CD out", "", func(string) models.BMCOrder {
		return models.BMCOrder{Verb: models.BMCEject, Slot: slot}
	})
	for _, cmd := range []*cobra.Command{insert, eject} {
		cmd.Flags().StringVar(&slot, "slot", "", "ID of the slot, where not the one that fits")
	}
	return []*cobra.Command{
		needsSubcommand(power),
		a.bmcOrderCommand(flags, "boot-once", "Boot from something the next time: Pxe, Cd, Hdd, Usb, UefiHttp, BiosSetup, …; None takes that back", "SOURCE", func(source string) models.BMCOrder {
			return models.BMCOrder{Verb: models.BMCBootOnce, Boot: source}
		}),
		insert, eject,
		a.bmcOrderCommand(flags, "clear-jobs", "Delete the jobs that wait in BMCs", "", func(string) models.BMCOrder { return models.BMCOrder{Verb: models.BMCClearJobs} }),
		a.bmcOrderCommand(flags, "reset-controller", "Restart BMCs; the machines go on", "", func(string) models.BMCOrder { return models.BMCOrder{Verb: models.BMCResetController} }),
	}
}

// bmcOrderCommand is a command with one order; argument is what comes before the nodes,
// empty for nothing.
func (a *app) bmcOrderCommand(flags *bmcFlags, name, short, argument string, order func(argument string) models.BMCOrder) *cobra.Command {
	var act actFlags
	first := 0
	if argument != "" {
		first = 1
	}
	cmd := &cobra.Command{
		Use: strings.Join(strings.Fields(name+" "+argument+" NODE…"), " "), Short: short, Args: cobra.MinimumNArgs(first), ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := order(strings.Join(args[:first], ""))
			nodes, err := flags.which(cmd.CommandPath(), len(args)-first)
			switch {
			case err != nil:
				return err
			case o.Check() != nil:
				return usagef("%s: %w", cmd.CommandPath(), o.Check())
			case nodes:
				return a.orderBMCs(cmd, flags, o, args[first:], act)
			}
			return a.orderBareBMC(cmd, flags, o, act)
		},
	}
	act.register(cmd, false)
	return cmd
}

// orderBMCs tells the BMCs of nodes what to do, as any action on nodes.
func (a *app) orderBMCs(cmd *cobra.Command, flags *bmcFlags, o models.BMCOrder, names []string, act actFlags) error {
	s, nodes, err := a.connectNodes(cmd, names)
	if err != nil {
		return err
	}
	defer s.Close()
	bmcs, err := a.bmcs(s, flags)
	if err != nil {
		return err
	}
	runner := s.Runner(nil)
	return a.carryOut(cmd, s, runner, runner.Plan(bmcs.Order(o), nodes), act)
}

// orderBareBMC tells a BMC without Ironic what to do.
func (a *app) orderBareBMC(cmd *cobra.Command, flags *bmcFlags, o models.BMCOrder, act actFlags) error {
	target := flags.target()
	shown := models.Printable(models.MaskURL(target.Address))
	cfg, err := a.loadConfig(cmd, true)
	if cfg == nil {
		return err // else the audit is known, and a context is not needed
	}
	effect := o.Effect()
	if effect.Danger > models.DangerNone && !act.yes && a.interactive() {
		fmt.Fprintf(a.stderr, "%s: %s\n", shown, effect.Text)
		answer, err := a.ask(cmd.Context(), fmt.Sprintf("BMC %s? [y/N] ", o.Name()))
		if err != nil {
			return err
		}
		if !isYes(answer) {
			return &models.Refusal{Kind: models.RefusedUnconfirmed, Action: "BMC " + o.Name(), Why: "not confirmed, nothing was sent"}
		}
	}
	bmcs, err := a.bmcs(nil, flags)
	if err != nil {
		return err
	}
	book, err := audit.Open(a.files.Audit)
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }()
	runner := &provision.Runner{Audit: book, Clock: clock{}, ReadOnly: a.readOnly}
	did, err := runner.OrderBMC(cmd.Context(), bmcs, target, o)
	if err != nil {
		return err
	}
	return a.print(result{
		header: []string{"BMC", "RESULT", "DONE"}, rows: [][]string{{shown, string(provision.OutcomeDone), did}}, names: []string{shown},
		data: map[string]string{"bmc": shown, "verb": "BMC " + o.Name(), "result": string(provision.OutcomeDone), "note": did},
	})
}
