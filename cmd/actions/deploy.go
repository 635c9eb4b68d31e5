package actions

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/session"
)

type deployFlags struct {
	verbFlags
	plan       string
	userData   string
	reader     string
	rootDevice string
	dryRun     bool
	override   []string
	confirmed  []string
	policy     []string
	unfinished unfinishedFlags
	allocate   bool
	class      string
	traits     []string
}

// deployCommand returns the command for v, which is either deploy or rebuild.
func (a *app) deployCommand(v models.Verb) *cobra.Command {
	flags := &deployFlags{}
	cmd := &cobra.Command{
		Use: "deploy [NODE…] [-f PLAN | --resume | --give-back | --unfinished]", Aliases: []string{"active"},
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.deployOrResume(cmd, v, args, flags)
		},
	}
	if v == models.VerbRebuild {
		cmd.Use, cmd.Aliases = "rebuild [NODE…] [-f PLAN]", nil
	}
	flags.Register(cmd, true)
	f := cmd.Flags()
	f.StringVarP(&flags.plan, "file", "f", "", "plan file, or -")
	f.StringVar(&flags.userData, "user-data", "", "user data for the installed system, FILE or -: Butane, Ignition or cloud-config")
	f.StringVar(&flags.reader, "user-data-reader", "", "program that reads the user data: ignition, cloud-init or other")
	f.StringVar(&flags.rootDevice, "root-device", "", "root device hints, written to instance_info: JSON, @FILE or -")
	f.StringArrayVar(&flags.steps, "step", nil, "deploy step INTERFACE.STEP[@PRIORITY] or JSON; may be repeated")
	f.StringVar(&flags.stepsFile, "steps", "", "deploy steps as JSON: text, FILE or -")
	f.StringVar(&flags.configDrive, "configdrive", "", "configdrive: JSON object (text, FILE or -), URL or base64 in a file")
	f.BoolVar(&flags.dryRun, "dry-run", false, "show the checks, the exact requests and the baremetal commands without sending anything")
	f.StringArrayVar(&flags.override, "override", nil, "CHECK to override on the nodes given with --confirm; may be repeated")
	f.StringArrayVar(&flags.confirmed, "confirm", nil, "NODE that --override applies to; may be repeated")
	f.StringArrayVar(&flags.policy, "policy", nil, "policy for a check, CHECK=refuse|warn|off; may be repeated")
	if v == models.VerbDeploy { // deploy also resumes rebuilds
		f.BoolVar(&flags.allocate, "allocate", false, "reserve each node with an allocation of its resource class")
		f.StringVar(&flags.class, "allocate-class", "", "resource class of the allocation; implies --allocate")
		f.StringArrayVar(&flags.traits, "allocate-trait", nil, "trait of the allocation; implies --allocate; may be repeated")
		flags.unfinished.register(cmd)
	}
	return cmd
}

// deploy runs the checks, asks for confirmation, sends the requests, and waits for the results.
func (a *app) deploy(cmd *cobra.Command, v models.Verb, names []string, flags *deployFlags) error {
	of, names, err := a.deploymentOf(v, names, flags)
	if err != nil {
		return err
	}
	override, err := flags.overrides(names)
	if err != nil {
		return err
	}
	s, nodes, err := a.ConnectNodes(cmd, names)
	if err != nil {
		return err
	}
	defer s.Close()
	deploys := provision.Deploy
	if v == models.VerbRebuild {
		deploys = provision.Rebuild
	}
	flags.RetryCommand = func(names []string) string { return cli.DeployAgain(cmd, names) }
	action := deploys(s.Preflighter(), of).WithOverrides(provision.OverridesFor(nodes, flags.confirmed, override))
	return a.deployNodes(cmd, s, action, nodes, flags)
}

// deployNodes runs the checks, asks for confirmation, and deploys the nodes. With --dry-run it only prints a report.
func (a *app) deployNodes(cmd *cobra.Command, s *session.Session, action *provision.DeployAction, nodes []models.Node, flags *deployFlags) error {
	ctx := cmd.Context()
	runner := s.Runner(nil)
	if runner.ReadOnly && !flags.dryRun {
		plan := runner.Plan(action, nodes)
		return a.PrintRefused(plan, plan.Refused())
	}
	action.Preflight(ctx, nodes)
	if err := ctx.Err(); err != nil {
		return err
	}
	if flags.dryRun {
		return a.printDryRun(action, nodes)
	}
	plan := runner.Plan(action, nodes)
	a.PrintWarnings(action, plan)
	return a.CarryOut(cmd, s, runner, plan, flags.ActFlags)
}

// deploymentOf reads the plan and the flags. names lists the nodes on the command line. meant is equal to names or,
// if names is empty, lists the nodes in the plan.
func (a *app) deploymentOf(v models.Verb, names []string, flags *deployFlags) (of provision.DeploymentOf, meant []string, err error) {
	file := provision.PlanFile{Plan: &plan.Plan{}}
	if flags.plan != "" {
		if file, err = a.readPlan(flags.plan); err != nil {
			return of, nil, err
		}
	}
	if len(names) == 0 {
		for _, n := range file.Plan.Nodes {
			names = append(names, n.Name)
		}
	}
	if len(names) == 0 {
		return of, nil, cli.Usagef("%s: no NODE given, neither on the command line nor in a plan (see ironworks %s --help)", v, v)
	}
	own, drive, err := a.flagFields(flags)
	if err != nil {
		return of, nil, err
	}
	userData, err := a.flagUserData(flags.userData)
	if err != nil {
		return of, nil, err
	}
	if _, err := (provision.Deployment{}).WithConfigDrive(drive); err != nil {
		return of, nil, cli.Usagef("%s: %w", v, err)
	}
	// Read every file before the first request.
	of, err = file.WithOverlay(provision.Overlay{Fields: own, ConfigDrive: drive, UserData: userData.UserData, FilesDir: userData.FilesDir})
	if err != nil {
		return of, nil, cli.Usagef("plan %s: %w", flags.plan, err)
	}
	return of, names, nil
}

// readPlan reads the plan file given with --file; "-" is standard input.
func (a *app) readPlan(path string) (provision.PlanFile, error) {
	if path != "-" {
		file, err := provision.ReadPlan(path)
		switch {
		case cli.Is[*provision.PlanError](err):
			return file, cli.Usagef("%w", err)
		case err != nil:
			return file, cli.Usagef("--file: %w", err)
		}
		return file, nil
	}
	data, err := cli.ReadAll(a.Stdin)
	if err != nil {
		return provision.PlanFile{}, cli.Usagef("--file: %w", err)
	}
	plan, err := plan.Decode(data)
	if err != nil {
		return provision.PlanFile{}, cli.Usagef("plan -:\n%w", err)
	}
	return provision.PlanFile{Plan: plan, WhyNoFiles: a.WhyNoFiles()}, nil
}

// flagUserData returns a deployment that contains only the user data given with --user-data.
func (a *app) flagUserData(path string) (d provision.Deployment, err error) {
	switch path {
	case "":
		return d, nil
	case "-":
		if d.UserData, err = cli.ReadAll(a.Stdin); err == nil && len(bytes.TrimSpace(d.UserData)) == 0 {
			err = errors.New("standard input is empty")
		}
	default:
		d, err = d.WithUserDataFile(path)
	}
	if err != nil {
		return d, cli.Usagef("--user-data: %w", err)
	}
	return d, nil
}

// overrides returns the checks given with --override. They apply to the nodes given with --confirm.
func (f *deployFlags) overrides(names []string) (ids []plan.CheckID, err error) {
	for _, text := range f.override {
		id, err := plan.ParseCheckID(text)
		if err == nil {
			// A check can be overridden if the policy "warn" is allowed for it.
			_, err = plan.ParseCheckPolicy(id, string(plan.PolicyWarn))
		}
		if err != nil {
			return nil, cli.Usagef("--override: %w", err)
		}
		ids = append(ids, id)
	}
	switch {
	case len(ids) > 0 && len(f.confirmed) == 0:
		return nil, cli.Usagef("--override needs --confirm NODE for each node that it applies to")
	case len(ids) == 0 && len(f.confirmed) > 0:
		return nil, cli.Usagef("--confirm needs --override CHECK")
	}
	for _, n := range f.confirmed {
		if !slices.Contains(names, n) {
			return nil, cli.Usagef("--confirm %s: not among the nodes of this command", n)
		}
	}
	return ids, nil
}

// flagFields returns the plan fields that the flags set for all nodes.
func (a *app) flagFields(f *deployFlags) (own plan.Fields, drive any, err error) {
	var short []string
	for _, text := range f.steps {
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			short = append(short, text)
			continue
		}
		steps, err := provision.ParseSteps([]byte("[" + text + "]"))
		if err != nil {
			return own, nil, cli.Usagef("--step: %w", err)
		}
		own.Steps = append(own.Steps, steps...)
	}
	flags := f.verbFlags
	flags.steps = short
	req, err := a.provisionRequest(models.VerbDeploy, &flags)
	if err != nil {
		return own, nil, err
	}
	own.Steps = append(own.Steps, req.DeploySteps...)
	own.ConfigDrive.Reader = plan.UserDataReader(f.reader)
	if f.reader != "" && !slices.Contains(plan.UserDataReaders(), own.ConfigDrive.Reader) {
		return own, nil, cli.Usagef("--user-data-reader %s: must be ignition, cloud-init or other%s", f.reader, cli.DidYouMean(f.reader, plan.UserDataReaders()))
	}
	if f.allocate || f.class != "" || len(f.traits) > 0 {
		own.Allocate = &plan.Allocate{ResourceClass: f.class, Traits: f.traits}
	}
	if f.rootDevice != "" {
		if own.RootDevice.Hints, err = a.ReadHints(f.rootDevice); err != nil {
			return own, nil, cli.Usagef("--root-device: %w", err)
		}
		if !own.RootDevice.Hints.IsSet() {
			return own, nil, cli.Usagef("--root-device: no hints given")
		}
		own.RootDevice.To = hints.OfInstance
	}
	for _, text := range f.policy {
		name, word, _ := strings.Cut(text, "=")
		policy, err := plan.ParseCheckPolicy(plan.CheckID(name), word)
		if err != nil {
			return own, nil, cli.Usagef("--policy: %w", err)
		}
		if own.Policy == nil {
			own.Policy = map[plan.CheckID]plan.CheckPolicy{}
		}
		own.Policy[plan.CheckID(name)] = policy
	}
	return own, req.ConfigDrive, nil
}

// printDryRun prints the report of a dry run. Its error carries the exit code if a deployment would be refused.
func (a *app) printDryRun(action *provision.DeployAction, nodes []models.Node) error {
	reports := make([]provision.DeployReport, len(nodes))
	var text strings.Builder
	var names []string
	refused := false
	for i := range nodes {
		reports[i] = action.Report(&nodes[i])
		if reports[i].Refused {
			refused = true
		} else {
			names = append(names, nodes[i].Label())
		}
		writeReport(&text, &reports[i])
	}
	if err := a.Print(cli.Result{Data: reports, Names: names, Text: text.String()}); err != nil {
		return err
	}
	if refused {
		return a.Refusef("refused: nothing would be sent")
	}
	return nil
}

func writeReport(b *strings.Builder, r *provision.DeployReport) {
	fmt.Fprintf(b, "%s\n", r.Node.Label())
	if r.Error != "" {
		fmt.Fprintf(b, "  refused: %s\n", r.Error)
		return
	}
	for _, c := range r.Checks {
		fmt.Fprintf(b, "  %-8s %s\n", c.Mark(), c)
		for _, e := range c.Reported() {
			fmt.Fprintf(b, "           %s\n", e)
		}
	}
	if r.Refused {
		return
	}
	fmt.Fprintf(b, "  effect   %s\n", r.Effect)
	for i, s := range r.Steps {
		fmt.Fprintf(b, "  step %-3d %s  (%s)\n", i+1, plan.StepText(s.Step), s.Source)
	}
	for _, q := range r.Requests {
		fmt.Fprintf(b, "  send     %s\n", strings.ReplaceAll(q.String(), "\n", "\n         "))
	}
	for _, c := range r.Commands {
		fmt.Fprintf(b, "  $ %s\n", c)
	}
}
