package models

// RamdiskStage is how far the boot of a ramdisk has come. A stage that has begun may still go
// on.
type RamdiskStage int

// The stages, in the order in which a boot goes through them.
const (
	RamdiskUnknown   RamdiskStage = iota
	RamdiskPowerOn                // the machine is on
	RamdiskMedium                 // it fetches the ISO, or the kernel over the network
	RamdiskKernel                 // the kernel starts
	RamdiskIgnition               // Ignition applies the ramdisk's configuration
	RamdiskNetwork                // the services start, among them the network
	RamdiskImage                  // podman pulls the agent's image
	RamdiskAgent                  // the agent has started
	RamdiskLookup                 // the agent calls Ironic, which tells it who it is
	RamdiskHeartbeat              // Ironic has heard a heartbeat
)

// Noun names the stage.
func (s RamdiskStage) Noun() string {
	switch s {
	case RamdiskUnknown:
		return "unknown"
	case RamdiskPowerOn:
		return "power on"
	case RamdiskMedium:
		return "boot medium"
	case RamdiskKernel:
		return "kernel"
	case RamdiskIgnition:
		return "Ignition"
	case RamdiskNetwork:
		return "network"
	case RamdiskImage:
		return "agent image"
	case RamdiskAgent:
		return "agent start"
	case RamdiskLookup:
		return "lookup"
	case RamdiskHeartbeat:
		return "heartbeat"
	}
	return ""
}

// Doing says what a machine does in the stage.
func (s RamdiskStage) Doing() string {
	switch s {
	case RamdiskUnknown:
		return "boots"
	case RamdiskPowerOn:
		return "is powered on"
	case RamdiskMedium:
		return "reads its boot medium"
	case RamdiskKernel:
		return "starts its kernel"
	case RamdiskIgnition:
		return "runs Ignition"
	case RamdiskNetwork:
		return "starts its services and network"
	case RamdiskImage:
		return "pulls the agent's image"
	case RamdiskAgent:
		return "starts the agent"
	case RamdiskLookup:
		return "looks for its node in Ironic"
	case RamdiskHeartbeat:
		return "sends heartbeats"
	}
	return ""
}

// bootMark is how a line of a ramdisk's log tells of a stage.
type bootMark struct {
	// literal is in the line's text; unit, where it is set, is who wrote it.
	unit, literal string
	// reached is the stage that the boot is at least in then, done the last one that is over:
	// errors of that and of those before it are overcome.
	reached, done RamdiskStage
}

// bootMarks are those that are known, the latest stages first. The texts are those of
// systemd 252 to 257, NetworkManager, Ignition 2.x, podman 4 and 5, and of
// ironic-python-agent 9 to 13 (agent.py, inspector.py, ironic_api_client.py).
var bootMarks = []bootMark{
	{literal: "heartbeat successful", reached: RamdiskHeartbeat, done: RamdiskHeartbeat},
	{literal: "Lookup succeeded, node UUID is", reached: RamdiskLookup, done: RamdiskLookup},
	{literal: "inspection finished successfully", reached: RamdiskLookup, done: RamdiskLookup},
	{literal: "Looking up node with addresses", reached: RamdiskLookup, done: RamdiskAgent},
	{literal: "Posting collected data to", reached: RamdiskLookup, done: RamdiskAgent},
	{literal: "Starting ironic-python-agent version", reached: RamdiskAgent, done: RamdiskImage},
	{literal: "Trying to pull ", reached: RamdiskImage, done: RamdiskNetwork},
	{literal: "Getting image source signatures", reached: RamdiskImage, done: RamdiskNetwork},
	{literal: "Copying blob sha256:", reached: RamdiskImage, done: RamdiskNetwork},
	{literal: "Reached target network-online.target", reached: RamdiskNetwork, done: RamdiskNetwork},
	{literal: "Reached target Network is Online", reached: RamdiskNetwork, done: RamdiskNetwork},
	{literal: "NetworkManager state is now CONNECTED_", reached: RamdiskNetwork, done: RamdiskNetwork},
	{unit: "NetworkManager", reached: RamdiskNetwork, done: RamdiskIgnition},
	{literal: "Ignition finished successfully", reached: RamdiskIgnition, done: RamdiskIgnition},
	{unit: "ignition", reached: RamdiskIgnition, done: RamdiskKernel},
	{literal: "ignition[", reached: RamdiskIgnition, done: RamdiskKernel},
	{unit: "kernel", reached: RamdiskKernel, done: RamdiskMedium},
	{literal: "Linux version ", reached: RamdiskKernel, done: RamdiskMedium},
}
