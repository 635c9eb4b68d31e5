package lab

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/ironicclient"
	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

type machinesFlags struct {
	lab.Options
	count        int
	file         string
	enrol, clean bool
	bmcs, agent  string
	// nodes is the path of the file to which the machines are written, as input for ironworks enroll.
	nodes string
}

func (a *app) labMachinesCommand() *cobra.Command {
	var flags machinesFlags
	cmd := &cobra.Command{
		Use: "machines", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.labMachines(cmd, flags) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.count, "count", 3, "number of machines; the first twelve use the scenarios of the lab")
	f.StringVar(&flags.IronicURL, "ironic-url", "", "URL of Ironic for the agents (default: the URL of the context)")
	f.StringVar(&flags.file, "scenarios", "", "YAML file of machines and scenarios, instead of --count")
	f.BoolVar(&flags.enrol, "enrol", false, "create the nodes and their ports in Ironic")
	f.StringVar(&flags.nodes, "nodes-file", "", "CSV file to write the machines to, for ironworks enroll -f")
	f.BoolVar(&flags.clean, "clean", false, "delete the nodes that labs have enrolled in Ironic, and exit")
	f.StringVar(&flags.Host, "host", "127.0.0.1", "address at which the conductor reaches the BMCs and the ISO")
	f.StringVar(&flags.bmcs, "bmc", "each", "BMC addresses: each (one per machine) or one (one for all)")
	f.BoolVar(&flags.BMCOverTLS, "bmc-tls", false, "serve the BMCs over HTTPS, with self-signed certificates")
	f.BoolVar(&flags.PlainAgents, "plain-agents", false, "run the agents without TLS, for an Ironic with require_tls = false")
	f.StringVar(&flags.agent, "agent-command", "", "shell command to run on a booted machine instead of the lab's agent")
	f.IntVar(&flags.SSHPort, "ssh-port", 0, "SSH port of the ramdisks (user core), each at its own address 127.18.x.y; 0 disables SSH (Linux only)")
	f.Float64Var(&flags.Speed, "lab-speed", 4, "speed of boots, installations and erasures, relative to real machines")
	return cmd
}

// labMembers returns the machines in the --scenarios file at path or, without a path, count default machines.
func labMembers(path, flag string, count int) ([]lab.Member, error) {
	if path == "" {
		if count < 1 || count > 10_000 {
			return nil, cli.Usagef("--%s %d: must be 1 to 10000", flag, count)
		}
		return lab.Cast(count), nil
	}
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return nil, cli.Usagef("--scenarios: %w", err)
	}
	defer func() { _ = file.Close() }()
	members, err := lab.ReadMembers(file)
	if err != nil {
		return nil, cli.Usagef("--scenarios %s: %w", path, err)
	}
	return members, nil
}

func (f *machinesFlags) check(cmd *cobra.Command) error {
	switch counted := cmd.Flags().Changed("count"); {
	case f.bmcs != "each" && f.bmcs != "one":
		return cli.Usagef("--bmc %q: must be each or one", f.bmcs)
	case f.SSHPort < 0 || f.SSHPort > 65535:
		return cli.Usagef("--ssh-port %d: must be a port, or 0", f.SSHPort)
	case f.Speed <= 0:
		return cli.Usagef("--lab-speed %g: must be a positive number", f.Speed)
	case f.clean && (f.enrol || f.file != "" || counted):
		return cli.Usagef("--clean cannot be combined with --enrol, --scenarios or --count")
	case f.file != "" && counted:
		return cli.Usagef("--count and --scenarios cannot be combined")
	}
	return nil
}

func (a *app) labMachines(cmd *cobra.Command, flags machinesFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	members, err := labMembers(flags.file, "count", flags.count)
	if err != nil {
		return err
	}
	s, err := a.connectTo(cmd, flags.IronicURL)
	if err != nil {
		return err
	}
	defer s.Close()
	if flags.clean {
		return a.labClean(cmd.Context(), s)
	}
	options := flags.Options
	var interfaces map[string]string
	if options.IronicURL, options.Agent, interfaces, err = labTarget(cmd.Context(), s.Client, flags.IronicURL); err != nil {
		return err
	}
	board := &labEvents{app: a}
	options.OneBMC, options.OnEvent = flags.bmcs == "one", board.event
	if flags.agent != "" {
		options.AgentCommand = []string{"sh", "-c", flags.agent}
	}
	return a.runMachines(cmd.Context(), s.Client, options, members, interfaces, flags.enrol, func(l *lab.Lab) {
		if flags.nodes != "" {
			if err := writeMachines(l, interfaces, flags.nodes); err != nil {
				a.PrintMessage("%v", err)
			}
		}
		a.PrintMessage("running %s for Ironic at %s; stop with Ctrl-C", models.Counted(len(members), "machine"), options.IronicURL)
	})
}

// writeMachines writes the machines to a private CSV file, because it contains the BMC password.
func writeMachines(l *lab.Lab, interfaces map[string]string, name string) error {
	nodes := make([]enroll.Node, 0, len(l.Machines()))
	for _, m := range l.Machines() {
		e := m.Enrollment(labMark, interfaces)
		n := enroll.Node{Fields: e.Node}
		for _, port := range e.Ports {
			n.Ports = append(n.Ports, enroll.Port{"address": port["address"]})
		}
		n.Normalize()
		nodes = append(nodes, n)
	}
	var text bytes.Buffer
	if _, err := nodefile.Write(&text, nodefile.CSV, nodes); err != nil {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o600)
}

// labMark is the value in a node's extra field that marks the node as a lab machine.
const labMark = "machines"

// labClean deletes the nodes that the lab machines --enrol command created.
func (a *app) labClean(ctx context.Context, s *session.Session) error {
	nodes, err := provision.MarkedNodes(ctx, s.Client, lab.Mark)
	if err != nil {
		return err
	}
	removed, err := provision.RemoveNodes(ctx, s.Client, nodes, "lab machine removed")
	a.PrintMessage("deleted %d of %d lab nodes", removed, len(nodes))
	return err
}

// runMachines runs machines for an existing Ironic until ctx is canceled. It calls the running function once the
// machines run and, if enrol is set, are enrolled.
func (a *app) runMachines(
	ctx context.Context, client *ironicclient.Client, options lab.Options, members []lab.Member, interfaces map[string]string, enrol bool, running func(*lab.Lab),
) error {
	l, err := lab.Start(ctx, options, members)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := a.printMachines(l); err != nil {
		return err
	}
	if enrol {
		if err := a.enrolLab(ctx, l, client, interfaces); err != nil {
			return err
		}
	}
	running(l)
	<-ctx.Done()
	if enrol {
		a.PrintMessage("the nodes are kept in Ironic; ironworks lab machines --clean deletes the nodes")
	}
	return nil
}

// connectTo does the same as [cli.App.Connect], but uses url if no flag selects an Ironic.
func (a *app) connectTo(cmd *cobra.Command, url string) (*session.Session, error) {
	if url != "" && a.Flags.URL == "" && a.Flags.Context == "" && a.Flags.Cloud == "" {
		a.Flags.URL = url
	}
	return a.Connect(cmd)
}

// labTarget returns url or the URL of the client's Ironic, and the agent and interfaces that fit this Ironic.
func labTarget(ctx context.Context, client *ironicclient.Client, url string) (at, agent string, interfaces map[string]string, err error) {
	drivers, err := client.Drivers(ctx)
	if err == nil {
		interfaces, err = lab.InterfacesFor(drivers)
	}
	v, _ := client.Version()
	return cmp.Or(url, session.RootURL(client.Endpoint())), lab.AgentFor(v.Minor), interfaces, err
}

func (a *app) enrolLab(ctx context.Context, l *lab.Lab, client *ironicclient.Client, interfaces map[string]string) error {
	failed := 0
	err := l.Enroll(ctx, client, labMark, interfaces, func(err error) {
		failed++
		a.PrintMessage("%v", err)
	})
	switch {
	case ctx.Err() != nil:
		return err
	case failed == len(l.Machines()):
		a.PrintMessage("no machine was enrolled; ironworks lab machines --clean deletes the nodes of an earlier lab")
		return &cli.CodeError{Code: cli.ExitFailed}
	case failed > 0:
		a.PrintMessage("enrolled %d of %d machines", len(l.Machines())-failed, len(l.Machines()))
	default:
		a.PrintMessage("enrolled %s with their ports", models.Counted(len(l.Machines()), "node"))
	}
	return nil
}

func (a *app) printMachines(l *lab.Lab) error {
	type line struct {
		Name     string   `json:"name"`
		Scenario string   `json:"scenario"`
		BMC      string   `json:"bmc"`
		System   string   `json:"system"`
		MACs     []string `json:"macs"`
		ISO      string   `json:"deploy_iso"`
	}
	var lines []line
	r := cli.Result{Header: []string{"NAME", "SCENARIO", "BMC", "MAC", "DEPLOY ISO"}}
	for _, m := range l.Machines() {
		info := m.DriverInfo()
		one := line{m.Name(), m.Scenario().Name, fmt.Sprint(info["redfish_address"]), m.SystemPath(), m.MACs(), fmt.Sprint(info["deploy_iso"])}
		lines = append(lines, one)
		r.Add(one.Name, one.Name, one.Scenario, one.BMC+one.System, strings.Join(one.MACs, " "), one.ISO)
	}
	r.Data = lines
	return a.Print(r)
}

// labEvents prints events of machines, one line each.
type labEvents struct {
	app *app
	mu  sync.Mutex
}

func (b *labEvents) event(e machine.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.app.Output {
	case cli.OutputTable:
		_ = b.app.PrintOut("%s  %s  %s %s\n", e.At.Format("15:04:05"), e.Machine, e.Kind, e.Text)
	case cli.OutputJSON:
		_ = json.NewEncoder(b.app.Stdout).Encode(map[string]any{"time": e.At, "machine": e.Machine, "kind": e.Kind, "text": e.Text})
	case cli.OutputYAML, cli.OutputName:
	}
}
