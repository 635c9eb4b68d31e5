package boot

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/ignition/image"
	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/lab/vm"
	"ironworks/test/ironic"
	"ironworks/test/program"
)

const (
	// patience is how long one phase may take, without KVM and beside other work.
	patience = 5 * time.Minute
	memory   = 3 << 10 // MiB
	gib      = 1 << 30
)

// bench is a real Ironic, a registry, and a virtual machine with three disks.
type bench struct {
	t        *testing.T
	images   Images
	ironic   *ironic.Server
	registry *Registry
	web      *httptest.Server // serves the image to be installed
	machine  *lab.Machine
	serial   *Serial
	phases   *Phases
	node     string
	key      string // the public SSH key
	home     string // of the program
	listen   string // where journals are taken, as the machine reaches it; empty where none are
	ramdisk  ramdisk
}

// ramdisk is what a ramdisk is made of beside what all have.
type ramdisk struct {
	// tag of the agent's image, where the image is, and Ironic's address as it is told; empty is
	// what works.
	tag, image, ironic string
	// push says that it sends its journal, which the bench takes.
	push bool
	// registry is how the registry is served, trust how the ramdisk treats it: insecure if
	// empty, verified, or ca. secret says that it has the login.
	registry RegistryOptions
	trust    string
	secret   bool
	// tls has Ironic serve HTTPS; the ramdisk has its authority, or another's with wrongCA.
	tls, wrongCA bool
}

func newBench(t *testing.T, made ramdisk) *bench {
	t.Helper()
	b := &bench{t: t, images: Find(t), home: t.TempDir(), ramdisk: made}
	host, err := vm.FindHost(t.Context(), vm.HostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("accelerator %s %s", host.Accel, host.NoKVM)
	b.ironic = ironic.StartT(t, ironic.Options{TLS: made.tls, TLSAddresses: []net.IP{vm.HostAddress.AsSlice()}})
	b.registry = StartRegistry(t, b.images.Registry, made.registry)
	b.web = httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(b.images.Disk))))
	t.Cleanup(b.web.Close)
	b.key = newKey(t)
	if made.push {
		b.takeJournals()
	}
	iso := b.liveISO()
	folder := t.TempDir()
	l, err := lab.Start(t.Context(), lab.Options{
		Dir: folder, IronicURL: b.ironic.URL, Ramdisk: iso, OnEvent: func(e machine.Event) { t.Logf("%s: %s %s", e.Machine, e.Kind, e.Text) },
		Virtual: &lab.VirtualOptions{
			Host: host, Dir: folder, MemoryMiB: memory, CPUs: 2,
			Disks: []vm.DiskRequest{{Kind: vm.NVMe, Size: 8 * gib}, {Kind: vm.SSD, Size: 10 * gib}, {Kind: vm.HDD, Size: 12 * gib}},
		},
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

// newKey is a public key that nobody has the other half of: nothing logs in.
func newKey(t *testing.T) string {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// guestURL is an address of this host as the machine reaches it.
func guestURL(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = vm.HostAddress.String() + ":" + u.Port()
	return u.String()
}

// program is the command line of a run of the program, for this Ironic.
func (b *bench) program(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.t.Context(), program.Path(), args...)
	cmd.Env = program.Env("PATH="+os.Getenv("PATH"), "HOME="+b.home, "IRONWORKS_URL="+b.ironic.URL)
	if b.ironic.CACert != "" {
		cmd.Env = append(cmd.Env, "IRONWORKS_CACERT="+b.ironic.CACert)
	}
	return cmd
}

// ironworks runs the program and gives what it prints.
func (b *bench) ironworks(args ...string) string {
	b.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := b.program(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		b.t.Fatalf("ironworks %s: %v\n%s%s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// takeJournals takes the journals that machines push until the test ends.
func (b *bench) takeJournals() {
	b.t.Helper()
	listener, err := new(net.ListenConfig).Listen(b.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	at := listener.Addr().String()
	_ = listener.Close()
	b.listen = guestURL(b.t, "https://"+at)
	cmd := b.program("logs", "--listen", at)
	out, err := os.Create(filepath.Join(b.t.TempDir(), "pushed.log"))
	if err != nil {
		b.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		_ = out.Close()
		if b.t.Failed() {
			said, _ := os.ReadFile(out.Name())
			b.t.Logf("what the machine pushed:\n%s", said)
		}
	})
}

// liveISO is the ramdisk: the live ISO with a configuration that ironworks built and embedded.
func (b *bench) liveISO() *image.ISO {
	b.t.Helper()
	folder := b.t.TempDir()
	config, iso := filepath.Join(folder, "ramdisk.ign"), filepath.Join(folder, "ramdisk.iso")
	registry := fmt.Sprintf("%s:%d", vm.HostAddress, b.registry.Port)
	args := []string{
		"ignition", "build", "--host", cmp.Or(b.ramdisk.ironic, guestURL(b.t, b.ironic.URL)),
		"--image", cmp.Or(b.ramdisk.image, registry+"/ironic-agent") + ":" + cmp.Or(b.ramdisk.tag, "newest"),
		"--ssh-key", b.key, "--output", config,
	}
	switch b.ramdisk.trust {
	case "ca":
		args = append(args, "--registry-tls", registry+"=ca:"+b.registry.CA)
	default:
		args = append(args, "--registry-tls", registry+"="+cmp.Or(b.ramdisk.trust, "insecure"))
	}
	if b.ramdisk.secret {
		args = append(args, "--pull-secret", PullSecret(b.t, registry))
	}
	switch {
	case b.ramdisk.wrongCA:
		args = append(args, "--ca", b.registry.CA)
	case b.ramdisk.tls:
		args = append(args, "--ca", b.ironic.CACert)
	}
	if b.listen != "" {
		args = append(args, "--journal-push", b.listen)
	}
	b.ironworks(args...)
	content, err := os.ReadFile(b.images.ISO)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(iso, content, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.ironworks("ignition", "embed", iso, config)
	opened, err := image.Open(iso)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// call is a request to Ironic that waits while the node is locked.
func (b *bench) call(method, path string, body any, want int) []byte {
	b.t.Helper()
	var answer []byte
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 300*time.Millisecond, func(ctx context.Context) (bool, error) {
		status, got, err := b.ironic.Do(ctx, method, path, body)
		answer = got
		if err == nil && status != want && status != http.StatusConflict {
			err = fmt.Errorf("status %d, want %d", status, want)
		}
		return status == want, err
	})
	if err != nil {
		b.t.Fatalf("%s %s: %v: %s", method, path, err, answer)
	}
	return answer
}

func (b *bench) enroll() {
	b.t.Helper()
	e := b.machine.Enrolment("boot", map[string]string{"deploy": "custom-agent", "inspect": "agent"})
	var made struct {
		UUID string `json:"uuid"`
	}
	if err := json.Unmarshal(b.call(http.MethodPost, "/v1/nodes", e.Node, http.StatusCreated), &made); err != nil {
		b.t.Fatal(err)
	}
	b.node = "/v1/nodes/" + made.UUID
	for _, port := range e.Ports {
		port["node_uuid"] = made.UUID
		b.call(http.MethodPost, "/v1/ports", port, http.StatusCreated)
	}
	b.order(map[string]any{"target": "manage"})
	b.waitFor("manageable")
}

// order sets the provision target.
func (b *bench) order(body map[string]any) {
	b.t.Helper()
	b.call(http.MethodPut, b.node+"/states/provision", body, http.StatusAccepted)
}

// shown is what the tests read of a node.
type shown struct {
	State     string         `json:"provision_state"`
	LastError string         `json:"last_error"`
	Step      map[string]any `json:"deploy_step"`
}

// failed are the states that nothing goes on from.
var failed = regexp.MustCompile(`failed|^error$`)

// until waits for a condition of the node.
func (b *bench) until(what string, done func(shown) bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	from := b.serial.Length()
	err := ironic.Poll(ctx, 500*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, answer, err := b.ironic.Do(ctx, http.MethodGet, b.node, nil)
		if err != nil {
			return false, err
		}
		var now shown
		if err := json.Unmarshal(answer, &now); err != nil {
			return false, err
		}
		if failed.MatchString(now.State) {
			return false, fmt.Errorf("the node is %s: %s", now.State, now.LastError)
		}
		return done(now), nil
	})
	if err != nil {
		b.t.Fatalf("waiting until %s: %v; the serial line has\n%s", what, err, b.serial.End(from))
	}
}

func (b *bench) waitFor(state string) {
	b.t.Helper()
	b.until("the node is "+state, func(n shown) bool { return n.State == state })
}

// expect waits for the serial line, behind a length, and ends a phase.
func (b *bench) expect(from int, phase, pattern string) []string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	found, err := b.serial.Expect(ctx, from, regexp.MustCompile(pattern))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Log(b.phases.Done(phase))
	return found
}

// ramdiskBoots follows a boot of the ramdisk until its agent runs.
func (b *bench) ramdiskBoots(from int) {
	b.t.Helper()
	b.expect(from, "power on, medium fetched, firmware", `Welcome to GRUB`)
	b.expect(from, "boot loader, kernel", `stage1: ignition: fetch-offline`)
	b.expect(from, "Ignition", `stage1: ignition: finished`)
	b.expect(from, "systemd, network", `Starting (.*ironic-agent.service|Ironic Agent)`)
	if !b.pollAsked() {
		b.t.Fatal("nobody asked the registry for the agent's image")
	}
	b.expect(from, "pull of the agent's image", `Started (.*ironic-agent.service|Ironic Agent)`)
}

// pollAsked waits until the registry was asked for the agent's image.
func (b *bench) pollAsked() bool {
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	return ironic.Poll(ctx, 200*time.Millisecond, func(context.Context) (bool, error) { return b.registry.Asked(), nil }) == nil
}
