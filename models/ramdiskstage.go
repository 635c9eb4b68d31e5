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
