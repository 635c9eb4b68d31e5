// Package lab is machines for people who have none, or none to spare: each is a
// [machine.Machine] that runs an agent when it boots a deploy ramdisk, with a
// [Scenario] for what goes wrong.
//
//	l, err := lab.Start(ctx, lab.Options{IronicURL: "http://127.0.0.1:6385", Speed: 10}, lab.Cast(12))
//	…
//	l.Close()
//
// Whatever drives them – a real Ironic or the embedded one – sees a BMC, an
// image that is fetched, and ironic-python-agent's protocol.
package lab
