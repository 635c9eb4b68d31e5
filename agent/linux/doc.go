// Package linux is the [agent.Hardware] of a real host that runs Linux.
//
// It reports what GenericHardwareManager of ironic-python-agent 13.0.0 reports
// (ironic_python_agent/hardware.py), with the same programs where these decide, such as lsblk and
// lscpu, and with the kernel's files where that agent needs lshw, ipmitool or pyudev.
//
// [Host] is the only way to the host, so that tests work on a recorded one.
package linux
