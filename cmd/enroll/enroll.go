// Package enroll implements the command that enrolls nodes from files and BMC addresses.
package enroll

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/session"
)

type enrollFlags struct {
	in          provision.EnrollInput
	plan        string
	to          string
	noInspect   bool
	dryRun      bool
	yes         bool
	skipRefused bool
	timeout     time.Duration
	bmc         cli.BMCFlags
	ramdisk     enrollRamdiskFlags
}

func (a *app) enrollCommand() *cobra.Command {
	var flags enrollFlags
	cmd := &cobra.Command{
		Use: "enroll -f FILE… | --bmc ADDRESS…", Args: cobra.NoArgs,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error { return a.enroll(cmd, s, &flags) }),
	}
	f := cmd.Flags()
	f.StringArrayVarP(&flags.in.Files, "file", "f", nil, "file of nodes, or -; may be repeated")
	f.StringVar((*string)(&flags.in.Format), "format", "", "format of the files: baremetal, bifrost, bifrost-csv, instackenv, csv or bmh (default: detected)")
	f.StringArrayVar(&flags.in.Columns, "column", nil, "field that a spreadsheet's column sets, `HEADER=FIELD`; may be repeated")
	f.StringVar(&flags.in.Driver, "driver", "", "hardware type for spreadsheet rows that name none (default: ipmi for IPMI addresses, else redfish)")
	f.StringArrayVar(&flags.in.BMCs, "bmc", nil, "BMC to query over Redfish: host, URL, or range (10.0.0.11-30); may be repeated")
	f.StringVar((*string)(&flags.in.Names), "names", "", "names of found machines: serial, hostname, address, or a pattern such as r7-n%02d")
	f.StringArrayVar(&flags.in.Set, "set", nil, "field for every node, KEY=VALUE as for ironworks set; may be repeated")
	f.StringVar(&flags.in.Credentials, "credentials", "", "YAML file of BMC credentials, for nodes without a password")
	f.StringVar(&flags.plan, "plan", "", "new plan file for the deployments in the input, for ironworks deploy -f")
	f.BoolVar(&flags.in.UpdateCredentials, "update-credentials", false, "always write the passwords of existing nodes, because they cannot be compared")
	f.StringVar(&flags.to, "to", string(provision.GoalEnroll), "how far to bring the nodes: enroll, manageable, inspected or available")
	f.BoolVar(&flags.noInspect, "no-inspect", false, "go to available without inspection")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print the comparison and the requests, send nothing")
	f.BoolVarP(&flags.yes, "yes", "y", false, "skip the confirmation")
	f.BoolVar(&flags.skipRefused, "skip-refused", false, "skip conflicts and invalid nodes and continue with the others")
	f.DurationVar(&flags.timeout, "timeout", 0, "time limit for each operation on a node")
	flags.ramdisk.register(f)
	flags.bmc.Register(f)
	_ = f.MarkHidden("address")
	_ = f.MarkHidden("system")
	return cmd
}

func (a *app) enroll(cmd *cobra.Command, s *session.Session, flags *enrollFlags) error {
	ctx := cmd.Context()
	goal := provision.Goal(flags.to)
	if !slices.Contains(provision.Goals(), goal) {
		return cli.Usagef("--to %s: must be enroll, manageable, inspected or available%s", flags.to, cli.DidYouMean(flags.to, provision.Goals()))
	}
	if (len(flags.in.Files) == 0) == (len(flags.in.BMCs) == 0) {
		return cli.Usagef("enroll: give either -f FILE or --bmc ADDRESS")
	}
	if err := flags.ramdisk.check(); err != nil {
		return err
	}
	if flags.in.Ramdisk = flags.ramdisk.ramdisk; flags.ramdisk.file() {
		flags.in.Ramdisk.ISO = "" // the URL is set once the ISO is served
	}
	in, err := flags.in.Parse()
	if err != nil {
		return enrollUsage(err)
	}
	reader, err := a.enrollReader(s, &in, flags)
	if err != nil {
		return err
	}
	found, err := a.enrollInput(ctx, reader, &in)
	if err != nil {
		return enrollUsage(err)
	}
	if err := a.writeDeployments(found.Deployments(), flags.plan); err != nil {
		return err
	}
	served, err := a.serveRamdisk(ctx, s, &flags.ramdisk, &in, found.Nodes)
	defer served.close()
	if err != nil {
		return err
	}
	comparison, err := reader.Compare(ctx, &in, found.Nodes)
	if err != nil {
		return err
	}
	lost := found.CountFailed()
	if flags.dryRun {
		return a.printEnrollPlan(comparison, goal, flags, lost)
	}
	started, err := a.carryOutEnroll(ctx, s, comparison, goal, flags, lost)
	if !started {
		return err
	}
	if waited := served.wait(a); waited != nil {
		return errors.Join(err, waited)
	}
	return err
}

// enrollReader returns the reader for an input. It has access to BMCs only if the input contains BMC addresses.
func (a *app) enrollReader(s *session.Session, in *provision.EnrollSource, flags *enrollFlags) (*provision.EnrollReader, error) {
	r := &provision.EnrollReader{API: s.Client, Open: a.ReadNodeFile, Mask: a.Mask}
	if len(in.Addresses) == 0 {
		return r, nil
	}
	var err error
	r.BMCs, err = a.BMCs(s, &flags.bmc)
	return r, err
}

// enrollUsage converts a [provision.EnrollInputError] to a usage error. It returns other errors unchanged.
func enrollUsage(err error) error {
	if _, wrong := errors.AsType[*provision.EnrollInputError](err); wrong {
		return cli.Usagef("%w", err)
	}
	return err
}

// enrollInput reads the files or queries the BMCs, and prints a summary of the files and the BMCs.
func (a *app) enrollInput(ctx context.Context, reader *provision.EnrollReader, in *provision.EnrollSource) (provision.EnrollFound, error) {
	progress := a.NewProgress()
	if len(in.BMCs) > 0 {
		var done, of atomic.Int64
		reader.Progress = func(n, all int) {
			done.Store(int64(n))
			of.Store(int64(all))
		}
		progress.Live(func() string {
			if of.Load() == 0 {
				return "querying BMCs"
			}
			return fmt.Sprintf("querying BMCs: %d of %d", done.Load(), of.Load())
		})
	}
	found, err := reader.Read(ctx, in)
	progress.Stop()
	for i := range found.Files {
		a.tellNodeFile(&found.Files[i])
	}
	if len(found.BMCs) > 0 && ctx.Err() == nil {
		a.tellDiscovered(found.BMCs)
	}
	if err == nil && in.Credentials != "" {
		a.PrintMessage("credentials for %s from %s", models.Counted(found.Completed, "node"), in.Credentials)
	}
	if err == nil && len(found.Nodes) == 0 {
		err = &cli.CodeError{Code: cli.ExitFailed}
	}
	return found, err
}

func (a *app) tellNodeFile(file *nodefile.File) {
	a.PrintMessage("%s: %s, format %s", file.Name, models.Counted(len(file.Nodes), "node"), file.Format)
	if mapped := file.Mapped(); len(mapped) > 0 {
		a.PrintErr("  columns: %s\n", strings.Join(mapped, ", "))
	}
	if file.Unmapped() {
		a.PrintErr("  to set a field from a column: --column HEADER=FIELD\n")
	}
	for _, note := range file.Notes {
		a.PrintErr("  %s\n", note)
	}
}

// writeDeployments writes the deployments of the input to a private file, because user data may contain secrets.
func (a *app) writeDeployments(p *plan.Plan, name string) error {
	count := models.Counted(len(p.Nodes), "deployment")
	switch {
	case name == "" && len(p.Nodes) > 0:
		a.PrintMessage("%s in the input; to write a plan for ironworks deploy -f, pass --plan FILE", count)
		return nil
	case name == "":
		return nil
	case len(p.Nodes) == 0:
		return cli.Usagef("--plan: the input has no deployment")
	}
	text, err := p.Encode()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the user's own file
	if err != nil {
		return fmt.Errorf("--plan: %w", err)
	}
	if _, err = file.Write(text); err != nil {
		return errors.Join(err, file.Close())
	}
	a.PrintMessage("%s in %s; to start: ironworks deploy -f %s", count, name, name)
	return file.Close()
}

func (a *app) tellDiscovered(found []provision.Discovered) {
	header := []string{"BMC", "RESULT", "SYSTEM", "MODEL", "SERIAL", "POWER", "HEALTH", "NICS", "MEDIA", "DETAILS"}
	var rows [][]string
	for _, d := range found {
		if d.Status != provision.DiscoveryFound {
			rows = append(rows, []string{d.Address, string(d.Status), "", "", "", "", "", "", "", cli.ShortCause(d.Err)})
			continue
		}
		b := d.BMC
		rows = append(rows, []string{
			d.Address, string(d.Status), b.System.Path, strings.TrimSpace(b.System.Manufacturer + " " + b.System.Model), b.System.Serial,
			b.System.Power, string(b.System.Health), fmt.Sprint(len(b.NICs)), models.YesNo(enroll.TakesVirtualMedia(b)), d.Note(),
		})
	}
	width, _ := cli.Terminal(a.Stderr)
	cli.WriteTable(a.Stderr, header, rows, width)
}

// createdShown is the maximum number of new nodes that are listed before the confirmation.
const createdShown = 10

// carryOutEnroll asks, enrolls the nodes, and prints the results. started is false if nothing was sent.
func (a *app) carryOutEnroll(ctx context.Context, s *session.Session, plan enroll.Plan, goal provision.Goal, flags *enrollFlags, lost int) (started bool, err error) {
	refused := plan.Refused()
	var rows [][]string
	created := 0
	for i := range plan {
		it := &plan[i]
		if it.Kind == enroll.Create {
			created++
		}
		warned := provision.EnrollWarning(it, goal, flags.noInspect) != ""
		if warned || it.Kind != enroll.Unchanged && (it.Kind != enroll.Create || created <= createdShown) {
			rows = append(rows, enrollCells(it, goal, flags.noInspect))
		}
	}
	if len(rows) > 0 {
		width, _ := cli.Terminal(a.Stderr)
		cli.WriteTable(a.Stderr, enrollHeader, rows, width)
	}
	if created > createdShown {
		a.PrintErr("… and %d more to create\n", created-createdShown)
	}
	a.PrintMessage("%s", plan)
	if refused > 0 && (!flags.skipRefused || refused == len(plan)) {
		if legal := len(plan) - refused; legal > 0 {
			a.PrintMessage("nothing was sent; pass --skip-refused to continue with the other %s", models.Counted(legal, "node"))
		}
		return false, &cli.CodeError{Code: cli.ExitRefused}
	}
	if owned := provision.EnrollWarned(plan, goal, flags.noInspect); len(owned) > 0 {
		a.PrintMessage("warning: Metal3 manages %s and may undo the changes", strings.Join(owned, ", "))
	}
	if plan.Count(enroll.Create)+plan.Count(enroll.Change) > 0 || goal != provision.GoalEnroll {
		if names := provision.EnrollPrepared(plan, goal); len(names) > 0 {
			a.PrintMessage("manual cleaning sets up RAID and BIOS on %s, and may erase disks", models.Counted(len(names), "node"))
		}
		if err := a.confirmEnroll(ctx, (&provision.EnrollAction{Plan: plan, Goal: goal}).Batch(), goal, flags.yes); err != nil {
			return false, err
		}
	}
	book, err := audit.Open(s.Files.Audit)
	if err != nil {
		return false, err
	}
	defer func() { _ = book.Close() }()
	e := &provision.Enroller{Runner: s.Runner(book), API: s.Client, Goal: goal, NoInspect: flags.noInspect, Timeout: flags.timeout}
	progress := a.NewProgress()
	states := &enrollProgress{total: len(plan), states: map[string]models.ProvisionState{}}
	e.Progress = states.update
	progress.Live(states.line)
	results := e.Run(ctx, plan)
	progress.Stop()
	return true, a.tellEnrolled(plan, results, lost)
}

// confirmEnroll asks for confirmation at a terminal, unless yes is set. If automated cleaning may erase machines before
// they become available, it warns, and the operator must type the node's name or the number of nodes.
func (a *app) confirmEnroll(ctx context.Context, batch provision.Batch, goal provision.Goal, yes bool) error {
	typed := batch.Consent() == models.ConsentTyped
	if typed && !yes {
		a.PrintMessage("automated cleaning may erase the disks of machines that become available")
	}
	if yes || !a.Interactive() {
		return nil
	}
	count := len(batch.Items)
	question := fmt.Sprintf("Enroll %s", models.Counted(count, "node"))
	if goal != provision.GoalEnroll {
		question += fmt.Sprintf(" and bring them to %s", goal)
	}
	if typed {
		return a.AskTyped(ctx, question, batch.Answer(), count, "enroll")
	}
	return a.AskYes(ctx, question+"? [y/N] ", "enroll", cli.NothingSent)
}

type app struct{ *cli.App }

// Command returns the enroll command.
func Command(a *cli.App) *cobra.Command { return (&app{a}).enrollCommand() }
