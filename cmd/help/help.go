// Package help contains the help texts of all commands.
package help

import (
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models/filter"
)

// Add sets the help of a command and of the commands below it.
func Add(cmd *cobra.Command) {
	for _, topic := range Topics() {
		if text, there := topic[cmd.CommandPath()]; there {
			setHelp(cmd, text)
		}
	}
	for _, sub := range cmd.Commands() {
		Add(sub)
	}
}

// setHelp sets the help of a command. The first line of the text is a summary of at most 60 characters. A paragraph
// and the examples follow. Each example is on a line that begins with "$ ", and works in a lab started with ironworks
// lab up.
func setHelp(cmd *cobra.Command, text string) {
	summary, rest, _ := strings.Cut(text, "\n")
	long, examples, _ := strings.Cut(rest, "\n$ ")
	cmd.Short, cmd.Long = summary, strings.ReplaceAll(long, "{filter keys}", cli.Wrapped(strings.Join(filter.Keys(), ", "), 100, 6))
	cmd.Example = "  " + strings.ReplaceAll(examples, "\n$ ", "\n  ")
}

// Topics returns the help texts of all topics. Each map is keyed by command path.
func Topics() []map[string]string {
	return []map[string]string{
		generalHelpTexts, actHelpTexts, portHelpTexts, ruleHelpTexts, stepFileHelpTexts, hardwareHelpTexts, ignitionHelpTexts,
		machineHelpTexts, agentHelpTexts,
	}
}

var generalHelpTexts = map[string]string{
	"ironworks": `Terminal console for bare metal under OpenStack Ironic
ironworks shows the nodes of OpenStack Ironic live, and inspects, deploys, cleans and repairs them.
Without a command it opens the full-screen console; with a FILE (Butane or Ignition), the console opens
with the check of that file.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused before anything was sent, 4 cannot connect,
143 terminated by SIGTERM.
$ ironworks --lab
$ ironworks --url http://127.0.0.1:6385 --read-only
$ ironworks nodes state:failed`,

	"ironworks enroll": `Enroll nodes from a file or from BMC addresses
Compare a file of nodes, or machines found at BMC addresses, with the nodes that Ironic has, and create or
change what differs. The comparison is shown first; nothing is ever deleted. Nodes are matched by UUID, name,
BMC address, MAC address and serial number.

Formats, detected by content: baremetal (baremetal create), bifrost, bifrost-csv, instackenv (TripleO),
csv (spreadsheet with a header), bmh (Metal3 manifests; --plan writes their deployments).
--bmc queries only the given addresses over Redfish, at most 256.

--to manageable verifies the BMC credentials; --to inspected also inspects and creates missing ports;
--to available also runs automated cleaning. To continue an interrupted run, run the same command again.
Passwords of existing nodes cannot be compared, because Ironic masks them: --update-credentials always writes them.

--deploy-iso sets the ramdisk of nodes with virtual media, --deploy-kernel and --deploy-ramdisk set the ramdisk of
the other nodes. An ISO file is served until the command is interrupted.
$ ironworks enroll -f nodes.csv --dry-run
$ ironworks enroll -f nodes.yaml --to manageable --yes
$ ironworks enroll -f nodes.csv --deploy-iso agent.iso --listen auto:8080 --to available
$ ironworks enroll --bmc 10.0.0.11-30 --bmc-username admin --names 'r7-n%02d' --dry-run`,

	"ironworks export": `Export nodes to a file that other tools read
Print the nodes that match a filter, with their ports and port groups, as a file for baremetal create,
Bifrost or Metal3, or as a spreadsheet. Ironic masks passwords: the output has placeholders unless --credentials
names a file with the passwords. Fields that the format cannot express are listed on stderr.
$ ironworks export > nodes.yaml
$ ironworks export class:gp-2x -o csv`,

	// Commands about nodes and their history.
	"ironworks nodes": `List nodes
List the nodes that match every term of the filter:

  text           name, uuid, state, class, driver, instance or owner contains text
  key:value      the field contains value; key:=value is exactly value; key: is empty; key:a,b is a or b
  age:>10m       a comparison (= != > >= < <=); also ram:>=64g, cpus:<8, disks:>2
  is:discovered  auto-discovery has enrolled the node; also is:maintenance, is:protected, is:retired
  field:PATH=v   a comparison of any field, such as field:extra.rack=7
  ~text          the name has these letters in this order
  !term          the term does not match
  a b | c        a and b, or c
  @name          a saved filter (filters: in the configuration file)

Keys: {filter keys}.
state: also accepts failed, busy, stable, wait and hold; state:deploy-failed is one state.

-o wide shows more columns. -o json prints Ironic's fields and the key ironworks: step is the text of STEP,
since and in_state (seconds) give the minimum time in the current state.
--watch prints the row of each node again when the node changes; ironworks watch prints the events.
$ ironworks nodes state:failed class:gp-2x
$ ironworks nodes state:busy --watch
$ ironworks nodes 'state:wait age:>1h | state:failed'
$ ironworks nodes '!power:off' --sort state -o json
$ ironworks nodes --columns name,state,error`,
	"ironworks node": `Show one node
Show a node: state, last error, power, instance, ports and the provision verbs that are legal now.
-o json and -o yaml print all fields as Ironic returns them.
$ ironworks node r7-n01
$ ironworks node r7-n01 -o json`,
	"ironworks watch": `Print events of nodes as they happen
Print events of the named nodes, or of all nodes, until interrupted.
-o json prints one object per line: time, node {uuid, name}, kind, from, to, reason.
A stable state that a node passed through between two polls is printed with "inferred": true.
$ ironworks watch -o json
$ ironworks watch r7-n01 r7-n02 --until active --timeout 30m`,
	"ironworks logs": `Print the ramdisk logs of nodes
Print the logs of the nodes' ramdisks: the journal over SSH, the journal that the ramdisk pushes, or
the logs that a conductor archived. Secrets are masked. Without -f, the command exits at the end of the log.
--source serial reads the serial console through Ironic. It enables the console if necessary, disconnects
other readers, and restores the previous setting afterwards.
Lines from several nodes are printed in the order of arrival, each with the name of its node.
-o json prints one object per line: time, received, node {uuid, name}, source, unit, level (syslog number),
text, boot, cursor, progress, known.
If a source fails, stderr says why and how to fix it. The exit code is 1 if all sources of a node fail.
$ ironworks logs r7-n01 -f
$ ironworks logs r7-n01 r7-n02 --since 10m --level warning
$ ironworks logs r7-n01 --archive /var/log/ironic/deploy -o json
$ ironworks logs --listen :6387
$ ironworks logs r7-n01 --kept --since 12h --level error`,
	"ironworks ssh": `Open a shell on the machine of a node
Open a login shell on the machine of a node over SSH, or run a command there. The address is that of the
ramdisk; the keys, jump hosts and host key rules are those for ramdisk logs (logs.ssh in the context). --address
connects to an instance. As with ssh, the words of COMMAND are joined and passed to the machine's shell, COMMAND
has no terminal without -t, and ~. at the start of a line disconnects. Output is passed through unchanged.
The exit code is that of COMMAND or the shell, and 255 if the connection fails. Read-only mode refuses to connect.
The audit log records the login.
$ ironworks ssh r7-n01
$ ironworks ssh r7-n01 -- journalctl -b -u ironic-agent
$ ironworks ssh r7-n01 --address 10.0.0.31 -t -- sudo dmesg`,
	"ironworks explain": `Explain why a node failed or is stuck
Explain the state of nodes: the most likely cause and its confidence, the evidence, what was ruled out, and
the next safe step. The sources are the node, its history, the conductors, the other nodes and the journal.
If Ironic waits for a machine, the agent is contacted, and so is the BMC if its credentials are known.
--bmc queries every BMC and checks that this computer can download the ISOs (for the password, see ironworks bmc
--help).
--error TEXT explains an error message offline; - reads the message from standard input.

The exit code is 1 when a node cannot be read, otherwise 0.
$ ironworks explain r7-n02
$ ironworks explain r7-n02 -o json
$ ironworks explain --error 'Timeout reached while waiting for callback for node x' --state 'deploy failed'`,
	"ironworks doctor": `Check the connection to Ironic and the deploy setup
Check the connection to Ironic step by step (configuration, name, TCP, TLS, Ironic, user, version, clock),
the setup for deployments (conductors, custom-agent, inspection, ramdisk URLs), and this computer. With NODEs,
their ramdisks and images are checked, too. Nothing is changed and no BMC is contacted.
Checks that are not ok show the evidence and a remedy; --verbose shows both for every check.

Exit codes: 0 when no check failed (warnings do not count), 1 when a check failed.
$ ironworks doctor
$ ironworks doctor r7-n01 -v
$ ironworks doctor --url http://127.0.0.1:6385 -o json`,
	"ironworks drivers": `List enabled hardware types and their interfaces
List the hardware types that the conductors enable, with the default and the enabled implementations of
each interface.
$ ironworks drivers
$ ironworks drivers -o name`,
	"ironworks conductors": `List conductors and whether they are alive
List the conductors with their group, the time of their last heartbeat and their hardware types.
$ ironworks conductors
$ ironworks conductors -o json`,
	"ironworks validate": `Validate the driver interfaces of a node
Ask Ironic to validate every driver interface of a node. The exit code is 1 when an interface that a
deployment needs (boot, deploy, management, network, power) is invalid.
$ ironworks validate r7-n01
$ ironworks validate r7-n01 -o json`,
	"ironworks history": `Show the history of a node
Show what was recorded about a node, oldest first: transitions, operations with their phases, and the
requests sent from this console. The records are in the journal and the audit log, which can be read
while Ironic is down. --ironic shows Ironic's own history of the node instead, newest first.
$ ironworks history r7-n01
$ ironworks history r7-n01 --since 2d -o json
$ ironworks history r7-n01 --ironic`,
	"ironworks disks": `Show the disks of a node and the disk its hints pick
Show the disks that inspection found, and the disk that the agent would install to with the node's root device
hints. For each of the other disks, show why the hints do not match. -o name prints the picked disk.
The exit code is 3 when Ironic has no inventory of the node.
$ ironworks disks r7-n01
$ ironworks disks r7-n01 -o name`,

	"ironworks journal": `Show, export or prune the journal of a context
The journal is a file on this computer. It stores what this console observed: transitions, snapshots of
nodes and lines of ramdisk logs. Ironic is not contacted. ironworks history shows the records of a node.
$ ironworks journal info
$ ironworks journal export r7-n01 --since 12h`,
	"ironworks journal info": `Show the contents and limits of the journal
Show the path and size of the journal, the number of records and their age, and the limits.
$ ironworks journal info
$ ironworks journal info --journal journal-lab.db -o json`,
	"ironworks journal export": `Record nodes to a file for ironworks replay
Write the states, steps, operations and log lines of the nodes from the journal to one compressed file.
Secrets are masked; addresses and names are not. ironworks replay plays the file.
$ ironworks journal export r7-n01 --since 12h
$ ironworks journal export r7-n01 r7-n02 --file last-night.ironworks`,
	"ironworks journal prune": `Delete records from the journal and free disk space
Delete records from the journal of the context and free the disk space.
--size deletes the oldest log lines first, then the oldest snapshots of nodes; transitions are kept.
Nothing is sent to Ironic, and other ironworks programs can keep writing.
$ ironworks journal prune --older 30d
$ ironworks journal prune --size 500MiB --yes
$ ironworks journal prune --node r7-n01`,
	"ironworks replay": `Play a recording in the console
Play a recording made by ironworks journal export in the console: states, steps and ramdisk logs. The player can
pause, change the speed and seek; every screen shows REPLAY. Nothing is sent to Ironic or to machines.
$ ironworks replay r7-n01.ironworks --speed 8
$ ironworks replay r7-n01.ironworks --at 10m --paused`,

	// Commands about this computer.
	"ironworks config": `Show the configuration
Show the contexts of the configuration, or the files that are read and written.
$ ironworks config show
$ ironworks config paths`,
	"ironworks config show": `Show all contexts and the selected context
Show all contexts and the selected context, as YAML or JSON, with secrets masked.
$ ironworks config show
$ ironworks config show --url http://127.0.0.1:6385 -o json`,
	"ironworks config paths": `Show the files that are read and written
Show the files that ironworks reads and writes, and the files that were not found.
$ ironworks config paths
$ ironworks config paths -o json`,
	"ironworks man": `Write the man pages of all commands
Write a man page for each command to a folder: ironworks.1, ironworks-nodes.1, and so on. make install installs
them under PREFIX.
$ ironworks man /usr/local/share/man/man1
$ ironworks man bin/man`,
	"ironworks version": `Print the version
Print the version of ironworks, the supported versions of the Ironic API, and the version of Go.
$ ironworks version
$ ironworks version -o json`,
}
