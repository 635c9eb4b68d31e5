// Package linux implements [agent.Hardware] for a real host that runs Linux.
//
// It reports the same data as GenericHardwareManager of ironic-python-agent 13.0.0 (ironic_python_agent/hardware.py).
// It runs the same programs if the result depends on them, such as lsblk and lscpu. In some places where that agent
// needs lshw or pyudev, it reads files of the kernel and of udev instead.
//
// All access to the host goes through [Host], so that tests can use a recorded host.
package linux
