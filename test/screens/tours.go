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
func console(c *camera) {
	settled := func(lines []string) bool {
		return row(lines, slow, "wait call-back", "install_coreos") && row(lines, failed, "deploy failed") && row(lines, works, "active") &&
			row(lines, ready, "available")
	}
	c.until("the fleet", settled)
	c.press(terminal.Home)
	c.snapWhen("fleet", "the fleet while a deployment runs", func(lines []string) bool {
		return settled(lines) && row(lines, "❯", failed)
	})
	c.sized(80, 24, func() { c.snapWhen("fleet-80x24", "the fleet at 80×24", settled) })
	watching(c)
	deploying(c)
	failure(c)
	asking(c)
	ramdisk(c)
}

// sized calls do while the terminal has the given size.
func (c *camera) sized(width, height int, do func()) {
	before, above := c.screen.Size()
	c.resize(width, height)
	do()
	c.resize(before, above)
}

func (c *camera) resize(width, height int) {
	if c.err == nil {
		c.err = c.screen.Resize(width, height)
	}
}

// goTo opens the palette entry with the given name.
func (c *camera) goTo(name string) {
	c.press(":")
	c.until("the palette", shows("type to filter"))
	c.press(name)
	c.until(name+" in the palette", showsRow("❯", name))
	c.press(terminal.Enter)
}

// open opens the node with the given name through the palette.
func (c *camera) open(node string) {
	c.goTo(node)
	c.until(node, shows("› "+node, "[Overview]"))
}

// watching shows the phases of all nodes and returns to the fleet.
func watching(c *camera) {
	c.press("*")
	c.until("marks", shows("marked"))
	c.press("7")
	c.snapWhen("watch", "running operations", func(lines []string) bool {
		return has(lines, "› watch") && row(lines, slow, "install_coreos") && row(lines, failed, "Deploy step") && row(lines, works, "deployment took")
	})
	c.press("1", "-")
	c.until("the fleet without marks", func(lines []string) bool { return has(lines, "› fleet") && !has(lines, "marked") })
}

// deploying shows a node during its deployment.
func deploying(c *camera) {
	c.open(slow)
	c.snap("node", "a node during its deployment", "[Overview]", "install_coreos", "bmc", "with PXE", "updated just now")
	c.press(terminal.Tab)
	c.sized(100, 16, func() {
		c.snap("timeline", "the phases of a running deployment", "[Timeline]", "boot to ramdisk", "install_coreos")
	})
	c.press(terminal.Tab)
	c.sized(100, 20, func() { c.snap("steps", "the steps of a running deployment", "[Steps]", "deploy.install_coreos") })
}

// failure shows a node with a failed deployment, its explanation and its BMC.
func failure(c *camera) {
	c.open(failed)
	c.snap("failed", "a failed deployment and its reason", "[Overview]", "No suitable device", "bmc", "with PXE", "updated just now")
	c.press("e")
	c.snap("explain", "why a deployment failed, and the next step", "rule no-hinted-device", "❯ enter", "updated just now")
	c.press(terminal.Esc)
	c.until("the node", shows("[Overview]"))
	machine(c)
}

// machine shows the BMC tab of the open node.
func machine(c *camera) {
	c.press(":")
	c.until("the palette", shows("Go to or run"))
	c.press("bmc")
	c.until("the tab in the palette", showsRow("❯", "bmc", "query the machine"))
	c.press(terminal.Enter)
	c.snap("bmc", "the BMC tab of a node", "[BMC]", "Ironic and the BMC", "enter or ctrl+r queries")
}

// asking shows the question that precedes the erasure of disks, and cancels it.
func asking(c *camera) {
	c.open(shared)
	c.until(shared+" was read", shows("updated just now"))
	c.press("P")
	question := "provide " + shared + "?"
	c.snap("confirm", "the confirmation before disks are erased", question, "serial", "esc cancel")
	c.leave(question)
}

// leave closes the dialog that contains the given text.
func (c *camera) leave(text string) {
	c.press(terminal.Esc)
	c.until("leaving "+text, func(lines []string) bool { return !has(lines, text) })
}

// ramdisk shows the form of a ramdisk beside its content.
func ramdisk(c *camera) {
	c.press("6")
	c.sized(140, 40, func() {
		c.snap("ignition", "a ramdisk and its content", "[Form]", "Logins", "you@laptop", "ironic-agent.service")
	})
}

// logging shows the log of a ramdisk until the installer's last line.
func logging(c *camera) {
	c.until("the fleet", showsRow(slow))
	c.open(slow)
	c.press("L")
	c.snapWhen("log", "the log of a ramdisk, live", func(lines []string) bool {
		return has(lines, "[Log]", "following") && matches(lines, `✖ \d\d:\d\d`) && matches(lines, `coreos-installer: Read disk .*%\)`)
	})
}

func matches(lines []string, expression string) bool {
	return slices.ContainsFunc(lines, regexp.MustCompile(expression).MatchString)
}
