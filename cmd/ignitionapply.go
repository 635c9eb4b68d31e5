package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

type applyFlags struct {
	actFlags
	dryRun  bool
	ramdisk provision.Ramdisk
}

func (a *app) ignitionApplyCommand() *cobra.Command {
	var flags applyFlags
	cmd := &cobra.Command{
		Use: "apply NODE…", Short: "Set what nodes boot into when Ironic works on them", Args: cobra.MinimumNArgs(1),
		Long: "Set deploy_iso, or deploy_kernel and deploy_ramdisk with kernel_append_params, in driver_info of nodes, and\n" +
			"remove what contradicts it. The requests and the baremetal commands that do the same are shown first.\n" +
			"Nothing happens to a machine before Ironic boots it the next time.",
		Example: "  ironworks ignition apply r7-n01 --iso http://10.0.0.2:8080/agent.iso --dry-run\n" +
			"  ironworks ignition apply r7-n01 r7-n02 --kernel http://…/vmlinuz --initrd http://…/agent.img \\\n" +
			"    --kernel-params 'coreos.live.rootfs_url=http://…/rootfs.img ignition.firstboot ignition.platform.id=metal' --with-defaults",
		ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			s, nodes, err := a.connectNodes(cmd, args)
			if err != nil {
				return err
			}
			defer s.Close()
			return a.applyRamdisks(cmd.Context(), s, nodes, flags, func(*models.Node) (provision.Ramdisk, error) { return flags.ramdisk, nil })
		},
	}
	flags.register(cmd, false)
	f, r := cmd.Flags(), &flags.ramdisk
	f.StringVar(&r.ISO, "iso", "", "URL of an ISO that is ready")
	f.StringVar(&r.Kernel, "kernel", "", "URL of a kernel, with --initrd")
	f.StringVar(&r.Initramfs, "initrd", "", "URL of its initramfs")
	f.StringVar(&r.KernelParams, "kernel-params", "", "kernel parameters for the kernel: they replace Ironic's configured ones")
	f.BoolVar(&r.WithDefaults, "with-defaults", false, "keep Ironic's configured kernel parameters in front of them")
	f.BoolVar(&r.NoKernelParams, "no-kernel-params", false, "take the node's own kernel parameters away")
	f.BoolVar(&r.InInstance, "in-instance", false, "write the kernel parameters into instance_info, which ends with the instance")
	f.BoolVar(&flags.dryRun, "dry-run", false, "show the requests and send nothing")
	return cmd
}

// check finds what can be said without the nodes.
func (f *applyFlags) check() error {
	r := f.ramdisk
	pair := r.Kernel != "" || r.Initramfs != ""
	switch {
	case r.ISO == "" && !pair:
		return usagef("nothing to boot: want --iso URL, or --kernel URL with --initrd URL")
	case r.ISO != "" && pair:
		return usagef("--iso and --kernel exclude each other")
	case pair && r.Initramfs == "":
		return usagef("--kernel needs --initrd: one alone boots nothing")
	case pair && r.Kernel == "":
		return usagef("--initrd needs --kernel: one alone boots nothing")
	case r.ISO != "" && r.KernelParams != "":
		return usagef("--kernel-params: Ironic passes none to an ISO that is ready; ironworks ignition kargs append changes those in it")
	case r.KernelParams != "" && r.NoKernelParams:
		return usagef("--kernel-params and --no-kernel-params exclude each other")
	case r.WithDefaults && r.KernelParams == "":
		return usagef("--with-defaults is for --kernel-params")
	case r.InInstance && r.KernelParams == "":
		return usagef("--in-instance is for --kernel-params")
	}
	if err := checkParams(r.KernelParams); err != nil {
		return usagef("--kernel-params: %w", err)
	}
	return nil
}

func checkParams(params string) error {
	return models.CheckKernelAppendParams(params, models.ConfiguredKernelParameters)
}

// applyRamdisks previews, asks, sends and tells, as every verb does.
func (a *app) applyRamdisks(
	ctx context.Context, s *session.Session, nodes []models.Node, flags applyFlags, ramdisk func(*models.Node) (provision.Ramdisk, error),
) error {
	action := provision.ApplyRamdisk(provision.RamdiskOptions{For: ramdisk, CheckParams: checkParams})
	runner := s.Runner(nil)
	plan := runner.Plan(action, nodes)
	previews := plan.Preview()
	if flags.dryRun {
		return a.printPreviews(previews)
	}
	return a.carryOutConfirmed(ctx, s, runner, plan, flags.actFlags, func(plan provision.Batch) error {
		return a.confirmRamdisks(ctx, plan, plan.Preview(), flags.yes)
	})
}

// confirmRamdisks shows what will be sent and asks. Where nobody can be asked it goes
// on, as everything does that erases nothing, with the warnings only: addresses may be
// secrets, and messages are kept.
func (a *app) confirmRamdisks(ctx context.Context, plan provision.Batch, previews []provision.Preview, yes bool) error {
	changes := 0
	for _, p := range previews {
		if p.Refusal == nil && !p.Unchanged() {
			changes++
		}
	}
	if changes == 0 || yes || !a.interactive() {
		for _, p := range previews {
			for _, w := range p.Warnings {
				a.complain("warning: %s: %s", models.Printable(p.Node.Label()), w)
			}
		}
		return nil
	}
	for _, p := range previews {
		if p.Refusal == nil {
			_, _ = fmt.Fprint(a.stderr, previewOf(p), "\n")
		}
	}
	if changes == 1 && len(plan.Legal()) == 1 {
		answer, err := a.ask(ctx, fmt.Sprintf("%s %s? [y/N] ", plan.Action.Name(), models.Printable(plan.Legal()[0].Node.Label())))
		return confirmed(plan, err, isYes(answer))
	}
	answer, err := a.ask(ctx, fmt.Sprintf("%s %d nodes? Type their number to go on: ", plan.Action.Name(), changes))
	return confirmed(plan, err, answer == strconv.Itoa(changes))
}

// previewOf is what would be sent for one node.
func previewOf(p provision.Preview) string {
	var b strings.Builder
	b.WriteString(models.Printable(p.Node.Label()) + "\n")
	switch {
	case p.Refusal != nil:
		b.WriteString("  refused: " + models.Printable(p.Refusal.Error()) + "\n")
	case p.Unchanged():
		b.WriteString("  is so already: nothing is sent\n")
	}
	for _, r := range p.Requests {
		fmt.Fprintf(&b, "  %s %s\n  %s\n", r.Method, models.Printable(r.Path), models.Printable(string(r.Payload())))
	}
	for i, c := range p.Commands {
		if i == 0 {
			b.WriteString("  the same with the baremetal command:\n")
		}
		b.WriteString("    " + models.Printable(c) + "\n")
	}
	for _, w := range p.Warnings {
		b.WriteString("  warning: " + models.Printable(w) + "\n")
	}
	return b.String()
}

// previewJSON is a preview as --dry-run -o json shows it.
type previewJSON struct {
	Node     models.NodeRef `json:"node"`
	Refusal  string         `json:"refusal,omitempty"`
	Requests []requestJSON  `json:"requests"`
	Commands []string       `json:"commands"`
	Warnings []string       `json:"warnings"`
}

type requestJSON struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body"`
}

func (a *app) printPreviews(previews []provision.Preview) error {
	var r result
	var text strings.Builder
	data := []previewJSON{}
	refused := false
	for _, p := range previews {
		shown := previewJSON{Node: p.Node, Requests: []requestJSON{}, Commands: append([]string{}, p.Commands...), Warnings: append([]string{}, p.Warnings...)}
		if p.Refusal != nil {
			refused, shown.Refusal = true, p.Refusal.Error()
		} else if !p.Unchanged() {
			r.names = append(r.names, p.Node.Label())
		}
		for _, req := range p.Requests {
			shown.Requests = append(shown.Requests, requestJSON{Method: req.Method, Path: req.Path, Body: req.Payload()})
		}
		data = append(data, shown)
		text.WriteString(previewOf(p))
	}
	r.data, r.text = data, text.String()
	if err := a.print(r); err != nil {
		return err
	}
	if refused {
		return &codeError{code: exitRefused}
	}
	return nil
}
