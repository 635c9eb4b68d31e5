// Package raid predicts how Ironic handles a target RAID configuration: whether the API accepts it, which drives a
// hardware controller gets for each logical disk, and whether the agent accepts it as software RAID.
//
// The sources are Ironic 39.0.0 (ironic/common/raid.py, ironic/drivers/raid_config_schema.json,
// ironic/drivers/modules/redfish/raid.py) and the agent's GenericHardwareManager. Results include Ironic's bugs,
// because a preview has to show what Ironic does. test/upstream compares random configurations with Ironic's own
// functions.
package raid
