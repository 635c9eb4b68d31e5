package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/crypto/ssh"

	"ironworks/ignition"
	"ironworks/ignition/image"
	"ironworks/ignition/sshkey"
	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/lab/vm"
	"ironworks/models"
)

// vmFlags are those of a lab of virtual machines.
type vmFlags struct {
	count  int
	iso    string
	memory string
	disks  string
	cpus   int
	ironic string
}

const (
	// virtualSSHPort is the SSH port of virtual machines, unless one is chosen.
	virtualSSHPort = 2222
	labKeyFile     = "id_ed25519"

	isoHelp = "the live ISO for bare metal is at https://fedoraproject.org/coreos/download; docs/lab.md tells how to verify its signature"
)

func (f *vmFlags) register(set *pflag.FlagSet) {
	set.IntVar(&f.count, "vms", 0, "run this many virtual machines in QEMU instead of simulated machines; needs --iso")
	set.StringVar(&f.iso, "iso", "", "CoreOS live ISO that the virtual machines boot as their deploy ramdisk")
	set.StringVar(&f.memory, "memory", "4G", "memory of a virtual machine")
	set.StringVar(&f.disks, "disks", "nvme:20G", "disks of a virtual machine, as KIND:SIZE,…; kinds are nvme, ssd and hdd")
	set.IntVar(&f.cpus, "cpus", 2, "CPUs of a virtual machine")
	set.StringVar(&f.ironic, "ironic", "", "URL of an Ironic on this computer that drives the virtual machines, instead of the embedded one")
}

// check refuses what does not go together.
func (f *vmFlags) check(cmd *cobra.Command, site *siteFlags, real *realFlags) error {
	if f.count == 0 && !cmd.Flags().Changed("vms") {
		for _, name := range []string{"iso", "memory", "disks", "cpus", "ironic"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is for virtual machines: add --vms N", name)
			}
		}
		return nil
	}
	if f.count < 1 || f.count > lab.MaxVirtual {
		return usagef("--vms %d: want 1 to %d", f.count, lab.MaxVirtual)
	}
	for _, name := range []string{"lab-machines", "lab-speed", "story"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s is for simulated machines; leave it out with --vms", name)
		}
	}
	if f.ironic != "" && (real.on || cmd.Flags().Changed("listen")) {
		return usagef("--ironic names an Ironic that runs already; leave --real and --listen out")
	}
	if f.iso == "" {
		return usagef("--vms needs --iso FILE, a CoreOS live ISO: %s", isoHelp)
	}
	if f.cpus < 1 {
		return usagef("--cpus %d: want at least 1", f.cpus)
	}
	if runtime.GOOS != "linux" {
		return usagef("--vms needs Linux")
	}
	site.machines, site.speed = f.count, 1
	if site.sshPort == 0 {
		site.sshPort = virtualSSHPort
	}
	return nil
}

// labVirtual is a lab of virtual machines that is about to start.
type labVirtual struct {
	options *lab.VirtualOptions
	members []lab.Member
	iso     *image.ISO
	key     string // the file of the private SSH key; empty if the ISO has a configuration
	line    string // the public half
	done    func()
}

// virtual prepares a lab of virtual machines: programs, folder, SSH key and ISO.
func (a *app) virtual(ctx context.Context, f *vmFlags, site *siteFlags, members []lab.Member) (*labVirtual, error) {
	v := &labVirtual{options: &lab.VirtualOptions{CPUs: f.cpus}, members: members, done: func() {}}
	var err error
	if v.options.Disks, err = vm.ParseDisks(f.disks); err != nil {
		return nil, usagef("--disks: %w", err)
	}
	if v.options.MemoryMiB, err = vm.ParseMemory(f.memory); err != nil {
		return nil, usagef("--memory: %w", err)
	}
	if site.file == "" {
		v.members = lab.VirtualMembers(f.count)
	} else if len(members) != f.count {
		return nil, usagef("--vms %d: the file of --scenarios has %d machines", f.count, len(members))
	}
	if err := lab.CheckVirtual(v.members); err != nil {
		return nil, usagef("--scenarios: %w", err)
	}
	if v.iso, err = openLiveISO(f.iso); err != nil {
		return nil, err
	}
	v.done = func() { _ = v.iso.Close() }
	if err := a.virtualHost(ctx, v, site.dir); err != nil {
		v.done()
		return nil, err
	}
	return v, nil
}

// openLiveISO opens an image that can be a deploy ramdisk.
func openLiveISO(path string) (*image.ISO, error) {
	iso, err := image.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("--iso %s: no such file; %s", path, isoHelp)
	case err != nil:
		return nil, usagef("--iso %s: %w; %s", path, err, isoHelp)
	}
	if _, err := iso.Kargs(); err != nil {
		_ = iso.Close()
		return nil, usagef("--iso %s: %w; %s", path, err, isoHelp)
	}
	return iso, nil
}

// virtualHost finds QEMU, and the folder of the machines: below --lab-state, or one that ends
// with the lab.
func (a *app) virtualHost(ctx context.Context, v *labVirtual, state string) error {
	a.complain("looking for QEMU, firmware and KVM")
	host, err := vm.FindHost(ctx, vm.HostOptions{})
	if err != nil {
		return err
	}
	v.options.Host = host
	if host.NoKVM != "" {
		a.complain("no KVM: %s", host.NoKVM)
		a.complain("the machines run without it, 10 to 20 times slower: expect 1 minute to the ramdisk's login, 2 to 3 minutes to the agent, 7 minutes for a deployment")
	}
	folder := state
	if folder == "" {
		parent := filepath.Join(a.options.Home, ".cache", "ironworks") // not /tmp, which is often in memory
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return fmt.Errorf("making a folder for the virtual machines: %w", err)
		}
		if folder, err = os.MkdirTemp(parent, "lab-"); err != nil {
			return fmt.Errorf("making a folder for the virtual machines: %w", err)
		}
		closeISO := v.done
		v.done = func() {
			closeISO()
			_ = os.RemoveAll(folder)
		}
	}
	v.options.Dir = filepath.Join(folder, virtualFolder)
	if err := os.MkdirAll(v.options.Dir, 0o700); err != nil {
		return fmt.Errorf("making a folder for the virtual machines: %w", err)
	}
	if _, err := v.iso.Ignition(); err == nil {
		a.complain("the ISO has an Ignition configuration, which stays as it is: its agent has to look for Ironic at %s", vm.HostAddress)
		return nil
	}
	v.key = filepath.Join(folder, labKeyFile)
	v.line, err = keptLabKey(v.key)
	return err
}

// virtualFolder is the folder of the virtual machines in that of --lab-state.
const virtualFolder = "vms"

// keptLabKey gives the public half of a key that is made on first use.
func keptLabKey(file string) (line string, err error) {
	content, err := os.ReadFile(file) //nolint:gosec // the lab's own folder
	if errors.Is(err, fs.ErrNotExist) {
		return newLabKey(file)
	}
	if err != nil {
		return "", fmt.Errorf("reading the lab's key: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(content)
	if err != nil {
		return "", fmt.Errorf("reading the lab's key %s: %w", file, err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))), nil
}

// ramdisk is the deploy ISO: the one of --iso, with a configuration for an Ironic unless it has
// one.
func (v *labVirtual) ramdisk(ironic ignition.IronicEndpoint) (lab.Image, error) {
	if v.key == "" {
		return v.iso, nil
	}
	var rewritten bool
	ironic.URL, rewritten = guestURL(ironic.URL)
	if rewritten {
		ironic.Insecure = true // no certificate has the address of the host in user networking
	}
	r := ignition.NewRamdisk(ironic)
	r.SSHKeys = []sshkey.Key{{Line: v.line}}
	built, err := r.Build()
	if err != nil {
		return nil, fmt.Errorf("configuring the ramdisk: %w", err)
	}
	patch, err := v.iso.Edit(image.Change{Ignition: built.JSON})
	if err != nil {
		return nil, fmt.Errorf("configuring the ramdisk: %w", err)
	}
	return patch.Stream(v.iso)
}

// guestURL is a URL as the virtual machines reach it: this computer is another host to them.
func guestURL(text string) (guest string, rewritten bool) {
	u, err := url.Parse(text)
	if err != nil {
		return text, false
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback() && !ip.IsUnspecified()) {
		return text, false
	}
	port := u.Port()
	u.Host = vm.HostAddress.String()
	if port != "" {
		u.Host = net.JoinHostPort(u.Host, port)
	}
	return u.String(), true
}

// virtualEvent prints what happens to a virtual machine.
func (a *app) virtualEvent(e machine.Event) {
	switch e.Kind {
	case machine.GuestStarted, machine.GuestEnded, machine.BootFailed, machine.MediaUnchanged, machine.PowerChanged:
		a.complain("%s: %s %s", e.Machine, e.Kind, models.Printable(e.Text))
	default:
	}
}

// printVirtual tells how the machines are reached.
func (a *app) printVirtual(v *labVirtual, l *lab.Lab, sshPort int) {
	for _, m := range l.Machines() {
		login := fmt.Sprintf("ssh -p %d %score@%s", sshPort, keyOption(v.key), m.AgentHost())
		a.complain("%s: %s; serial line: socat -,raw,echo=0 TCP:%s", m.Name(), login, m.SerialAddress())
	}
	a.complain("disks, UEFI variables and serial logs are in %s", v.options.Dir)
	if v.key != "" {
		a.complain("for the Log tab: logs: {ssh: {port: %d, keys: [%s]}} in the context", sshPort, v.key)
	}
}

func keyOption(key string) string {
	if key == "" {
		return ""
	}
	return "-i " + key + " "
}

// labVirtual prepares and runs a lab of virtual machines.
func (a *app) labVirtual(cmd *cobra.Command, options lab.SiteOptions, f *vmFlags, site *siteFlags, real realFlags) error {
	v, err := a.virtual(cmd.Context(), f, site, options.Members)
	if err != nil {
		return err
	}
	defer v.done()
	if f.ironic != "" {
		return a.labUpIronic(cmd, f, site.sshPort, v)
	}
	return a.labUpVirtual(cmd.Context(), options, v, real)
}

// labUpVirtual runs virtual machines under the embedded Ironic, or under a real one that it starts.
func (a *app) labUpVirtual(ctx context.Context, options lab.SiteOptions, v *labVirtual, real realFlags) error {
	options.Members, options.Virtual, options.OnEvent = v.members, v.options, a.virtualEvent
	options.RamdiskFor = func(url string) (lab.Image, error) { return v.ramdisk(ignition.IronicEndpoint{URL: url}) }
	started := func(site *lab.Site) { a.printVirtual(v, site.Lab, options.SSHPort) }
	if real.on {
		return a.labReal(ctx, options, real, started)
	}
	return a.labUp(ctx, options, started)
}

// labUpIronic runs virtual machines for an Ironic that runs already.
func (a *app) labUpIronic(cmd *cobra.Command, f *vmFlags, sshPort int, v *labVirtual) error {
	ctx := cmd.Context()
	s, err := a.connectTo(cmd, f.ironic)
	if err != nil {
		return err
	}
	defer s.Close()
	target, err := labTargetOf(ctx, s.Client, f.ironic)
	if err != nil {
		return err
	}
	endpoint, err := contextEndpoint(ctx, s)
	if err != nil {
		return err
	}
	endpoint.URL = target.url
	iso, err := v.ramdisk(endpoint)
	if err != nil {
		return err
	}
	l, err := lab.Start(ctx, lab.Options{
		IronicURL: target.url, Ramdisk: iso, Virtual: v.options, SSHPort: sshPort, OnEvent: a.virtualEvent,
	}, v.members)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := a.printMachines(l); err != nil {
		return err
	}
	if err := a.enrolLab(ctx, l, s.Client, target.interfaces); err != nil {
		return err
	}
	a.printVirtual(v, l, sshPort)
	<-ctx.Done()
	a.complain("the nodes stay in Ironic; ironworks lab machines --clean removes them")
	return nil
}
