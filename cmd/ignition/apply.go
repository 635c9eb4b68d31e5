package ignition

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

type applyFlags struct {
	cli.ActFlags
	dryRun  bool
	ramdisk provision.Ramdisk
}

func (a *app) ignitionApplyCommand() *cobra.Command {
	var flags applyFlags
	cmd := &cobra.Command{
		Use: "apply NODE…", Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			s, nodes, err := a.ConnectNodes(cmd, args)
			if err != nil {
				return err
			}
			defer s.Close()
			return a.applyRamdisks(cmd.Context(), s, nodes, flags, func(*models.Node) (provision.Ramdisk, error) { return flags.ramdisk, nil })
		},
	}
	flags.Register(cmd, false)
	f, r := cmd.Flags(), &flags.ramdisk
	f.StringVar(&r.ISO, "iso", "", "URL of an ISO that contains its configuration")
	f.StringVar(&r.Kernel, "kernel", "", "URL of a kernel, with --initrd")
	f.StringVar(&r.Initramfs, "initrd", "", "URL of the initramfs, with --kernel")
	f.StringVar(&r.KernelParams, "kernel-params", "", "kernel parameters, which replace the parameters configured in Ironic")
	f.BoolVar(&r.WithDefaults, "with-defaults", false, "prepend the kernel parameters configured in Ironic")
	f.BoolVar(&r.NoKernelParams, "no-kernel-params", false, "remove the kernel parameters of the node")
	f.BoolVar(&r.InInstance, "in-instance", false, "write the kernel parameters to instance_info, which is removed with the instance")
	f.BoolVar(&flags.dryRun, "dry-run", false, "show the requests without sending them")
	return cmd
}

// check returns an error for missing or contradictory flags.
func (f *applyFlags) check() error {
	r := f.ramdisk
	pair := r.Kernel != "" || r.Initramfs != ""
	switch {
	case r.ISO == "" && !pair:
		return cli.Usagef("nothing to boot: give --iso URL, or --kernel URL with --initrd URL")
	case r.ISO != "" && pair:
		return cli.Usagef("--iso and --kernel cannot be combined")
	case pair && r.Initramfs == "":
		return cli.Usagef("--kernel needs --initrd")
	case pair && r.Kernel == "":
		return cli.Usagef("--initrd needs --kernel")
	case r.ISO != "" && r.KernelParams != "":
		return cli.Usagef("--kernel-params: Ironic passes no kernel parameters to an ISO; change the ISO with ironworks ignition kargs append")
	case r.KernelParams != "" && r.NoKernelParams:
		return cli.Usagef("--kernel-params and --no-kernel-params cannot be combined")
	case r.WithDefaults && r.KernelParams == "":
		return cli.Usagef("--with-defaults needs --kernel-params")
	case r.InInstance && r.KernelParams == "":
		return cli.Usagef("--in-instance needs --kernel-params")
	}
	if err := models.CheckKernelAppendParams(r.KernelParams); err != nil {
		return cli.Usagef("--kernel-params: %w", err)
	}
	return nil
}

// applyRamdisks shows the requests, asks for confirmation, sends the requests, and prints the results.
func (a *app) applyRamdisks(
	ctx context.Context, s *session.Session, nodes []models.Node, flags applyFlags, ramdisk func(*models.Node) (provision.Ramdisk, error),
) error {
	runner := s.Runner(nil)
	plan := runner.Plan(provision.ApplyRamdisk(ramdisk), nodes)
	if flags.dryRun {
		return a.PrintPreviews(plan.Preview())
	}
	return a.CarryOutConfirmed(ctx, s, runner, plan, flags.ActFlags, func(plan provision.Batch) error {
		return a.confirmRamdisks(ctx, plan, flags.Yes)
	})
}

// confirmRamdisks shows the requests and asks for confirmation, unless yes is set or nothing would change. Without a
// terminal it does not ask either, because nothing is erased. If it does not ask, it prints only warnings, because
// URLs may be secret and output may be logged.
func (a *app) confirmRamdisks(ctx context.Context, plan provision.Batch, yes bool) error {
	previews := plan.Preview()
	changes := slices.ContainsFunc(previews, func(p provision.Preview) bool { return p.Refusal == nil && !p.Unchanged() })
	if !changes || yes || !a.Interactive() {
		for _, p := range previews {
			for _, w := range p.Warnings {
				a.PrintMessage("warning: %s: %s", p.Node.Label(), w)
			}
		}
		return nil
	}
	for _, p := range previews {
		if p.Refusal == nil {
			a.PrintErr("%s\n", cli.PreviewOf(p))
		}
	}
	return a.AskConsent(ctx, plan)
}
