package explain

var stepRules = []Rule{
	newRule("step-unknown", "step unknown to the agent",
		"The agent does not offer the step: the node booted a different ramdisk").
		shows(evStep, evISO, evAgentIs, evSiblings).
		not("wrong arguments: the step did not start").
		next(act("steps", "ironworks set {node} driver_info.deploy_iso=URL", "Boot a ramdisk whose agent offers the step; install_coreos needs the CoreOS ramdisk.")).
		from("ironic/drivers/modules/agent.py, ironic/conductor/steps.py"),
	newRule("step-without-agent", "no agent: a step restarted the machine",
		"No agent was running when the step started: a BIOS, RAID or firmware step restarted the machine, or deploy.deploy is disabled").
		shows(evStep, evISO).
		not("wrong arguments: the step did not start").
		next(act("clean", "ironworks clean {node}", "Run BIOS, RAID and firmware steps in manual cleaning before the deployment.")).
		from("ironic/drivers/modules/agent.py: CustomAgentDeploy.execute_deploy_step; real runs: 39.0.0"),
	newRule("no-installer", "no coreos-installer in the ramdisk",
		"The ramdisk has no coreos-installer: the ramdisk is not a CoreOS live system").
		shows(evISO, evStep).
		not("the disk or the image").
		next(set("driver_info.deploy_iso=URL", "Boot the CoreOS live ISO with the agent's Ignition embedded.")).
		insteadOf("installer-failed").
		from("the install_coreos step"),
	newRule("installer-failed", "coreos-installer failed",
		"coreos-installer failed; the error shows its last line").
		shows(evHints, evStep, evLastLine).
		not("a ramdisk without coreos-installer: the installer ran").
		next(readLog("Read the installer's output in the ramdisk's log: disk, image, Ignition.")).
		from("the install_coreos step"),
	newRule("assisted-agent", "Assisted Installer's agent failed",
		"The Assisted Installer's agent failed on the machine").
		shows(evStep, evLastLine).
		not("root device hints: the Assisted Installer ignores them").
		next(readLog("Read the Assisted Installer's events and the ramdisk's log.")).
		from("the start_assisted_install step"),
	newRule("configdrive-form", "wrong configdrive format",
		"The configdrive has the wrong format; the install_coreos step requires a JSON object").
		shows(evStep).
		not("the Ignition inside: the step did not read it").
		next(act("deploy-wizard", "ironworks deploy {node} --user-data FILE --dry-run", "Pass the user data as a file; ironworks checks and wraps it.")).
		from("ironic/api/controllers/v1/utils.py, the install_coreos step"),
	newRule("configdrive-size", "configdrive too large", "The configdrive is larger than 64 MiB").
		shows(evStep).
		not("the disk").
		next(act("deploy-wizard", "ironworks deploy {node} --user-data FILE --dry-run", "Have the machine download large files instead.")).
		from("ironic_python_agent/partition_utils.py"),
}

var agentRules = []Rule{
	newRule("agent-clock", "clocks differ",
		"The clocks of the machine and the conductor differ, so the agent's certificate is not valid").
		shows(evAgent, evHeartbeat, evSiblings).
		not("a firewall: the agent answered").
		next(again("Set the machine's clock, or configure an NTP server for the ramdisk (ipa-ntp-server), then try again.")).
		insteadOf("agent-certificate", "agent-unreachable", "certificate").
		from("ironic/drivers/modules/agent_client.py"),
	newRule("agent-certificate", "agent certificate not trusted",
		"The conductor does not trust the agent's certificate: duplicate IP address, rebooted ramdisk, or wrong clock").
		sure(ConfidenceMedium).
		shows(evAgent, evHeartbeat, evSiblings).
		not("a firewall: a server answered").
		next(again("Compare the clocks, look for a duplicate IP address, then try again.")).
		insteadOf("agent-unreachable", "certificate").
		from("ironic/drivers/modules/agent_client.py"),
	newRule("agent-unreachable", "agent unreachable",
		"The conductor cannot reach the agent: firewall (port 9999), crashed ramdisk or rebooted machine").
		sure(ConfidenceMedium).
		shows(evAgent, evHeartbeat, evStep, evSiblings).
		not("a machine that did not boot: the agent had called back").
		next(again("Open {agent_url}/v1/status from the conductor's network, then try again.")).
		from("ironic/drivers/modules/agent_client.py"),
	newRule("agent-token", "agent token rejected",
		"Ironic rejected the agent's token: the ramdisk rebooted without Ironic, or two machines claim the node").
		shows(evAgent, evHeartbeat, evState).
		not("the network: the ramdisk reaches Ironic").
		next(again("Give up and try again to issue a new token. Check whether another machine has the same MAC address.")).
		insteadOf(unheardRules...).
		from("ironic/conductor/manager.py, ironic/api/controllers/v1/ramdisk.py"),
	newRule("tls-required", "agent without TLS", "The agent does not use TLS, which Ironic requires").
		shows(evAgentIs, evAgent).
		not("the network: the ramdisk reaches Ironic").
		next(set("driver_info.deploy_iso=URL", "Use a newer ramdisk, or enable TLS in the agent.")).
		insteadOf(unheardRules...).
		from("ironic/conductor/manager.py"),
	newRule("lookup-refused", "unexpected ramdisk rejected",
		"A ramdisk is running on a node without an operation, and Ironic rejects its lookup").
		shows(evState, evPower).
		not("an unknown MAC address: Ironic found the node").
		next(act("power-off", "ironworks power off {node}", "Power off the machine, or start an operation: Ironic boots the ramdisk itself.")).
		insteadOf(unheardRules...).
		from("ironic/api/controllers/v1/ramdisk.py"),
	newRule("lookup", "ramdisk lookup failed",
		"The ramdisk's lookup failed: unknown machine, or Ironic unreachable from the machine").
		shows(evState, evLastLine, evSiblings).
		not("a machine that did not boot: the ramdisk sends lookups").
		next(act("network", "ironworks node {node}", "Compare the MAC addresses in the log with the node's ports, and open Ironic's URL from the machine.")).
		insteadOf(unheardRules...).
		from("ironic_python_agent/ironic_api_client.py"),
	newRule("no-address", "no IP address in the ramdisk",
		"The ramdisk has no IP address: no DHCP answer, or no network configuration").
		shows(evState, evLastLine, evSiblings).
		not("a machine that did not boot: the ramdisk is running").
		next(readLog("Check the DHCP server and the NIC's cable, or configure a static address in the ramdisk.")).
		insteadOf(unheardRules...).
		from("ironic_python_agent/agent.py"),
	newRule("certificate", "certificate not trusted", "A certificate is not trusted; the error names its owner").
		sure(ConfidenceMedium).
		shows(evStep, evBMCAddress, evISO).
		not("an unreachable server: the server answered").
		next(openNode("Give the client named in the error the CA that signed the certificate.")).
		insteadOf(unheardRules...).
		from("Python's ssl"),
}
