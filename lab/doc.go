// Package lab simulates machines for demos and tests. Each is a [machine.Machine] that runs an agent when it boots a
// deploy ramdisk. A [Scenario] describes its faults.
//
//	l, err := lab.Start(ctx, lab.Options{IronicURL: "http://127.0.0.1:6385", Speed: 10}, lab.Cast(12))
//	…
//	l.Close()
//
// A real or an embedded Ironic sees the machines' BMCs, the downloads of images, and the protocol of
// ironic-python-agent.
package lab
