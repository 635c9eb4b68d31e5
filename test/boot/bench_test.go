package boot

import (
	"cmp"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ironworks/ignition/image"
	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/lab/vm"
	"ironworks/test/ironic"
)

const (
	// patience limits the duration of each phase. It suffices even on a busy computer without KVM.
	patience = 10 * time.Minute
	memory   = 3 << 10 // in MiB
	gib      = 1 << 30
	// sshPort is the port on the machine's AgentHost that is forwarded to the machine's SSH server.
	sshPort = 2222
)

// bench combines a real Ironic, a registry, and a virtual machine with three disks.
type bench struct {
	t        *testing.T
	images   Images
	ironic   *ironic.Server
	registry *Registry
	web      *httptest.Server // serves the image to install
	machine  *lab.Machine
	folder   string // the folder with the machine's disks
	serial   *Serial
	phases   *Phases
	node     string
	login    login  // the SSH key for the machine
	home     string // the program's home directory
	listen   string // the URL to which the machine pushes its journal; "" if the journal is not pushed
	ramdisk  ramdisk
	agent    *agentFile // the builtin agent; nil if the agent is a container
	requests *requests  // records the machine's requests to Ironic; nil unless measured
}

// ramdisk describes how a ramdisk differs from the default.
type ramdisk struct {
	// release is the release of Ironic; the zero value means the newest one.
	release ironic.Release
	// tag and image are the tag and the name of the agent's container image, and ironic is the URL of Ironic. An
	// empty value is replaced with one that works.
	tag, image, ironic string
	// push makes the ramdisk push its journal to the bench.
	push bool
	// registry configures the registry. trust is the ramdisk's TLS setting for it: insecure (the default), verified,
	// or ca. If secret is true, the ramdisk gets the registry's credentials.
	registry RegistryOptions
	trust    string
	secret   bool
	// tls makes Ironic serve HTTPS. The ramdisk gets Ironic's CA certificate or, if wrongCA is true, the registry's.
	tls, wrongCA bool
	// builtin starts ironworks-agent instead of the container; no registry runs.
	builtin bool
	// embed includes the builtin agent in the Ignition configuration.
	embed bool
	// measured puts a proxy in front of Ironic that records the time of the machine's first request.
	measured bool
	// memory is the machine's memory in MiB; 0 is the default.
	memory int
	// keyfile is the ramdisk's network configuration for NetworkManager; "" means DHCP.
	keyfile string
	// served leaves the lab's ISO without a configuration, because the test serves another ISO.
	served bool
	// pxe makes the machine boot from the network.
	pxe bool
	// kargs are additional kernel arguments of the ISO.
	kargs []string
	// extra returns an Ignition configuration that is merged into the ramdisk's. It may be nil.
	extra func(*bench) string
	// hostKey gives the ramdisk's SSH server a host key that the program knows.
	hostKey bool
}

func newBench(t *testing.T, made ramdisk) *bench {
	t.Helper()
	if made.release.Name() == "" {
		made.release = ironic.Newest
	}
	images := made.release
	if made.builtin {
		images = ironic.Newest // all releases boot the same image, which does not need the agent's container
	}
	b := &bench{t: t, images: Find(t, images), home: t.TempDir(), ramdisk: made, folder: t.TempDir()}
	host, err := vm.FindHost(t.Context(), vm.HostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("accelerator %s %s", host.Accel, host.NoKVM)
	virtual := &lab.VirtualOptions{
		Host: host, Dir: b.folder, MemoryMiB: cmp.Or(made.memory, memory), CPUs: 2,
		Disks: []vm.DiskRequest{{Kind: vm.NVMe, Size: 8 * gib}, {Kind: vm.SSD, Size: 10 * gib}, {Kind: vm.HDD, Size: 12 * gib}},
	}
	options := ironic.Options{Release: made.release, TLS: made.tls, TLSAddresses: []net.IP{vm.HostAddress.AsSlice()}}
	if made.pxe {
		virtual.BootFile = b.serveBootFiles(&options)
	}
	b.ironic = ironic.StartT(t, options)
	if made.builtin {
		b.agent = serveAgent(t)
	} else {
		b.registry = StartRegistry(t, b.images.Registries[made.release.Name()], made.registry)
	}
	if made.measured {
		b.requests = countRequests(t, b.ironic.URL)
	}
	b.web = httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(b.images.Disk))))
	t.Cleanup(b.web.Close)
	b.login = newLogin(t, b.home)
	if made.push {
		b.receiveJournals()
	}
	l, err := lab.Start(t.Context(), lab.Options{
		Dir: b.folder, IronicURL: b.ironic.URL, Ramdisk: b.liveISO(), Virtual: virtual, SSHPort: sshPort,
		OnEvent: func(e machine.Event) { t.Logf("%s: %s %s", e.Machine, e.Kind, e.Text) },
	}, lab.VirtualMembers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	b.machine = l.Machines()[0]
	b.serial = DialSerial(t, b.machine.SerialAddress())
	b.enroll()
	b.phases = StartPhases()
	t.Cleanup(func() { t.Logf("\n%s", b.phases) })
	return b
}

// receiveJournals receives pushed journals until the test ends.
func (b *bench) receiveJournals() {
	b.t.Helper()
	listener, err := new(net.ListenConfig).Listen(b.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	at := listener.Addr().String()
	_ = listener.Close()
	b.listen = guestURL(b.t, "https://"+at)
	b.start("logs", "--listen", at)
}

// ramdiskFlags returns the flags of `ignition build` and `ignition serve` for the ramdisk.
func (b *bench) ramdiskFlags() []string {
	api := b.ironic.URL
	if b.requests != nil {
		api = b.requests.URL
	}
	args := append(b.agentFlags(), "--host", cmp.Or(b.ramdisk.ironic, guestURL(b.t, api)), "--ssh-key", b.login.public)
	switch {
	case b.ramdisk.wrongCA:
		args = append(args, "--ca", b.registry.CA)
	case b.ramdisk.tls:
		args = append(args, "--ca", b.ironic.CACert)
	}
	if b.listen != "" {
		args = append(args, "--journal-push", b.listen)
	}
	if b.ramdisk.extra != nil {
		args = append(args, "--extra", b.write("extra.ign", b.ramdisk.extra(b)))
	}
	if b.ramdisk.hostKey {
		args = append(args, "--ssh-host-key")
	}
	if b.ramdisk.keyfile != "" {
		args = append(args, "--keyfile", b.write("bench.nmconnection", b.ramdisk.keyfile))
	}
	return args
}

// agentFlags returns the flags that select the agent: the builtin one or a container.
func (b *bench) agentFlags() []string {
	if b.agent != nil {
		return b.agent.flags(b.t, b.ramdisk.served, b.ramdisk.embed)
	}
	registry := net.JoinHostPort(vm.HostAddress.String(), b.registry.port())
	args := []string{"--image", cmp.Or(b.ramdisk.image, registry+"/ironic-agent") + ":" + cmp.Or(b.ramdisk.tag, b.ramdisk.release.Name())}
	switch b.ramdisk.trust {
	case "ca":
		args = append(args, "--registry-tls", registry+"=ca:"+b.registry.CA)
	default:
		args = append(args, "--registry-tls", registry+"="+cmp.Or(b.ramdisk.trust, "insecure"))
	}
	if b.ramdisk.secret {
		args = append(args, "--pull-secret", PullSecret(b.t, registry))
	}
	return args
}

// liveISO returns the live ISO with the ramdisk's configuration, or without one if the test serves its own.
func (b *bench) liveISO() *image.ISO {
	b.t.Helper()
	iso := b.images.ISO
	if !b.ramdisk.served {
		iso, _ = b.buildISO()
	}
	opened, err := image.Open(iso)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// buildISO builds the ramdisk's configuration, embeds it in a copy of the live ISO, and returns the paths of both.
func (b *bench) buildISO() (iso, config string) {
	b.t.Helper()
	folder := b.t.TempDir()
	iso, config = filepath.Join(folder, "ramdisk.iso"), filepath.Join(folder, "ramdisk.ign")
	b.ironworks(append([]string{"ignition", "build", "--output", config}, b.ramdiskFlags()...)...)
	args := []string{"ignition", "embed", b.images.ISO, config, "--output", iso}
	for _, karg := range b.ramdisk.kargs {
		args = append(args, "--karg-append", karg)
	}
	b.ironworks(args...)
	return iso, config
}

// write writes a temporary file for the program and returns its path.
func (b *bench) write(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}
