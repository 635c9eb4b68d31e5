package ignition

import (
	"fmt"
	"strings"
)

// greetingTexts holds the variable parts of the messages that users see on the console and after they log in.
type greetingTexts struct {
	builtin bool
	// agent is the container image, or the path of the builtin agent program.
	urls, agent, hostname string
}

// greeting returns the files that contain two messages: one for the console, and one that users see after they log
// in. The messages contain no secrets.
func (r Ramdisk) greeting(urls []string) []RamdiskFile {
	texts := greetingTexts{urls: strings.Join(urls, ", "), agent: r.Image, hostname: r.Hostname}
	if r.builtin() {
		texts.builtin, texts.agent = true, AgentProgramPath
	}
	return texts.files(true)
}

func (g greetingTexts) files(overwrite bool) []RamdiskFile {
	name, place := "ironic-python-agent", " in a container"
	if g.builtin {
		name, place = "ironworks-agent", ""
	}
	issue := "\nIronic ramdisk: " + name + " is running on this machine.\nThis is not an installed system and not a cluster node.\n\n"
	var motd strings.Builder
	motd.WriteString("\nThis is the Ironic ramdisk. " + name + " runs here" + place + ",\n" +
		"as the unit " + agentUnitName + "; all data on this system is lost on reboot.\n" +
		"Do not restart the unit: Ironic gives the agent its token once for each boot.\n\n")
	fmt.Fprintf(&motd, "  Ironic     %s\n  agent      %s\n", g.urls, g.agent)
	if g.hostname != "" {
		fmt.Fprintf(&motd, "  hostname   %s\n", g.hostname)
	}
	motd.WriteString("\n  journalctl -u " + agentUnitName + "    the agent's log\n" +
		"  nmcli device                           the network\n\n")
	return []RamdiskFile{
		{Path: issuePath, Mode: 0o644, Overwrite: overwrite, Content: []byte(issue)},
		{Path: motdPath, Mode: 0o644, Overwrite: overwrite, Content: []byte(motd.String())},
	}
}
