// Package raid predicts how Ironic handles a target RAID configuration: whether the API accepts it, which drives of a
// hardware controller are used for each logical disk, and whether the agent accepts it as software RAID.
//
// The package follows Ironic 39.0.0 (ironic/common/raid.py, ironic/drivers/raid_config_schema.json,
// ironic/drivers/modules/redfish/raid.py) and the agent's GenericHardwareManager. It reproduces Ironic's bugs,
// because a preview has to show what Ironic really does. test/upstream compares the results for random configurations
// with those of Ironic's own functions.
package raid
