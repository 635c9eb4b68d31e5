package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"ironworks/ironicclient"
	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/models"
	"ironworks/session"
)

// machinesFlags are those of lab machines.
type machinesFlags struct {
	count       int
	ironicURL   string
	file        string
	enrol       bool
	clean       bool
	host        string
	bmcs        string
	bmcTLS      bool
	plainAgents bool
	agent       string
	speed       float64
	sshPort     int
}

func (a *app) labMachinesCommand() *cobra.Command {
	var flags machinesFlags
	cmd := &cobra.Command{
		Use: "machines", Short: "Run machines that your own Ironic drives", Args: cobra.NoArgs,
		Long: "Run machines until interrupted, for an Ironic of your own: BMCs that speak Redfish, and an agent in\n" +
			"each machine that boots the deploy ISO, which the lab serves, too. --enrol makes the nodes and their ports.\n" +
			"--clean removes the nodes that a lab has enrolled, whatever state they are in, and runs nothing.\n" +
			"--agent-command runs an agent of your own: IRONWORKS_IRONIC_URL tells it where Ironic is, and\n" +
			"IRONWORKS_HARDWARE_URL where the machine's disks and power switch are.",
		Example: "  ironworks lab machines --count 3 --ironic-url http://127.0.0.1:6385 --enrol\n" +
			"  ironworks lab machines --scenarios machines.yaml --ironic-url http://192.0.2.1:6385 --host 192.0.2.9",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.labMachines(cmd, flags) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.count, "count", 3, "how many machines: the first twelve are the cast of the lab, with what goes wrong most often")
	f.StringVar(&flags.ironicURL, "ironic-url", "", "where the agents find Ironic (default: the selected context's)")
	f.StringVar(&flags.file, "scenarios", "", "YAML file of machines and scenarios, instead of --count")
	f.BoolVar(&flags.enrol, "enrol", false, "make the nodes and their ports in that Ironic")
	f.BoolVar(&flags.clean, "clean", false, "remove the nodes that labs have enrolled in that Ironic, and end")
	f.StringVar(&flags.host, "host", "127.0.0.1", "address of the BMCs and of the ISO, as the conductor reaches it")
	f.StringVar(&flags.bmcs, "bmc", "each", "each: a BMC of its own for every machine; one: one address for all")
	f.BoolVar(&flags.bmcTLS, "bmc-tls", false, "BMCs over HTTPS, with a certificate of their own")
	f.BoolVar(&flags.plainAgents, "plain-agents", false, "agents without TLS, for an Ironic with require_tls = false")
	f.StringVar(&flags.agent, "agent-command", "", "shell command to run on a machine that has booted, in place of the lab's own agent")
	f.IntVar(&flags.sshPort, "ssh-port", 0, "port at which the ramdisks let core in over SSH, each at an address 127.18.x.y; 0 is no SSH (Linux)")
	f.Float64Var(&flags.speed, "lab-speed", 4, "how many times faster than real machines boot, install and erase")
	return cmd
}

func (f *machinesFlags) members() ([]lab.Member, error) {
	if f.file == "" {
		if f.count < 1 || f.count > 10_000 {
			return nil, usagef("--count %d: want 1 to 10000", f.count)
		}
		return lab.Cast(f.count), nil
	}
	file, err := os.Open(f.file)
	if err != nil {
		return nil, usagef("--scenarios: %w", err)
	}
	defer func() { _ = file.Close() }()
	members, err := lab.ReadMembers(file)
	if err != nil {
		return nil, usagef("--scenarios %s: %w", f.file, err)
	}
	return members, nil
}

func (f *machinesFlags) check(cmd *cobra.Command) error {
	if f.bmcs != "each" && f.bmcs != "one" {
		return usagef("--bmc %q: want each or one", f.bmcs)
	}
	if f.sshPort < 0 || f.sshPort > 65535 {
		return usagef("--ssh-port %d: want a port, or 0", f.sshPort)
	}
	if f.speed <= 0 {
		return usagef("--lab-speed %g: want a positive number", f.speed)
	}
	if f.clean && (f.enrol || f.file != "" || cmd.Flags().Changed("count")) {
		return usagef("--clean runs no machines: leave --enrol, --scenarios and --count out")
	}
	if f.file != "" && cmd.Flags().Changed("count") {
		return usagef("--count and --scenarios exclude each other: the file says how many")
	}
	return nil
}

func (a *app) labMachines(cmd *cobra.Command, flags machinesFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	members, err := flags.members()
	if err != nil {
		return err
	}
	s, err := a.connectTo(cmd, flags.ironicURL)
	if err != nil {
		return err
	}
	defer s.Close()
	if flags.clean {
		return a.labClean(cmd.Context(), s.Client)
	}
	return a.runMachines(cmd.Context(), s.Client, flags, members)
}

// runMachines runs them until the context ends.
func (a *app) runMachines(ctx context.Context, client *ironicclient.Client, flags machinesFlags, members []lab.Member) error {
	target, err := labTargetOf(ctx, client, flags.ironicURL)
	if err != nil {
		return err
	}
	board := &labBoard{app: a}
	var command []string
	if flags.agent != "" {
		command = []string{"sh", "-c", flags.agent}
	}
	l, err := lab.Start(ctx, lab.Options{
		IronicURL: target.url, Agent: target.agent, Host: flags.host, OneBMC: flags.bmcs == "one", BMCOverTLS: flags.bmcTLS,
		PlainAgents: flags.plainAgents, AgentCommand: command, Speed: flags.speed, SSHPort: flags.sshPort, OnEvent: board.event,
	}, members)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := a.printMachines(l); err != nil {
		return err
	}
	if flags.enrol {
		if err := a.enrolLab(ctx, l, client, target.interfaces); err != nil {
			return err
		}
	}
	a.complain("%d machines run for Ironic at %s; Ctrl-C ends them", len(members), target.url)
	<-ctx.Done()
	if flags.enrol {
		a.complain("the nodes stay in Ironic; ironworks lab machines --clean removes them")
	}
	return nil
}

// connectTo is connect, to a URL if one is given and nothing else names an Ironic.
func (a *app) connectTo(cmd *cobra.Command, url string) (*session.Session, error) {
	if url != "" && a.flags.URL == "" && a.flags.Context == "" && a.flags.Cloud == "" {
		a.flags.URL = url
	}
	return a.connect(cmd)
}

// labTarget is an Ironic that is to drive machines.
type labTarget struct {
	url        string
	agent      lab.AgentRelease
	interfaces map[string]string
}

// commandListToken is the API version of the first release whose conductor sends the
// token also when it lists an agent's commands (22.0).
const commandListToken = 83

// labTargetOf asks an Ironic what it is: the ramdisk has to be of its age.
func labTargetOf(ctx context.Context, client *ironicclient.Client, url string) (labTarget, error) {
	drivers, err := client.Drivers(ctx)
	if err != nil {
		return labTarget{}, err
	}
	t := labTarget{url: url, agent: lab.NewestAgent, interfaces: map[string]string{}}
	if t.url == "" {
		t.url = strings.TrimSuffix(strings.TrimRight(client.Endpoint(), "/"), "/v1")
	}
	if v, _ := client.Version(); v.Minor < commandListToken {
		t.agent = lab.OldAgent
	}
	i := slices.IndexFunc(drivers, func(d models.Driver) bool { return d.Name == "redfish" })
	if i < 0 {
		return t, fmt.Errorf("this Ironic has no driver redfish: add it to [DEFAULT] enabled_hardware_types, and redfish-virtual-media to enabled_boot_interfaces")
	}
	for _, wish := range []struct{ kind, name string }{
		{"deploy", "custom-agent"}, {"inspect", "agent"}, {"rescue", "agent"},
	} {
		if slices.Contains(drivers[i].Enabled[wish.kind], wish.name) {
			t.interfaces[wish.kind] = wish.name
		}
	}
	return t, nil
}

// enrolLab makes the nodes, and tells of each.
func (a *app) enrolLab(ctx context.Context, l *lab.Lab, client *ironicclient.Client, interfaces map[string]string) error {
	failed := 0
	err := l.Enrol(ctx, client, labMark, interfaces, func(name, _ string, err error) {
		if err != nil {
			failed++
			a.complain("%v", err)
		}
	})
	switch {
	case ctx.Err() != nil:
		return err
	case failed == len(l.Machines()):
		a.complain("no machine is enrolled; --clean removes the nodes of an earlier lab")
		return &codeError{code: exitFailed}
	case failed > 0:
		a.complain("%d of %d machines are enrolled", len(l.Machines())-failed, len(l.Machines()))
	default:
		a.complain("enrolled %d nodes with their ports", len(l.Machines()))
	}
	return nil
}

// printMachines tells what there is.
func (a *app) printMachines(l *lab.Lab) error {
	type line struct {
		Name     string   `json:"name" yaml:"name"`
		Scenario string   `json:"scenario" yaml:"scenario"`
		BMC      string   `json:"bmc" yaml:"bmc"`
		System   string   `json:"system" yaml:"system"`
		MACs     []string `json:"macs" yaml:"macs"`
		ISO      string   `json:"deploy_iso" yaml:"deploy_iso"`
	}
	var lines []line
	r := result{header: []string{"NAME", "SCENARIO", "BMC", "MAC", "DEPLOY ISO"}}
	for _, m := range l.Machines() {
		info := m.DriverInfo()
		one := line{m.Name(), m.Scenario().Name, fmt.Sprint(info["redfish_address"]), m.SystemPath(), m.MACs(), fmt.Sprint(info["deploy_iso"])}
		lines = append(lines, one)
		r.names = append(r.names, one.Name)
		r.rows = append(r.rows, []string{one.Name, one.Scenario, one.BMC + one.System, strings.Join(one.MACs, " "), one.ISO})
	}
	r.data = lines
	return a.print(r)
}

// labBoard prints what happens to machines, one line each, while people look.
type labBoard struct {
	app *app
	mu  sync.Mutex
}

func (b *labBoard) event(e machine.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.app.output {
	case outputTable, "":
		_, _ = fmt.Fprintf(b.app.stdout, "%s  %s  %s %s\n", e.At.Format("15:04:05"), e.Machine, e.Kind, models.Printable(e.Text))
	case outputJSON:
		_ = json.NewEncoder(b.app.stdout).Encode(map[string]any{"time": e.At, "machine": e.Machine, "kind": e.Kind, "text": e.Text})
	case outputYAML, outputName:
	}
}
