package explain

import "slices"

// ramdiskRules are about what keeps a ramdisk from booting or from reaching Ironic, as
// its own log tells, and about ramdisks that are gone.
var ramdiskRules = slices.Concat(pullRules, reachRules, startRules, goneRules)

// bootRule is a rule about an error that keeps a ramdisk's boot in its stage.
func bootRule(id ErrorID, brief, verdict, not string, next Next, source string) Rule {
	return Rule{
		ID: RuleID(id), Errors: []ErrorID{id}, In: waitOrEnded, Confidence: ConfidenceHigh,
		Verdict: verdict, Brief: brief, Not: []string{not}, Next: next, Source: source,
		Evidence: []EvidenceField{evPorts, evBoot, evErrors, evHeartbeat, evWaited, evDeadline, evSiblings},
		Instead:  slices.Concat(unheardRules, []RuleID{"machine-boots", "ramdisk-no-inventory", "no-inventory-yet", "boot-stuck", "boot-silent", RuleID(ErrorLookup), RuleID(ErrorCertificate)}),
	}
}

// buildAgain is the next action where the ramdisk's configuration is wrong.
func buildAgain(text, flags string) Next {
	return Next{Text: text, Key: "ignition", Command: "ironworks ignition build " + flags}
}

var pullRules = []Rule{
	bootRule(ErrorPullTag, "agent image not in the registry", "The registry does not have the agent's image or its tag",
		"the network: the registry answered", buildAgain("Correct the image's name or tag, best with a digest, and build the ramdisk again.", "--image REGISTRY/NAME@sha256:DIGEST"), "podman"),
	bootRule(ErrorPullDenied, "registry refuses the pull", "The registry does not let the ramdisk pull the agent's image",
		"a wrong address: the registry answered", buildAgain("Build the ramdisk with a pull secret that is good for this registry and repository.", "--pull-secret FILE"), "podman"),
	bootRule(ErrorPullClock, "machine clock breaks registry TLS", "The registry's certificate is not valid at the time of the machine's clock",
		"the CA: it is the time that does not fit", buildAgain("Set the clock in the machine's firmware, or give the ramdisk a time server; or renew the certificate.", "--ntp-server HOST"), "podman"),
	bootRule(ErrorPullCA, "registry's CA is not trusted", "The ramdisk does not trust the registry's certificate",
		"the pull secret: it was not asked for yet", buildAgain("Give the ramdisk the CA that signed the registry's certificate, or a certificate with the right name.", "--registry-tls HOST=ca:FILE"), "podman"),
	bootRule(ErrorPullPlain, "registry has no TLS", "The registry speaks plain HTTP, and the ramdisk wants HTTPS",
		"the network: the registry answered", buildAgain("Say that this registry has no TLS.", "--registry-tls HOST=insecure"), "podman"),
	bootRule(ErrorPullName, "registry's name does not resolve", "The machine cannot resolve the registry's name",
		"the registry: it was not asked", buildAgain("Correct the name, use an address, or have DHCP give the machine a DNS server that knows the name.", "--image REGISTRY/NAME"), "podman"),
	bootRule(ErrorPullRefused, "registry refuses connections", "Nothing listens at the registry's address, as the machine reaches it",
		"the machine's network: it reaches the host", buildAgain("Start the registry, or correct its address and port.", "--image REGISTRY/NAME"), "podman"),
	bootRule(ErrorPullRoute, "registry cannot be reached", "The machine does not reach the registry: no route, or a firewall drops what it sends",
		"the image's name or the pull secret: nothing was asked for yet", buildAgain("Open the way from the machine's network to the registry, set a proxy, or use a registry that the machine reaches.", "--https-proxy URL"), "podman"),
	bootRule(ErrorPullSpace, "no space for the agent's image", "The ramdisk has no space left for the agent's image: it is kept in the machine's memory",
		"the machine's disks: a live system does not use them", Next{Text: "Use a smaller image, or a machine with more memory; 4 GiB is little for CoreOS with an agent.", Key: "overview", Command: "ironworks node {node}"}, "podman"),
	bootRule(ErrorPull, "agent image cannot be pulled", "podman cannot pull the agent's image; its line says why",
		"Ironic: the agent has not started", Next{Text: "Read podman's line, and try the pull from the machine's network.", Key: "log", Command: "ironworks logs {node}"}, "podman"),
}

var reachRules = []Rule{
	bootRule(ErrorIronicClock, "machine clock breaks Ironic's TLS", "Ironic's certificate is not valid at the time of the machine's clock",
		"the CA: it is the time that does not fit", buildAgain("Set the clock in the machine's firmware, or give the ramdisk a time server; or renew the certificate.", "--ntp-server HOST"), "ironic_python_agent/ironic_api_client.py"),
	bootRule(ErrorIronicCA, "agent does not trust Ironic", "The agent does not trust Ironic's certificate",
		"the network: Ironic answered", buildAgain("Give the ramdisk the CA that signed Ironic's certificate.", "--ca FILE"), "ironic_python_agent/ironic_api_client.py"),
	bootRule(ErrorIronicName, "Ironic's name does not resolve", "The machine cannot resolve the name of Ironic's host",
		"Ironic: it was not asked", buildAgain("Use an address, or have DHCP give the machine a DNS server that knows the name.", "--host URL"), "ironic_python_agent/ironic_api_client.py"),
	bootRule(ErrorIronicRefused, "nothing listens where agent looks", "Nothing listens at the address where the agent looks for Ironic",
		"the machine's network: it reaches the host", buildAgain("Build the ramdisk with Ironic's address and port as machines reach them.", "--host URL"), "ironic_python_agent/ironic_api_client.py"),
	bootRule(ErrorIronicRoute, "agent does not reach Ironic", "The agent does not reach Ironic: no route, or a firewall drops what it sends",
		"the image or the machine's boot: the agent runs", buildAgain("Open the way from the machine's network to Ironic's API, or build the ramdisk with an address that the machine reaches.", "--host URL"), "ironic_python_agent/ironic_api_client.py"),
	bootRule(ErrorLookupUnknown, "Ironic knows no port with its MACs", "Ironic does not recognize the machine: no port of a node that waits for a ramdisk has one of its MACs",
		"the way to Ironic: it answered", Next{Text: "Compare the MACs in the line with the node's ports, and add the port that is missing.", Key: "network", Command: "baremetal port create MAC --node {node}"}, "ironic/api/controllers/v1/ramdisk.py (404 for unknown MACs, and for nodes in other states)"),
	bootRule(ErrorTokenTaken, "agent's token was already given", "Another ramdisk, or this one before its agent was restarted, has the node's token; Ironic gives it once for each power-on",
		"the network: Ironic answered", Next{Text: "Stop what else boots with this node's MACs. Then try again: with a new power-on there is a new token.", Retry: true}, "ironic_python_agent/agent.py"),
}

var startRules = []Rule{
	bootRule(ErrorNoBootMedium, "machine finds nothing to boot", "The machine finds nothing to boot: the firmware or the live system does not see its medium",
		"the agent or the network: no system has started", Next{Text: "Look whether the BMC has the ISO inserted, can read it by ranges, and boots it in the node's boot mode.", Key: "bmc", Command: "ironworks bmc {node}"}, "the firmware's console; dracut"),
	bootRule(ErrorDamagedMedium, "boot loader cannot read the ISO", "The boot loader cannot read its medium: the ISO is damaged, or was fetched in part",
		"the ramdisk's configuration: no kernel has started", Next{Text: "Compare the ISO's size and checksum at its server with the original, and see how much of it the BMC fetched. Then try again.", Key: "bmc", Command: "ironworks bmc {node}"}, "GRUB"),
	bootRule(ErrorPanic, "kernel panic", "The kernel of the ramdisk panicked: nothing runs any more",
		"the network: a panic is the machine's own", Next{Text: "Read the lines before the panic. Where no root file system is found, compare kernel, initramfs and ISO: they have to be of one build.", Key: "log", Command: "ironworks logs {node}"}, "Linux"),
	bootRule(ErrorIgnitionFetch, "Ignition cannot fetch a file", "Ignition cannot fetch what its configuration refers to, and tries again without end",
		"the machine's boot medium: the system has started", buildAgain("Correct the URL, or make its server reachable from the machine's network.", "--output FILE && ironworks ignition check FILE"), "Ignition"),
	bootRule(ErrorIgnition, "Ignition failed", "Ignition failed: the live system is in its emergency shell",
		"the machine's boot medium: the system has started", buildAgain("Read its line, correct the ramdisk's configuration, and check it.", "--output FILE && ironworks ignition check FILE"), "Ignition"),
	bootRule(ErrorNoDHCP, "no DHCP answer", "The machine gets no address by DHCP",
		"Ironic or the registry: the machine has no network", buildAgain("Have the boot network's DHCP serve the machine's MAC and VLAN, or give the ramdisk a static connection.", "--keyfile FILE"), "NetworkManager"),
	bootRule(ErrorAgentRestarts, "agent's unit fails and restarts", "The agent's unit fails again and again; the log has the reason before each restart",
		"the machine's boot: its system runs", Next{Text: "Read the lines of ironic-agent before a restart.", Key: "log", Command: "ironworks logs {node}"}, "systemd"),
	{
		ID: "boot-stuck", In: waitOrEnded, If: []Condition{ifWaiting, ifNeverCalled, ifBootStuck}, Confidence: ConfidenceMedium,
		Verdict:  "The ramdisk's boot is stuck: {boot}",
		Brief:    "ramdisk's boot is stuck",
		Evidence: []EvidenceField{evBoot, evLastLine, evWaited, evDeadline, evSiblings},
		Not:      []string{"the machine's BMC or boot medium: its system has started"},
		Next:     Next{Text: "Read the last lines of its log.", Key: "log", Command: "ironworks logs {node}"},
		Instead:  append([]RuleID{"machine-boots", "ramdisk-boots"}, unheardRules...),
		Source:   "docs/explain.md",
	},
	{
		ID: "boot-silent", In: waitStates, If: []Condition{ifWaiting, ifNeverCalled, ifLogStopped}, Confidence: ConfidenceMedium,
		Verdict:  "The log of the ramdisk's boot has stopped: the machine hangs, was reset, or has lost its network",
		Brief:    "ramdisk's log has stopped",
		Evidence: []EvidenceField{evBoot, evLastLine, evPower, evBMCPower, evWaited, evDeadline},
		Not:      []string{"certainly the machine: the log may be what was cut off"},
		Next:     Next{Text: "Look at the machine's power and console.", Key: "bmc", Command: "ironworks bmc {node}"},
		Instead:  []RuleID{"machine-boots", "ramdisk-boots", "boot-stuck"},
		Source:   "docs/explain.md",
	},
}

var goneRules = []Rule{
	{
		ID: "agent-gone", In: waitStates, If: []Condition{ifAgentRefuses, ifLogStopped}, Confidence: ConfidenceHigh,
		Verdict:  "The ramdisk is gone: its agent refuses connections, and its log has stopped",
		Brief:    "ramdisk is gone",
		Evidence: []EvidenceField{evAgentAnswer, evLastLine, evHeartbeat, evStep, evPower, evBMCPower, evDeadline},
		Not:      []string{"slow work: an agent answers while it works"},
		Next:     Next{Text: "Look at the machine's power and console: it was switched off, crashed or restarted. Then give up and try again.", Key: "bmc", Command: "ironworks bmc {node}"},
		Instead:  []RuleID{"agent-silent", "agent-refuses", "ramdisk-works", "ramdisk-quiet", "late"},
		Source:   "ironic_python_agent/api/app.py",
	},
	{
		ID: "agent-refuses", In: waitStates, If: []Condition{ifAgentRefuses}, Confidence: ConfidenceMedium,
		Verdict:  "The agent refuses connections, asked from here: the ramdisk has ended, or another machine has its address",
		Brief:    "agent refuses connections",
		Evidence: []EvidenceField{evAgentAnswer, evHeartbeat, evStep, evPower, evBMCPower, evDeadline},
		Not:      []string{"certainly so for Ironic: it may have another way to the agent"},
		Next:     Next{Text: "Look at the machine's power and console, and wait for the next heartbeat: one is due each 90 to 180 s.", Key: "bmc", Command: "ironworks bmc {node}"},
		Instead:  []RuleID{"agent-silent", "ramdisk-works", "ramdisk-quiet"},
		Source:   "ironic_python_agent/api/app.py",
	},
	{
		ID: "agent-cut-off", In: waitStates, If: []Condition{ifAgentAnswers, ifSilent}, Confidence: ConfidenceHigh,
		Verdict:  "The agent runs and answers from here, but Ironic has not heard it for {silence}: the agent does not reach Ironic",
		Brief:    "agent runs, Ironic does not hear it",
		Evidence: []EvidenceField{evAgentAnswer, evHeartbeat, evStep, evLastLine, evDeadline},
		Not:      []string{"a ramdisk that died: it answers"},
		Next:     Next{Text: "Read in its log what its heartbeats meet: a firewall, a certificate, an address that changed.", Key: "log", Command: "ironworks logs {node}"},
		Instead:  []RuleID{"agent-silent"},
		Source:   "ironic_python_agent/agent.py",
	},
	{
		ID: "step-too-long", In: waitStates, If: []Condition{ifMuchLate}, Confidence: ConfidenceMedium,
		Verdict:  "The step has taken more than three times as long as for others",
		Brief:    "step takes 3x as long as others",
		Evidence: []EvidenceField{evEstimate, evStep, evHeartbeat, evLastLine, evWaited, evDeadline},
		Not:      []string{"certainly a hang: a slower disk or image server also takes longer"},
		Next:     Next{Text: "Read the log: if it does not move, give up and try again.", Key: "log", Command: "ironworks logs {node}"},
		Instead:  []RuleID{"late"},
		Source:   "docs/journal.md",
	},
}
