package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/lab"
)

// siteFlags are those of a lab that brings its own Ironic along.
type siteFlags struct {
	machines int
	speed    float64
	dir      string
	file     string
	sshPort  int
}

func (f *siteFlags) register(set *pflag.FlagSet) {
	set.IntVar(&f.machines, "lab-machines", 12, "how many machines the lab has, up to 10000")
	set.Float64Var(&f.speed, "lab-speed", 10, "how many times faster than real machines they boot, install and erase")
	set.StringVar(&f.dir, "lab-state", "", "folder that keeps the lab's nodes and disks; without it all is forgotten")
	set.IntVar(&f.sshPort, "lab-ssh-port", 0, "port at which the lab's ramdisks let core in over SSH, each at an address 127.18.x.y; 0 is no SSH (Linux)")
}

// used names a flag that was given, for a command line that has no lab.
func (f *siteFlags) used(cmd *cobra.Command) string {
	for _, name := range []string{"lab-machines", "lab-speed", "lab-state", "lab-ssh-port"} {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

func (f *siteFlags) options() (lab.SiteOptions, error) {
	if f.machines < 1 || f.machines > 10_000 {
		return lab.SiteOptions{}, usagef("--lab-machines %d: want 1 to 10000", f.machines)
	}
	if f.speed <= 0 {
		return lab.SiteOptions{}, usagef("--lab-speed %g: want a positive number", f.speed)
	}
	if f.sshPort < 0 || f.sshPort > 65535 {
		return lab.SiteOptions{}, usagef("--lab-ssh-port %d: want a port, or 0", f.sshPort)
	}
	members := lab.Cast(f.machines)
	if f.file != "" {
		file, err := os.Open(f.file)
		if err != nil {
			return lab.SiteOptions{}, usagef("--scenarios: %w", err)
		}
		defer func() { _ = file.Close() }()
		if members, err = lab.ReadMembers(file); err != nil {
			return lab.SiteOptions{}, usagef("--scenarios %s: %w", f.file, err)
		}
	}
	return lab.SiteOptions{Members: members, Speed: f.speed, Dir: f.dir, SSHPort: f.sshPort}, nil
}

func (a *app) labUpCommand() *cobra.Command {
	var flags siteFlags
	var address string
	var story bool
	var real realFlags
	var virtual vmFlags
	cmd := &cobra.Command{
		Use: "up", Short: "Run machines and an Ironic of their own, without the console", Args: cobra.NoArgs,
		Long: "Run machines under an embedded Ironic until interrupted, for scripts and other clients.\n" +
			"With --vms the machines are virtual ones that boot a CoreOS live ISO in QEMU, with KVM where it works.\n" +
			"It prints what to set so that they find it. With --real the Ironic is a real one, whose Python\n" +
			"environment is made on first use: that needs python3, the network and about 400 MB.",
		Example: "  ironworks lab up --listen 127.0.0.1:6385\n  ironworks lab up --real --release 21.4.4\n" +
			"  ironworks lab up --vms 3 --iso fedora-coreos-live.iso --disks nvme:20G,ssd:40G --lab-state ~/lab",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := real.check(cmd, &flags); err != nil {
				return err
			}
			if err := virtual.check(cmd, &flags, &real); err != nil {
				return err
			}
			options, err := flags.options()
			if err != nil {
				return err
			}
			options.Listen, options.Story = address, story
			switch {
			case virtual.count > 0:
				return a.labVirtual(cmd, options, &virtual, &flags, real)
			case real.on:
				return a.labReal(cmd.Context(), options, real, nil)
			}
			return a.labUp(cmd.Context(), options, nil)
		},
	}
	flags.register(cmd.Flags())
	real.register(cmd.Flags())
	virtual.register(cmd.Flags())
	cmd.Flags().StringVar(&flags.file, "scenarios", "", "YAML file of machines and scenarios, instead of the usual cast")
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "address of the API")
	cmd.Flags().BoolVar(&story, "story", false, "let things happen to the cast by themselves, as in ironworks --lab")
	return cmd
}

// labUp runs a lab until the context ends. Started is called once it runs; it may be nil.
func (a *app) labUp(ctx context.Context, options lab.SiteOptions, started func(*lab.Site)) error {
	options.Trouble = func(err error) { a.complain("lab: %v", err) }
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

// printSite tells clients where the lab is.
func (a *app) printSite(site *lab.Site) error {
	url := site.URL
	return a.print(result{
		data: map[string]any{"url": url, "machines": len(site.Lab.Machines())}, names: []string{url},
		text: fmt.Sprintf("export OS_AUTH_TYPE=none\nexport OS_ENDPOINT=%s\nexport IRONWORKS_BMC_PASSWORD=%s\nexport IRONWORKS_BMC_HOSTS='*'\n# ironworks --url %s\n", url, lab.BMCPassword, url),
	})
}
