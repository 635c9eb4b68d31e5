package main

import (
	"regexp"
	"slices"

	"ironworks/test/terminal"
)

// tours lists the tours, which together take all pictures.
var tours = []tour{
	{width: 100, height: 30, visit: console},
	{width: 120, height: 40, visit: logging},
	{width: 100, height: 28, visit: film, develop: develop},
}

// The machines of the lab that the pictures show.
const (
	slow   = "r7-n11" // a machine that installs for long enough to be shown
	works  = "r7-n01"
	failed = "r7-n02" // a machine whose root device hints match no disk
	ready  = "r7-n04"
	shared = "r7-n09" // a machine that shares one of its disks with another one
)

// console takes pictures of most screens. It starts when the slow machine begins to install, because by then the
// others have reached their final states.
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
		return c.snapWhen("fleet-80x24", "the fleet at 80×24", settled)
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

// sized resizes the terminal, calls do and, if do succeeds, restores the size.
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

// goTo opens the palette entry with the given name.
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

// open opens the node with the given name through the palette.
func (c *camera) open(node string) error {
	if err := c.goTo(node); err != nil {
		return err
	}
	return c.until(node, func(lines []string) bool { return has(lines, "› "+node, "[Overview]") })
}

// watching shows the phases of all nodes and returns to the fleet.
func watching(c *camera) error {
	c.screen.Type("*")
	if err := c.until("marks", func(lines []string) bool { return has(lines, "marked") }); err != nil {
		return err
	}
	c.screen.Type("7")
	if err := c.snapWhen("watch", "running operations", func(lines []string) bool {
		return has(lines, "› watch") && row(lines, slow, "install_coreos") && row(lines, failed, "Deploy step") && row(lines, works, "deployment took")
	}); err != nil {
		return err
	}
	c.screen.Type("1", "-")
	return c.until("the fleet without marks", func(lines []string) bool { return has(lines, "› fleet") && !has(lines, "marked") })
}

// deploying shows a node during its deployment.
func deploying(c *camera) error {
	if err := c.open(slow); err != nil {
		return err
	}
	if err := c.snap("node", "a node during its deployment", "[Overview]", "install_coreos", "bmc", "with PXE", "updated just now"); err != nil {
		return err
	}
	c.screen.Type(terminal.Tab)
	if err := c.sized(100, 16, func() error {
		return c.snap("timeline", "the phases of a running deployment", "[Timeline]", "boot to ramdisk", "install_coreos")
	}); err != nil {
		return err
	}
	c.screen.Type(terminal.Tab)
	return c.sized(100, 20, func() error {
		return c.snap("steps", "the steps of a running deployment", "[Steps]", "deploy.install_coreos")
	})
}

// failure shows a node with a failed deployment, its explanation and its BMC.
func failure(c *camera) error {
	if err := c.open(failed); err != nil {
		return err
	}
	if err := c.snap("failed", "a failed deployment and its reason", "[Overview]", "No suitable device", "bmc", "with PXE", "updated just now"); err != nil {
		return err
	}
	c.screen.Type("e")
	if err := c.snap("explain", "why a deployment failed, and the next step", "rule no-hinted-device", "❯ enter", "updated just now"); err != nil {
		return err
	}
	c.screen.Type(terminal.Esc)
	if err := c.until("the node", func(lines []string) bool { return has(lines, "[Overview]") }); err != nil {
		return err
	}
	return machine(c)
}

// machine shows the BMC tab of the open node.
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
	return c.snap("bmc", "the BMC tab of a node", "[BMC]", "Ironic and the BMC", "enter or ctrl+r queries")
}

// asking shows the question that precedes the erasure of disks, and cancels it.
func asking(c *camera) error {
	if err := c.open(shared); err != nil {
		return err
	}
	if err := c.until(shared+" was read", func(lines []string) bool { return has(lines, "updated just now") }); err != nil {
		return err
	}
	c.screen.Type("P")
	question := "provide " + shared + "?"
	if err := c.snap("confirm", "the confirmation before disks are erased", question, "serial", "esc cancel"); err != nil {
		return err
	}
	return c.leave(question)
}

// leave closes the dialog that contains text.
func (c *camera) leave(text string) error {
	c.screen.Type(terminal.Esc)
	return c.until("leaving "+text, func(lines []string) bool { return !has(lines, text) })
}

// ramdisk shows the form of a ramdisk beside its content.
func ramdisk(c *camera) error {
	c.screen.Type("6")
	return c.sized(140, 40, func() error {
		return c.snap("ignition", "a ramdisk and its content", "[Form]", "Logins", "you@laptop", "ironic-agent.service")
	})
}

// logging shows the log of a ramdisk until the installer's last line.
func logging(c *camera) error {
	if err := c.until("the fleet", func(lines []string) bool { return row(lines, slow) }); err != nil {
		return err
	}
	if err := c.open(slow); err != nil {
		return err
	}
	c.screen.Type("L")
	return c.snapWhen("log", "the log of a ramdisk, live", func(lines []string) bool {
		return has(lines, "[Log]", "following") && matches(lines, `✖ \d\d:\d\d`) && matches(lines, `coreos-installer: Read disk .*%\)`)
	})
}

func matches(lines []string, expression string) bool {
	return slices.ContainsFunc(lines, regexp.MustCompile(expression).MatchString)
}
