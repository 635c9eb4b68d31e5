package lab

import (
	"context"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/ignition"
	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/lab/vm"
)

type vmFlags struct {
	count  int
	iso    string
	memory string
	disks  string
	cpus   int
	ironic string
}

const (
	// virtualSSHPort is the default SSH port of virtual machines.
	virtualSSHPort = 2222

	isoHelp = "the live ISO for bare metal is at https://fedoraproject.org/coreos/download; see docs/reference/lab.md to verify its signature"
)

func (f *vmFlags) register(set *pflag.FlagSet) {
	set.IntVar(&f.count, "vms", 0, "number of virtual machines in QEMU, instead of simulated machines; needs --iso")
	set.StringVar(&f.iso, "iso", "", "CoreOS live ISO that the virtual machines boot as their deploy ramdisk")
	set.StringVar(&f.memory, "memory", "4G", "memory of each virtual machine")
	set.StringVar(&f.disks, "disks", "nvme:20G", "disks of each virtual machine, as KIND:SIZE,…; kinds are nvme, ssd and hdd")
	set.IntVar(&f.cpus, "cpus", 2, "number of CPUs of each virtual machine")
	set.StringVar(&f.ironic, "ironic", "", "URL of an Ironic on this computer, instead of the embedded one")
}

// check checks the flags, and sets the defaults of the site.
func (f *vmFlags) check(cmd *cobra.Command, site *SiteFlags, real *realFlags) error {
	given := cmd.Flags().Changed
	if f.count == 0 && !given("vms") {
		for _, name := range []string{"iso", "memory", "disks", "cpus", "ironic"} {
			if given(name) {
				return cli.Usagef("--%s needs --vms N", name)
			}
		}
		return nil
	}
	if f.count < 1 || f.count > lab.MaxVirtual {
		return cli.Usagef("--vms %d: must be 1 to %d", f.count, lab.MaxVirtual)
	}
	for _, name := range []string{"lab-machines", "lab-speed", "story"} {
		if given(name) {
			return cli.Usagef("--%s and --vms cannot be combined", name)
		}
	}
	switch {
	case f.ironic != "" && (real.on || given("listen")):
		return cli.Usagef("--ironic cannot be combined with --real or --listen")
	case f.iso == "":
		return cli.Usagef("--vms needs --iso FILE, a CoreOS live ISO: %s", isoHelp)
	case f.cpus < 1:
		return cli.Usagef("--cpus %d: must be at least 1", f.cpus)
	case runtime.GOOS != "linux":
		return cli.Usagef("--vms needs Linux")
	}
	site.machines, site.Speed = f.count, 1
	if site.SSHPort == 0 {
		site.SSHPort = virtualSSHPort
	}
	return nil
}

// setUp prepares a lab of virtual machines: members, ISO, programs, folder and SSH key.
func (f *vmFlags) setUp(ctx context.Context, a *app, site *SiteFlags, members []lab.Member) (*lab.VirtualSetup, []lab.Member, error) {
	options := lab.VirtualOptions{CPUs: f.cpus}
	var err error
	if options.Disks, err = vm.ParseDisks(f.disks); err != nil {
		return nil, nil, cli.Usagef("--disks: %w", err)
	}
	if options.MemoryMiB, err = vm.ParseMemory(f.memory); err != nil {
		return nil, nil, cli.Usagef("--memory: %w", err)
	}
	if site.file == "" {
		members = lab.VirtualMembers(f.count)
	} else if len(members) != f.count {
		return nil, nil, cli.Usagef("--vms %d: the --scenarios file has %d machines", f.count, len(members))
	}
	if err := lab.CheckVirtual(members); err != nil {
		return nil, nil, cli.Usagef("--scenarios: %w", err)
	}
	iso, err := lab.OpenLiveISO(f.iso)
	if err != nil {
		return nil, nil, cli.Usagef("--iso %s: %w; %s", f.iso, err, isoHelp)
	}
	cache := filepath.Join(a.Options.Home, ".cache", "ironworks") // not /tmp, which is often a tmpfs
	v, err := lab.SetUpVirtual(ctx, iso, options, site.Dir, cache, func(text string) { a.PrintMessage("%s", text) })
	return v, members, err
}

func (a *app) virtualEvent(e machine.Event) {
	switch e.Kind {
	case machine.GuestStarted, machine.GuestEnded, machine.BootFailed, machine.MediaUnchanged, machine.PowerChanged:
		a.PrintMessage("%s: %s %s", e.Machine, e.Kind, e.Text)
	default:
	}
}

func (a *app) printVirtual(v *lab.VirtualSetup, l *lab.Lab, sshPort int) {
	option := ""
	if v.Key != "" {
		option = "-i " + v.Key + " "
	}
	for _, m := range l.Machines() {
		a.PrintMessage("%s: ssh -p %d %score@%s; serial line: socat -,raw,echo=0 TCP:%s", m.Name(), sshPort, option, m.AgentHost(), m.SerialAddress())
	}
	a.PrintMessage("disks, UEFI variables and serial logs: %s", v.Options.Dir)
	if v.Key != "" {
		a.PrintMessage("for the Log tab, add to the context: logs: {ssh: {port: %d, keys: [%s]}}", sshPort, v.Key)
	}
}

func (a *app) labVirtual(cmd *cobra.Command, options lab.SiteOptions, f *vmFlags, site *SiteFlags, real realFlags) error {
	ctx := cmd.Context()
	v, members, err := f.setUp(ctx, a, site, options.Members)
	if err != nil {
		return err
	}
	defer v.Close()
	if f.ironic != "" {
		return a.labUpIronic(cmd, f, site.SSHPort, v, members)
	}
	options.Members, options.Virtual, options.OnEvent = members, &v.Options, a.virtualEvent
	options.RamdiskFor = func(url string) (lab.Image, error) { return v.Ramdisk(ignition.IronicEndpoint{URL: url}) }
	started := func(site *lab.Site) { a.printVirtual(v, site.Lab, options.SSHPort) }
	if real.on {
		return a.labReal(ctx, options, real, started)
	}
	return a.labUp(ctx, options, started)
}

// labUpIronic runs virtual machines for a running Ironic.
func (a *app) labUpIronic(cmd *cobra.Command, f *vmFlags, sshPort int, v *lab.VirtualSetup, members []lab.Member) error {
	ctx := cmd.Context()
	s, err := a.connectTo(cmd, f.ironic)
	if err != nil {
		return err
	}
	defer s.Close()
	url, _, interfaces, err := labTarget(ctx, s.Client, f.ironic)
	if err != nil {
		return err
	}
	endpoint, err := s.IronicEndpoint(ctx)
	if err != nil {
		return err
	}
	endpoint.URL = url
	iso, err := v.Ramdisk(endpoint)
	if err != nil {
		return err
	}
	options := lab.Options{IronicURL: url, Ramdisk: iso, Virtual: &v.Options, SSHPort: sshPort, OnEvent: a.virtualEvent}
	return a.runMachines(ctx, s.Client, options, members, interfaces, true, func(l *lab.Lab) { a.printVirtual(v, l, sshPort) })
}
