package explain

import "slices"

// ramdiskRules cover errors in the ramdisk's own log that prevent it from booting or from reaching Ironic, and
// ramdisks that are no longer running.
var ramdiskRules = slices.Concat(pullRules, reachRules, startRules, goneRules)

// bootRule returns a rule for an error that blocks a ramdisk's boot.
func bootRule(id RuleID, brief, verdict, not string, next Next, source string) Rule {
	return newRule(id, brief, verdict).
		in(waitOrEnded...).
		shows(evPorts, evBoot, evErrors, evHeartbeat, evWaited, evDeadline, evSiblings).
		not(not).
		next(next).
		insteadOf(append(slices.Clone(unheardRules), "machine-boots", "ramdisk-no-inventory", "no-inventory-yet", "boot-stuck", "boot-silent", "lookup", "certificate")...).
		from(source)
}

func buildAgain(text, flags string) Next {
	return act("ignition", "ironworks ignition build "+flags, text)
}

var pullRules = []Rule{
	bootRule("pull-unknown-image", "agent image not in registry", "The registry does not have the agent's image or tag",
		"the network: the registry answered", buildAgain("Correct the image name or tag (best: a digest), and rebuild the ramdisk.", "--image REGISTRY/NAME@sha256:DIGEST"), "podman"),
	bootRule("pull-unauthorized", "registry denied the pull", "The registry denied the ramdisk access to the agent's image",
		"a wrong URL: the registry answered", buildAgain("Rebuild the ramdisk with a valid pull secret for this registry and repository.", "--pull-secret FILE"), "podman"),
	bootRule("pull-clock", "machine clock breaks registry TLS", "The registry's certificate is not valid at the time shown by the machine's clock",
		"the CA: only the clock is wrong", buildAgain("Set the clock in the machine's firmware, configure an NTP server in the ramdisk, or renew the certificate.", "--ntp-server HOST"), "podman"),
	bootRule("pull-unknown-ca", "registry CA not trusted", "The ramdisk does not trust the registry's certificate",
		"the pull secret: the registry has not requested it yet", buildAgain("Give the ramdisk the CA of the registry's certificate, or correct the certificate's name.", "--registry-tls HOST=ca:FILE"), "podman"),
	bootRule("pull-no-tls", "registry without TLS", "The registry serves plain HTTP, but the ramdisk expects HTTPS",
		"the network: the registry answered", buildAgain("Mark this registry as insecure (no TLS).", "--registry-tls HOST=insecure"), "podman"),
	bootRule("pull-name", "registry name not resolved", "The machine cannot resolve the registry's name",
		"the registry: no request was sent", buildAgain("Correct the name, use an IP address, or let DHCP assign a DNS server that knows the name.", "--image REGISTRY/NAME"), "podman"),
	bootRule("pull-refused", "registry refused connection", "No server listens at the registry's address",
		"the machine's network: the host is reachable", buildAgain("Start the registry, or correct its address and port.", "--image REGISTRY/NAME"), "podman"),
	bootRule("pull-unreachable", "registry unreachable", "The machine cannot reach the registry: no route, or blocked by a firewall",
		"the image name and the pull secret: no request has been sent yet", buildAgain("Allow traffic from the machine's network to the registry, set a proxy, or use a reachable registry.", "--https-proxy URL"), "podman"),
	bootRule("pull-no-space", "no space for the agent image", "The ramdisk has no space for the agent's image, which is stored in the machine's memory",
		"the machine's disks: the live system does not use them", openNode("Use a smaller image or a machine with more memory; 4 GiB is barely enough for CoreOS and the agent."), "podman"),
	bootRule("pull-failed", "agent image pull failed", "podman cannot pull the agent's image; its log line shows the reason",
		"Ironic: the agent has not started", readLog("Read podman's log line, and try the pull from the machine's network."), "podman"),
}

var reachRules = []Rule{
	bootRule("ironic-clock", "machine clock breaks Ironic's TLS", "Ironic's certificate is not valid at the time shown by the machine's clock",
		"the CA: only the clock is wrong", buildAgain("Set the clock in the machine's firmware, configure an NTP server in the ramdisk, or renew the certificate.", "--ntp-server HOST"), "ironic_python_agent/ironic_api_client.py"),
	bootRule("ironic-unknown-ca", "Ironic's CA not trusted", "The agent does not trust Ironic's certificate",
		"the network: Ironic answered", buildAgain("Give the ramdisk the CA of Ironic's certificate.", "--ca FILE"), "ironic_python_agent/ironic_api_client.py"),
	bootRule("ironic-name", "Ironic's name not resolved", "The machine cannot resolve the host name of Ironic",
		"Ironic: no request was sent", buildAgain("Use an IP address, or let DHCP assign a DNS server that knows the name.", "--host URL"), "ironic_python_agent/ironic_api_client.py"),
	bootRule("ironic-refused", "Ironic refused connection", "No server listens at the Ironic URL configured in the agent",
		"the machine's network: the host is reachable", buildAgain("Rebuild the ramdisk with the Ironic URL that machines can reach.", "--host URL"), "ironic_python_agent/ironic_api_client.py"),
	bootRule("ironic-unreachable", "Ironic unreachable for the agent", "The agent cannot reach Ironic: no route, or blocked by a firewall",
		"the image and the boot: the agent is running", buildAgain("Allow traffic from the machine's network to Ironic's API, or rebuild the ramdisk with a reachable URL.", "--host URL"), "ironic_python_agent/ironic_api_client.py"),
	bootRule("lookup-unknown", "no port with the machine's MACs", "Ironic does not recognize the machine: no waiting node has a port with one of its MAC addresses",
		"the network: Ironic answered", act("network", "baremetal port create MAC --node {node}", "Compare the MAC addresses in the log with the node's ports, and create the missing port."), "ironic/api/controllers/v1/ramdisk.py (404 for unknown MACs, and for nodes in other states)"),
	bootRule("token-taken", "agent token already issued", "Another ramdisk, or this agent before it restarted, already holds the node's token; Ironic issues one token per power-on",
		"the network: Ironic answered", again("Stop other machines with this node's MAC addresses. Then try again: a new power-on issues a new token."), "ironic_python_agent/agent.py"),
}

var startRules = []Rule{
	bootRule("no-boot-medium", "no bootable medium", "The machine found no bootable medium",
		"the agent and the network: no system has started", queryBMC("Check that the BMC has the ISO inserted, can read it with range requests, and boots in the node's boot mode."), "the firmware's console; dracut"),
	bootRule("boot-medium-damaged", "boot loader cannot read the ISO", "The boot loader cannot read its medium: damaged ISO or incomplete download",
		"the ramdisk's configuration: no kernel has started", queryBMC("Compare the ISO's size and checksum on the server with the original, and check how much the BMC downloaded. Then try again."), "GRUB"),
	bootRule("kernel-panic", "kernel panic", "The ramdisk's kernel panicked",
		"the network: a kernel panic is local", readLog("Read the lines before the panic. If no root file system was found, check that kernel, initramfs and ISO are from the same build."), "Linux"),
	bootRule("ignition-fetch", "Ignition cannot fetch a file", "Ignition cannot fetch a file named in its configuration and retries forever",
		"the boot medium: the system has started", buildAgain("Correct the URL, or make the server reachable from the machine's network.", "--output FILE && ironworks ignition check FILE"), "Ignition"),
	bootRule("ignition-failed", "Ignition failed", "Ignition failed: the live system is in its emergency shell",
		"the boot medium: the system has started", buildAgain("Read Ignition's log line, then correct and check the ramdisk's configuration.", "--output FILE && ironworks ignition check FILE"), "Ignition"),
	bootRule("no-dhcp", "no DHCP answer", "The machine gets no address from DHCP",
		"Ironic or the registry: the machine has no network", buildAgain("Configure DHCP for the machine's MAC address and VLAN, or give the ramdisk a static address.", "--keyfile FILE"), "NetworkManager"),
	bootRule("agent-restarts", "agent unit restarts", "The agent's unit fails repeatedly; the log shows the reason before each restart",
		"the boot: the system is running", readLog("Read the log lines of ironic-agent before a restart."), "systemd"),
	newRule("boot-stuck", "ramdisk boot is stuck", "The ramdisk is stuck while booting: {boot}").
		sure(ConfidenceMedium).
		in(waitOrEnded...).
		when(ifWaiting, ifNeverCalled, ifBootStuck).
		shows(evBoot, evLastLine, evWaited, evDeadline, evSiblings).
		not("the BMC and the boot medium: the system has started").
		next(readLog("Read the last lines of the log.")).
		insteadOf(append([]RuleID{"machine-boots", "ramdisk-boots"}, unheardRules...)...).
		from("docs/reference/explain.md"),
	newRule("boot-silent", "ramdisk log stopped",
		"The ramdisk's log stopped during boot: hang, reset or lost network").
		sure(ConfidenceMedium).
		in(waitStates...).
		when(ifWaiting, ifNeverCalled, ifLogStopped).
		shows(evBoot, evLastLine, evPower, evBMCPower, evWaited, evDeadline).
		not("proof of a machine fault: only the log connection may be lost").
		next(queryBMC("Check the machine's power state and console.")).
		insteadOf("machine-boots", "ramdisk-boots", "boot-stuck").
		from("docs/reference/explain.md"),
}

var goneRules = []Rule{
	newRule("agent-gone", "ramdisk is gone",
		"The ramdisk is gone: the agent refuses connections and the log stopped").
		in(waitStates...).
		when(ifAgentRefuses, ifLogStopped).
		shows(evAgentAnswer, evLastLine, evHeartbeat, evStep, evPower, evBMCPower, evDeadline).
		not("a slow step: a busy agent still answers").
		next(queryBMC("Check the machine's power state and console for a power-off, crash or restart. Then give up and try again.")).
		insteadOf("agent-silent", "agent-refuses", "ramdisk-works", "ramdisk-quiet", "late").
		from("ironic_python_agent/api/app.py"),
	newRule("agent-refuses", "agent refuses connections",
		"The agent refuses connections from this console: the ramdisk stopped, or another machine has its IP address").
		sure(ConfidenceMedium).
		in(waitStates...).
		when(ifAgentRefuses).
		shows(evAgentAnswer, evHeartbeat, evStep, evPower, evBMCPower, evDeadline).
		not("the conductor's route: the conductor may reach the agent over another network").
		next(queryBMC("Check the machine's power state and console, and wait for the next heartbeat (every 90 to 180 s).")).
		insteadOf("agent-silent", "ramdisk-works", "ramdisk-quiet").
		from("ironic_python_agent/api/app.py"),
	newRule("agent-cut-off", "agent up, heartbeats missing",
		"The agent answers this console, but its last heartbeat is {silence} old: the agent cannot reach Ironic").
		in(waitStates...).
		when(ifAgentAnswers, ifSilent).
		shows(evAgentAnswer, evHeartbeat, evStep, evLastLine, evDeadline).
		not("a crashed ramdisk: the agent answers").
		next(readLog("Check the heartbeat errors in the log: firewall, certificate, changed address.")).
		insteadOf("agent-silent").
		from("ironic_python_agent/agent.py"),
	newRule("step-too-long", "step takes 3× the usual time",
		"The step has taken over three times the usual duration").
		sure(ConfidenceMedium).
		in(waitStates...).
		when(ifMuchLate).
		shows(evEstimate, evStep, evHeartbeat, evLastLine, evWaited, evDeadline).
		not("proof of a hang: a slow disk or image server also takes longer").
		next(readLog("Read the log. If no new lines appear, give up and try again.")).
		insteadOf("late").
		from("docs/reference/journal.md"),
}
