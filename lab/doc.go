// Package lab simulates machines for demos and tests: each is a [machine.Machine] that runs an
// agent when it boots a deploy ramdisk, with a [Scenario] for its faults.
//
//	l, err := lab.Start(ctx, lab.Options{IronicURL: "http://127.0.0.1:6385", Speed: 10}, lab.Cast(12))
//	…
//	l.Close()
//
// An Ironic, real or embedded, sees a BMC, the download of an image, and ironic-python-agent's
// protocol.
package lab
