// Package lab implements the commands for labs. A lab consists of simulated or virtual machines, and an embedded, a
// real or an existing Ironic.
package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/lab"
	"ironworks/lab/real"
)

// SiteFlags holds the flags of a lab with its own Ironic.
type SiteFlags struct {
	lab.SiteOptions
	machines int
	file     string
}

// Register adds the flags to a command.
func (f *SiteFlags) Register(set *pflag.FlagSet) {
	set.IntVar(&f.machines, "lab-machines", 12, "number of machines in the lab, up to 10000")
	set.Float64Var(&f.Speed, "lab-speed", 10, "speed of boots, installations and erasures, relative to real machines")
	set.StringVar(&f.Dir, "lab-state", "", "directory for the lab's nodes and disks (default: temporary)")
	set.IntVar(&f.SSHPort, "lab-ssh-port", 0, "SSH port of the lab's ramdisks (user core), each at its own address 127.18.x.y; 0 disables SSH (Linux only)")
}

// Used returns the name of the first of these flags that the command line sets, or "" if it sets none.
func (f *SiteFlags) Used(cmd *cobra.Command) string {
	for _, name := range []string{"lab-machines", "lab-speed", "lab-state", "lab-ssh-port"} {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// Options checks the flags and converts them to options of a lab.
func (f *SiteFlags) Options() (lab.SiteOptions, error) {
	members, err := labMembers(f.file, "lab-machines", f.machines)
	if err != nil {
		return lab.SiteOptions{}, err
	}
	if f.Speed <= 0 {
		return lab.SiteOptions{}, cli.Usagef("--lab-speed %g: must be a positive number", f.Speed)
	}
	if f.SSHPort < 0 || f.SSHPort > 65535 {
		return lab.SiteOptions{}, cli.Usagef("--lab-ssh-port %d: must be a port, or 0", f.SSHPort)
	}
	options := f.SiteOptions
	options.Members = members
	return options, nil
}

func (a *app) labUpCommand() *cobra.Command {
	var flags SiteFlags
	var real realFlags
	var virtual vmFlags
	cmd := &cobra.Command{
		Use: "up", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := real.check(cmd, &flags); err != nil {
				return err
			}
			if err := virtual.check(cmd, &flags, &real); err != nil {
				return err
			}
			options, err := flags.Options()
			if err != nil {
				return err
			}
			switch {
			case virtual.count > 0:
				return a.labVirtual(cmd, options, &virtual, &flags, real)
			case real.on:
				return a.labReal(cmd.Context(), options, real, nil)
			}
			return a.labUp(cmd.Context(), options, nil)
		},
	}
	flags.Register(cmd.Flags())
	real.register(cmd.Flags())
	virtual.register(cmd.Flags())
	cmd.Flags().StringVar(&flags.file, "scenarios", "", "YAML file of machines and scenarios, instead of the default machines")
	cmd.Flags().StringVar(&flags.Listen, "listen", "127.0.0.1:0", "listen address of the API")
	cmd.Flags().BoolVar(&flags.Story, "story", false, "automatic events on the default machines, as in ironworks --lab")
	return cmd
}

// labUp runs a lab until ctx is canceled. started is called once the lab runs; it may be nil.
func (a *app) labUp(ctx context.Context, options lab.SiteOptions, started func(*lab.Site)) error {
	options.OnError = func(err error) { a.PrintMessage("lab: %v", err) }
	site, err := lab.StartSite(ctx, options)
	if err != nil {
		return err
	}
	if err := a.printSite(site); err != nil {
		return errors.Join(err, site.Close())
	}
	if started != nil {
		started(site)
	}
	<-ctx.Done()
	return site.Close()
}

// printSite prints the environment variables that clients of the lab need.
func (a *app) printSite(site *lab.Site) error {
	url := site.URL
	return a.Print(cli.Result{
		Data: map[string]any{"url": url, "machines": len(site.Lab.Machines())}, Names: []string{url},
		Text: fmt.Sprintf("export OS_AUTH_TYPE=none\nexport OS_ENDPOINT=%s\nexport IRONWORKS_BMC_PASSWORD=%s\nexport IRONWORKS_BMC_HOSTS='*'\n# ironworks --url %s\n", url, lab.BMCPassword, url),
	})
}

func (a *app) labScenariosCommand() *cobra.Command {
	return &cobra.Command{
		Use: "scenarios", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			type scenario struct {
				Name    string `json:"name"`
				Summary string `json:"summary"`
			}
			var list []scenario
			r := cli.Result{Header: []string{"NAME", "DESCRIPTION"}}
			for _, s := range lab.Scenarios() {
				list = append(list, scenario{s.Name, s.Summary})
				r.Add(s.Name, s.Name, s.Summary)
			}
			r.Data = list
			return a.Print(r)
		},
	}
}

type app struct{ *cli.App }

// Command returns the lab command.
func Command(a *cli.App) *cobra.Command {
	x := &app{a}
	return cli.Group("lab up|machines|snapshot|restore|scenarios",
		x.labUpCommand(), x.labMachinesCommand(), x.labSnapshotCommand(), x.labRestoreCommand(), x.labScenariosCommand())
}

type realFlags struct {
	on      bool
	release string
}

// realSpeed is the default speed of machines under a real Ironic: faster ones would only wait for the conductor.
const realSpeed = 4

func (f *realFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&f.on, "real", false, "run a real Ironic, from its Python packages, instead of the embedded one")
	set.StringVar(&f.release, "release", real.Newest.Name(), "release of the real Ironic: newest (39.0.0) or old (21.4.4, needs Python 3.11)")
}

// check checks the flags and sets the default speed.
func (f *realFlags) check(cmd *cobra.Command, site *SiteFlags) error {
	_, err := real.ReleaseOf(f.release)
	switch {
	case !f.on && cmd.Flags().Changed("release"):
		return cli.Usagef("--release needs --real")
	case !f.on:
		return nil
	case err != nil:
		return cli.Usagef("--release: %w", err)
	case !cmd.Flags().Changed("lab-speed"):
		site.Speed = realSpeed
	}
	return nil
}

// ironic returns a real Ironic that listens at the address given with --listen.
func (f *realFlags) ironic(site *lab.SiteOptions, report func(string), early func(error)) (*lab.OtherIronic, error) {
	release, err := real.ReleaseOf(f.release)
	if err != nil {
		return nil, cli.Usagef("--release: %w", err)
	}
	host, text, err := net.SplitHostPort(site.Listen)
	if err != nil {
		return nil, cli.Usagef("--listen: %w", err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, cli.Usagef("--listen %q: the port must be from 0 to 65535", site.Listen)
	}
	if host == "" {
		host = "0.0.0.0" // listen on all addresses, as the embedded Ironic does
	}
	return lab.RealIronic(release, host, int(port), site, report, early), nil
}

// labReal runs a lab with a real Ironic until ctx is canceled or Ironic ends.
func (a *app) labReal(ctx context.Context, options lab.SiteOptions, flags realFlags, started func(*lab.Site)) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var early error // the reason why Ironic ended before the lab
	ironic, err := flags.ironic(&options, func(text string) { a.PrintMessage("%s", text) }, func(err error) {
		if ctx.Err() == nil {
			early = err
			end()
		}
	})
	if err != nil {
		return err
	}
	options.Ironic = ironic
	return errors.Join(a.labUp(ctx, options, started), early)
}
