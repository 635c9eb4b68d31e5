package main

import (
	"regexp"
	"slices"

	"ironworks/test/terminal"
)

// tours are all pictures there are.
var tours = []tour{
	{width: 100, height: 30, visit: console},
	{width: 120, height: 40, visit: logging},
	{width: 100, height: 28, visit: film},
}

// The machines of the lab's cast that the pictures show.
const (
	slow   = "r7-n11" // installs for long enough to be looked at
	works  = "r7-n01"
	failed = "r7-n02" // its root device hints match no disk
	ready  = "r7-n04"
	shared = "r7-n09" // one of its disks is the disk of another machine too
)

// console shows most of the console. It begins when the slow machine installs: by then
// the others have come to where they rest.
func console(c *camera) error {
	settled := func(lines []string) bool {
		return row(lines, slow, "wait call-back", "install_coreos") && row(lines, failed, "deploy failed") && row(lines, works, "active") &&
			row(lines, ready, "available")
	}
	if err := c.until("the fleet", settled); err != nil {
		return err
	}
	c.screen.Type(terminal.Home)
	if err := c.snapWhen("fleet", "the fleet while a deployment runs", func(lines []string) bool {
		return settled(lines) && row(lines, "❯", failed)
	}); err != nil {
		return err
	}
	if err := c.sized(80, 24, func() error {
		return c.snapWhen("fleet-80x24", "the fleet at a terminal of 80 by 24", settled)
	}); err != nil {
		return err
	}
	for _, show := range []func(*camera) error{watching, deploying, failure, asking, ramdisk} {
		if err := show(c); err != nil {
			return err
		}
	}
	return nil
}

// sized gives the terminal another size for a while.
func (c *camera) sized(width, height int, do func() error) error {
	before, above := c.screen.Size()
	if err := c.screen.Resize(width, height); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return c.screen.Resize(before, above)
}

// goTo goes to what the palette has under a name.
func (c *camera) goTo(name string) error {
	c.screen.Type(":")
	if err := c.until("the palette", func(lines []string) bool { return has(lines, "type to filter") }); err != nil {
		return err
	}
	c.screen.Type(name)
	if err := c.until(name+" in the palette", func(lines []string) bool { return row(lines, "❯", name) }); err != nil {
		return err
	}
	c.screen.Type(terminal.Enter)
	return nil
}

// open goes to a node by its name.
func (c *camera) open(node string) error {
	if err := c.goTo(node); err != nil {
		return err
	}
	return c.until(node, func(lines []string) bool { return has(lines, "› "+node, "[Overview]") })
}

// watching shows the phases of all nodes, and goes back to the fleet.
func watching(c *camera) error {
	c.screen.Type("*")
	if err := c.until("marks", func(lines []string) bool { return has(lines, "marked") }); err != nil {
		return err
	}
	c.screen.Type("7")
	if err := c.snapWhen("watch", "work under way", func(lines []string) bool {
		return has(lines, "› watch") && row(lines, slow, "install_coreos") && row(lines, failed, "Deploy step") && row(lines, works, "deployment took")
	}); err != nil {
		return err
	}
	c.screen.Type("1", "-")
	return c.until("the fleet without marks", func(lines []string) bool { return has(lines, "› fleet") && !has(lines, "marked") })
}

// deploying shows a node that is being deployed.
func deploying(c *camera) error {
	if err := c.open(slow); err != nil {
		return err
	}
	if err := c.snap("node", "a node while it is deployed", "[Overview]", "install_coreos", "bmc", "with PXE", "updated just now"); err != nil {
		return err
	}
	c.screen.Type(terminal.Tab)
	if err := c.sized(100, 16, func() error {
		return c.snap("timeline", "the phases of a deployment that goes on", "[Timeline]", "boot to ramdisk", "install_coreos")
	}); err != nil {
		return err
	}
	c.screen.Type(terminal.Tab)
	return c.sized(100, 20, func() error {
		return c.snap("steps", "the steps of a deployment that goes on", "[Steps]", "deploy.install_coreos")
	})
}

// failure shows a node whose deployment failed, and what can be done with it.
func failure(c *camera) error {
	if err := c.open(failed); err != nil {
		return err
	}
	if err := c.snap("failed", "a deployment that failed, and why", "[Overview]", "No suitable device", "bmc", "with PXE", "updated just now"); err != nil {
		return err
	}
	c.screen.Type("e")
	if err := c.snap("explain", "why a deployment failed, and what is to be done next", "rule no-hinted-device", "❯ enter", "updated just now"); err != nil {
		return err
	}
	c.screen.Type(terminal.Esc)
	if err := c.until("the node", func(lines []string) bool { return has(lines, "[Overview]") }); err != nil {
		return err
	}
	return machine(c)
}

// machine shows what the BMC of the node that is open says.
func machine(c *camera) error {
	c.screen.Type(":")
	if err := c.until("the palette", func(lines []string) bool { return has(lines, "Go to or run") }); err != nil {
		return err
	}
	c.screen.Type("bmc")
	if err := c.until("the tab in the palette", func(lines []string) bool { return row(lines, "❯", "bmc", "query the machine") }); err != nil {
		return err
	}
	c.screen.Type(terminal.Enter)
	return c.snap("bmc", "what a machine's BMC says, and what Ironic believes", "[BMC]", "Ironic and the BMC", "enter or ctrl+r queries")
}

// asking shows what is asked before disks are erased. Nothing is answered.
func asking(c *camera) error {
	if err := c.open(shared); err != nil {
		return err
	}
	if err := c.until(shared+" was read", func(lines []string) bool { return has(lines, "updated just now") }); err != nil {
		return err
	}
	c.screen.Type("P")
	question := "provide " + shared + "?"
	if err := c.snap("confirm", "what is shown before disks are erased", question, "serial", "esc cancel"); err != nil {
		return err
	}
	return c.leave(question)
}

// leave takes a dialog away.
func (c *camera) leave(text string) error {
	c.screen.Type(terminal.Esc)
	return c.until("leaving "+text, func(lines []string) bool { return !has(lines, text) })
}

// ramdisk shows the form of a ramdisk beside what is made of it.
func ramdisk(c *camera) error {
	c.screen.Type("6")
	return c.sized(140, 40, func() error {
		return c.snap("ignition", "a ramdisk, and what is in it", "[Form]", "Logins", "you@laptop", "ironic-agent.service")
	})
}

// logging shows the log of a ramdisk from its first line to the installer's last one.
func logging(c *camera) error {
	if err := c.until("the fleet", func(lines []string) bool { return row(lines, slow) }); err != nil {
		return err
	}
	if err := c.open(slow); err != nil {
		return err
	}
	c.screen.Type("L")
	return c.snapWhen("log", "what a ramdisk writes, live", func(lines []string) bool {
		return has(lines, "[Log]", "following") && matches(lines, `✖ \d\d:\d\d`) && matches(lines, `coreos-installer: Read disk .*%\)`)
	})
}

func matches(lines []string, expression string) bool {
	return slices.ContainsFunc(lines, regexp.MustCompile(expression).MatchString)
}
