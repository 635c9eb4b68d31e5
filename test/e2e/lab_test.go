package e2e

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/journal"
	"ironworks/lab"
	"ironworks/models"
	"ironworks/test/ironic"
)

// running is a program that runs in the background until it is interrupted.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout lockedBuffer
	stderr lockedBuffer
	first  chan string // the first 100 lines of standard output
}

// background starts a command in the background and interrupts it when the test ends.
func (c *console) background(args ...string) *running {
	c.t.Helper()
	r := &running{t: c.t, cmd: c.command(context.Background(), args...), first: make(chan string, 100)}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	r.cmd.Stderr = &r.stderr
	if err := r.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() {
		defer close(r.first)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			_, _ = r.stdout.Write([]byte(lines.Text() + "\n"))
			select {
			case r.first <- lines.Text():
			default:
			}
		}
	}()
	c.t.Cleanup(func() { r.interrupt() })
	return r
}

// line waits for a line of standard output that matches the pattern, and returns its submatches.
func (r *running) line(pattern string) []string {
	r.t.Helper()
	limit := time.NewTimer(4 * time.Minute) // enough for a real Ironic to enroll twelve nodes while nine other tests run
	defer limit.Stop()
	for {
		select {
		case text, open := <-r.first:
			if found := regexp.MustCompile(pattern).FindStringSubmatch(text); found != nil {
				return found
			}
			if !open {
				r.t.Fatalf("%q ended without a line like %s: %s", r.cmd.Args, pattern, r.stderr.String())
			}
		case <-limit.C:
			r.t.Fatalf("no line like %s: %s%s", pattern, r.stdout.String(), r.stderr.String())
		}
	}
}

// says waits up to a minute for text on standard error.
func (r *running) says(text string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := ironic.Poll(ctx, 20*time.Millisecond, func(context.Context) (bool, error) { return strings.Contains(r.stderr.String(), text), nil })
	if err != nil {
		r.t.Fatalf("%q did not print %q: %s", r.cmd.Args, text, r.stderr.String())
	}
}

// when waits up to a minute until wanted returns true. If it never does, the test fails with a message that contains
// what, the name of the missing thing, and wrong, the details.
func (r *running) when(what string, wanted func() bool, wrong *string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := ironic.Poll(ctx, 100*time.Millisecond, func(context.Context) (bool, error) { return wanted(), nil }); err != nil {
		r.t.Fatalf("%q lacks %s: %s\n%s", r.cmd.Args, what, *wrong, r.stderr.String())
	}
}

// interrupt ends the program with SIGINT, as Ctrl-C does, and returns its exit code.
func (r *running) interrupt() int {
	if r.cmd.ProcessState == nil {
		_ = r.cmd.Process.Signal(syscall.SIGINT)
		for range r.first { //nolint:revive // until it has written all
		}
		_ = r.cmd.Wait()
	}
	return r.cmd.ProcessState.ExitCode()
}

// labUp starts `ironworks lab up` with its own Ironic and returns a console that uses it.
func labUp(t *testing.T, args ...string) (*console, *running) {
	t.Helper()
	c := newConsole(t)
	up := c.background(append([]string{"lab", "up"}, args...)...)
	url := up.line(`^export OS_ENDPOINT=(.*)$`)[1]
	return newConsole(t, "OS_AUTH_TYPE=none", "OS_ENDPOINT="+url), up
}

func TestLabUp(t *testing.T) {
	t.Parallel()
	c, up := labUp(t, "--lab-machines", "12", "--lab-speed", "30")
	if names := strings.Fields(c.ok("nodes", "-o", "name").stdout); len(names) != 12 {
		t.Errorf("nodes: %q", names)
	}
	c.ok("manage", "r7-n01", "r7-n02", "--wait", "--timeout", "6m")
	c.ok("inspect", "r7-n01", "--wait", "--timeout", "6m")
	c.ok("provide", "r7-n01", "r7-n02", "--wait", "--timeout", "6m")
	// The machine has three disks and no hints.
	if o := c.fails(3, "deploy", "r7-n01", "--yes"); !strings.Contains(o.stderr, "[root-device] no hints and 3 suitable disks: the agent would pick") {
		t.Errorf("without hints: %s", o.stderr)
	}
	c.ok("hints", "set", "r7-n01", "--disk", "/dev/sda")
	c.ok("deploy", "r7-n01", "--yes", "--wait", "--timeout", "6m")
	if state := c.state("r7-n01"); state != models.StateActive {
		t.Errorf("r7-n01 is %s", state)
	}
	if o := c.fails(3, "deploy", "r7-n02", "--yes"); !strings.Contains(o.stderr, "[inventory]") {
		t.Errorf("not inspected: %s", o.stderr)
	}
	o := c.fails(1, "deploy", "r7-n02", "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", "r7-n02")
	if !strings.Contains(o.stdout, "No suitable device was found") {
		t.Errorf("r7-n02: %s%s", o.stdout, o.stderr)
	}
	if code := up.interrupt(); code != 0 {
		t.Errorf("exit code %d: %s", code, up.stderr.String())
	}
	c.fails(4, "nodes")
	// The journal still has the history after Ironic has stopped.
	o = c.ok("history", "r7-n01")
	for _, want := range []string{"deployment  done in ", "install_coreos ", "sent        deploy: accepted", "inspection  done in "} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in the history:\n%s", want, o.stdout)
		}
	}
	if o := c.ok("history", "r7-n02"); !strings.Contains(o.stdout, "deployment  failed after ") || !strings.Contains(o.stdout, "No suitable device was found") {
		t.Errorf("history: %s", o.stdout)
	}
	info := decode[journal.Info](t, c.ok("journal", "info", "-o", "json"))
	if info.Works.Count < 5 || info.Pictures.Count < info.Works.Count || info.Bytes == 0 {
		t.Errorf("journal: %+v", info)
	}
	asked := c.atTerminal("journal", "prune", "--node", "r7-n02")
	asked.until("delete all records of r7-n02 from ")
	asked.until(")? [y/N] ")
	asked.typeKeys("n\r")
	asked.exits(3)
	if same := decode[journal.Info](t, c.ok("journal", "info", "-o", "json")); same.Works.Count != info.Works.Count {
		t.Errorf("deleted without confirmation: %+v", same)
	}
	c.ok("journal", "prune", "--node", "r7-n02", "--yes")
	if left := decode[journal.Info](t, c.ok("journal", "info", "-o", "json")); left.Works.Count >= info.Works.Count {
		t.Errorf("records of r7-n02 remain: %+v", left)
	}
}

// TestLabScreen runs `ironworks --lab` like a new user. All machines must be listed, every screen must show LAB, and
// no files may remain when the program has ended.
func TestLabScreen(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	began := time.Now()
	s := c.screen(roomy, "--lab", "--lab-speed", "30")
	s.until(" LAB ", "r7-n01", "r7-n12")
	t.Logf("first rows after %v", time.Since(began))
	for _, place := range places() {
		s.pick(":", paletteTitle, place.word)
		s.until(" LAB ", place.shows)
	}
	s.pick(":", paletteTitle, "r7-n02")
	s.until(" LAB ", "› r7-n02")
	resize := func(w, h int) {
		t.Helper()
		if err := s.Resize(w, h); err != nil {
			t.Fatal(err)
		}
	}
	resize(30, 8)
	s.until(" LAB ")
	resize(20, 6)
	s.until("LAB")
	resize(roomy.w, roomy.h)
	s.pick(":", paletteTitle, "fleet")
	s.within(5*time.Minute, "r7-n01 active and r7-n02 failed", func() bool {
		return strings.Contains(s.row("r7-n01"), "active") && strings.Contains(s.row("r7-n02"), "deploy failed")
	})
	s.pick(":", paletteTitle, "connect")
	s.until("› connect", "lab")
	s.quits()
	left, err := filepath.Glob(filepath.Join(c.home, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("leftover files %q, %v", left, err)
	}
}

func TestLabRefusals(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	bad := filepath.Join(c.home, "machines.yaml")
	if err := os.WriteFile(bad, []byte("machines: [{name: a, scenario: wobbly}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"lab"}, "usage: lab up|machines|snapshot|restore|scenarios"},
		{[]string{"lab", "up", "--lab-machines", "0"}, "--lab-machines 0: must be 1 to 10000"},
		{[]string{"lab", "up", "--lab-speed", "0"}, "--lab-speed 0: must be a positive number"},
		{[]string{"lab", "up", "--scenarios", bad}, `unknown scenario "wobbly"; available: ok, slow`},
		{[]string{"lab", "up", "--scenarios", "/nowhere"}, "no such file"},
		{[]string{"lab", "machines", "--count", "10001"}, "--count 10001"},
		{[]string{"lab", "machines", "--bmc", "two"}, `--bmc "two"`},
		{[]string{"lab", "machines", "--clean", "--enrol"}, "--clean cannot be combined with --enrol, --scenarios or --count"},
	} {
		if o := c.fails(2, test.args...); !strings.Contains(o.stderr, test.want) {
			t.Errorf("%q: %s", test.args, o.stderr)
		}
	}
	for _, args := range [][]string{{"--lab", "--url", "http://127.0.0.1:1"}, {"--lab-speed", "3"}, {"--lab", "--lab-machines", "-1"}} {
		s := c.screen(roomy, args...)
		s.when("it refuses", func() bool {
			return s.Contains("cannot be combined") || s.Contains("needs --lab") || s.Contains("must be 1 to")
		})
	}
}

// TestLabMachines uses `ironworks lab machines` to lend lab machines to Ironics outside the lab.
func TestLabMachines(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		file := filepath.Join(c.home, "machines.yaml")
		name := unique("lent")
		if err := os.WriteFile(file, []byte("machines: [{name: "+name+"}, {name: "+name+"-b, scenario: bmc-password}]"), 0o600); err != nil {
			t.Fatal(err)
		}
		machines := newConsole(t).background("lab", "machines", "--ironic-url", server.URL, "--enrol", "--scenarios", file, "--lab-speed", "15")
		machines.line(name + ` .*/redfish/v1/Systems/` + name)
		machines.says("running 2 machines for Ironic at " + server.URL)
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.ok("deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name)
		if o := c.fails(1, "manage", name+"-b", "--wait", "--timeout", "6m"); !strings.Contains(o.stdout, "401") {
			t.Errorf("wrong password: %s%s", o.stdout, o.stderr)
		}
		machines.line("disk installed /dev/sda: CoreOS")
		if again := newConsole(t).failsWithOutput(1, "lab", "machines", "--ironic-url", server.URL, "--enrol", "--scenarios", file); !strings.Contains(again, "--clean deletes the nodes of an earlier lab") {
			t.Errorf("second lab: %s", again)
		}
		if code := machines.interrupt(); code != 0 || !strings.Contains(machines.stderr.String(), "lab machines --clean deletes the nodes") {
			t.Errorf("exit code %d: %s", code, machines.stderr.String())
		}
		// --clean must keep nodes that do not belong to the lab.
		other := nodeOutsideLab(t, server)
		c.ok("lab", "machines", "--clean")
		if o := c.run("node", name); o.code == 0 {
			t.Errorf("%s still exists", name)
		}
		c.ok("node", other)
	})
}

// failsWithOutput is like fails, but returns standard output and standard error as one string.
func (c *console) failsWithOutput(code int, args ...string) string {
	c.t.Helper()
	o := c.fails(code, args...)
	return o.stdout + o.stderr
}

// nodeOutsideLab creates a node that does not belong to a lab and returns its name.
func nodeOutsideLab(t *testing.T, server *ironic.Server) string {
	t.Helper()
	name := unique("stays")
	server.CreateNode(t, map[string]any{"name": name})
	return name
}

// TestBaremetalCommandLine drives the lab with python-ironicclient's `baremetal` command.
func TestBaremetalCommandLine(t *testing.T) {
	t.Parallel()
	c, _ := labUp(t, "--lab-speed", "30")
	program := ironic.Program(t, "baremetal")
	run := func(args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env = c.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("baremetal %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	uuid := strings.TrimSpace(run("node", "show", "r7-n04", "-f", "value", "-c", "uuid"))
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"node", "list"}, "r7-n12"},
		{[]string{"driver", "list"}, "redfish"},
		{[]string{"conductor", "list"}, "localhost"},
		{[]string{"node", "manage", "r7-n04", "--wait", "60"}, ""},
		{[]string{"node", "inspect", "r7-n04", "--wait", "60"}, ""},
		{[]string{"node", "inventory", "save", "r7-n04"}, "INTEL SSDSC2KB48"},
		{[]string{"node", "validate", "r7-n04"}, "power"},
		{[]string{"node", "provide", "r7-n04", "--wait", "60"}, ""},
		{[]string{"node", "set", "r7-n04", "--instance-info", `root_device={"rotational": false}`, "--property", "x=y"}, ""},
		{[]string{"node", "add", "trait", "r7-n04", "CUSTOM_LAB"}, "CUSTOM_LAB"},
		{[]string{"node", "deploy", "r7-n04", "--wait", "120", "--deploy-steps", `[{"interface": "deploy", "step": "install_coreos", "args": {}, "priority": 80}]`}, ""},
		{[]string{"node", "show", "r7-n04"}, "active"},
		{[]string{"node", "history", "list", "r7-n04"}, "install_coreos"},
		{[]string{"node", "reboot", "r7-n04"}, ""},
		{[]string{"node", "undeploy", "r7-n04", "--wait", "120"}, ""},
		{[]string{"node", "maintenance", "set", "r7-n04", "--reason", "a fan"}, ""},
		{[]string{"node", "show", "r7-n04", "-f", "value", "-c", "maintenance_reason"}, "a fan"},
		{[]string{"port", "list", "--node", "r7-n04"}, "52:54:"},
		{[]string{"port", "group", "create", "--node", uuid, "--name", "bond0"}, "bond0"},
		{[]string{"node", "create", "--driver", "fake-hardware", "--name", "mine"}, "mine"},
		{[]string{"allocation", "create", "--resource-class", "gp-9x", "--name", "wish"}, "wish"},
		{[]string{"deploy", "template", "create", "CUSTOM_RAID", "--steps", `[{"interface": "deploy", "step": "erase_devices_metadata", "args": {}, "priority": 90}]`}, "CUSTOM_RAID"},
		{[]string{"node", "delete", "mine"}, ""},
	} {
		if out := run(step.args...); !strings.Contains(out, step.want) {
			t.Errorf("baremetal %q: no %q in\n%s", step.args, step.want, out)
		}
	}
}

// TestLabScenarios checks that every scenario is listed with its summary.
func TestLabScenarios(t *testing.T) {
	t.Parallel()
	o := newConsole(t).ok("lab", "scenarios")
	for _, s := range lab.Scenarios() {
		if !strings.Contains(o.stdout, s.Name) || !strings.Contains(o.stdout, s.Summary) {
			t.Errorf("%s is missing: %s", s.Name, o.stdout)
		}
	}
}
