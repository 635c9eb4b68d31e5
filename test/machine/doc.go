// Package machine emulates a bare-metal machine for end-to-end tests with a
// real Ironic: a Redfish BMC and, while the machine runs from its virtual CD,
// an ironic-python-agent. Everything is plain HTTP on loopback.
//
//	m, err := machine.Start(ctx, machine.Options{IronicURL: s.URL, MAC: "52:54:00:00:00:01"})
//	…
//	defer m.Close()
//	s.CreateNode(t, map[string]any{"driver": "redfish", "driver_info": m.DriverInfo(), …})
//
// The conductor does the rest: it powers the machine on, the agent looks its
// node up by the MAC address (which needs a port) and runs the steps it is
// given. No disk is written; [Machine.Commands] tells what was asked.
package machine
