package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// keyCounter counts the keys that a user presses. A name typed to confirm counts as one key.
type keyCounter struct {
	*screenConsole
	count int
}

func (p *keyCounter) key(keys ...string) {
	p.count += len(keys)
	p.press(keys...)
}

func (p *keyCounter) name(name string) {
	p.count++
	p.press(name)
}

// TestLabFirstDeployment takes the path of a new user, from `ironworks --lab` to an installed machine, with at most
// 12 keys. It logs how long that takes.
func TestLabFirstDeployment(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	began := time.Now()
	p := &keyCounter{screenConsole: c.screen(size{80, 24}, "--lab")}
	p.within(5*time.Minute, "r7-n04 is available", func() bool { return strings.Contains(p.row("r7-n04"), "available") })
	t.Logf("a machine is available after %v", time.Since(began).Round(time.Second))
	p.key("G") // r7-n04 is the last node until others are installed, which takes the lab 20 seconds
	p.until("❯  r7-n04")
	p.key("d") // opens the page with the failed check
	p.until("Deploy  r7-n04", "[✖ Root disk]", "1 check failed", "/dev/sda", "no hints")
	p.key(terminal.Enter)
	p.until("[✓ Root disk]", "instance_info: {\"serial\":")
	p.key(terminal.Tab, terminal.Tab)
	p.until("First boot]", "no way to log in to the installed system")
	p.key(terminal.Enter)
	p.press(c.file("host.bu", []byte(hostButane)))
	p.key(terminal.Enter, terminal.Tab)
	p.until("Review]", "overwrites  /dev/sda", " unknown · updated just now")
	p.key("D")
	p.until("deploy r7-n04? Type the node name to confirm.", takesTo)
	p.name("r7-n04")
	p.key(terminal.Enter)
	p.gone(takesTo)
	p.within(5*time.Minute, "r7-n04 is installed", func() bool {
		return strings.Contains(p.Text(), "deploy r7-n04: done, now active")
	})
	took := time.Since(began)
	t.Logf("%d keys, %v", p.count, took.Round(time.Second))
	if p.count > 12 {
		t.Errorf("%d keys", p.count)
	}
	p.quits()
}

// TestLabPlanIsSavedAndRead checks that `ironworks deploy -f` reads a plan that the wizard saved, and that saving it
// again keeps comments added to the file.
func TestLabPlanIsSavedAndRead(t *testing.T) {
	t.Parallel()
	c, _ := labUp(t, "--lab-machines", "1", "--lab-speed", "30")
	c.ok("manage", "r7-n01", "--wait", "--timeout", "6m")
	c.ok("inspect", "r7-n01", "--wait", "--timeout", "6m")
	c.ok("provide", "r7-n01", "--wait", "--timeout", "6m")
	plan := filepath.Join(c.home, "plan.yaml")
	s := c.fleet(roomy)
	s.until("available")
	// save saves the plan, waits until the file contains want, and returns the file's content.
	save := func(want string) (text []byte) {
		t.Helper()
		s.press("\x13") // Ctrl-S
		s.until("╭─ Save plan")
		s.press(terminal.CtrlU, plan, terminal.Enter)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		err := ironic.Poll(ctx, 20*time.Millisecond, func(context.Context) (bool, error) {
			text, _ = os.ReadFile(plan) // the file may not exist yet
			return strings.Contains(string(text), want), nil
		})
		if err != nil {
			t.Fatalf("no %q in %s: %v\n%s", want, plan, err, text)
		}
		return text
	}
	s.press("d")
	s.until("Deploy  r7-n01", "1 check failed", "[✖ Root disk]")
	s.until("the agent picks the smallest disk", "enter picks the")
	s.press(terminal.Enter)
	s.until("[✓ Root disk]", "plan hints, written to instance_info")
	text := save("wwn: ")
	if err := os.WriteFile(plan, append([]byte("# of rack 7\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	s.press("o")
	s.until("╭─ Load plan")
	s.press(terminal.Enter)
	s.until("loaded ")
	s.press("z")
	s.until("to properties")
	if text = save("to: properties"); !strings.HasPrefix(string(text), "# of rack 7\n") {
		t.Errorf("%s", text)
	}
	o := c.ok("deploy", "-f", plan, "--dry-run")
	for _, want := range []string{"r7-n01", "deploy overwrites /dev/", `"path":"/properties/root_device"`} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	s.quits()
}
