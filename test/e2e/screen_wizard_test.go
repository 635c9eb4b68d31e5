package e2e

import (
	"strings"
	"testing"
	"time"

	"ironworks/test/terminal"
)

// presses counts what somebody presses: a key is one, and so is a name that has to be
// typed out, for it is on the screen and asked for to be read.
type presses struct {
	*screenConsole
	count int
}

func (p *presses) key(keys ...string) {
	p.count += len(keys)
	p.press(keys...)
}

func (p *presses) name(name string) {
	p.count++
	p.press(name)
}

// TestLabFirstDeployment is a first-time user's path: from ironworks --lab to an
// installed machine, with twelve keys and within a minute.
func TestLabFirstDeployment(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	began := time.Now()
	p := &presses{screenConsole: c.screen(size{80, 24}, "--lab", "--lab-speed", "30")}
	p.until("live ≤")
	p.key("/", "n", "0", "4", terminal.Enter)
	p.within(time.Minute, "r7-n04 is cleaned", func() bool { return strings.Contains(p.row("r7-n04"), "available") })
	t.Logf("a machine is available after %v", time.Since(began).Round(time.Second))
	p.key("d")
	p.until("Deploy  r7-n04", "✖ Root disk", "refused")
	p.key("r") // on to what refuses
	p.until("[✖ Root disk]", "/dev/sda", "no hints")
	p.key(terminal.Enter)
	p.until("[✓ Root disk]", "plan: {\"wwn\":")
	p.key("r") // all the other pages are right
	p.until("▲ Review]", "overwrites  /dev/sda", "with warnings")
	p.key("D")
	p.until("Deploy r7-n04? Type the name to go on.", takesTo)
	p.name("r7-n04")
	p.key(terminal.Enter)
	p.gone(takesTo)
	p.within(time.Minute, "r7-n04 is installed", func() bool {
		return strings.Contains(p.Text(), "deploy r7-n04: done, now active")
	})
	took := time.Since(began)
	t.Logf("%d keys, %v", p.count, took.Round(time.Second))
	if p.count > 12 {
		t.Errorf("%d keys", p.count)
	}
	if took > time.Minute {
		t.Errorf("it took %v", took)
	}
	p.quits()
}
