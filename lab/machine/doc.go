// Package machine simulates bare-metal machines: a Redfish BMC, disks, network interfaces, power and a boot order.
//
//	m, err := machine.New(machine.Spec{Name: "m1", User: "admin", Password: "secret"}, machine.Options{Ramdisk: agent})
//	rack, err := machine.NewRack(time.Now, m)
//	go rack.Serve(ctx, listener) // or ServeTLS
//	…
//	m.Close()
//
// A conductor controls the machine through Redfish: it inserts an image into the virtual CD drive,
// selects the drive as the next boot device and powers the machine on. The machine downloads the
// image and passes it to its [Ramdisk], which runs until the machine is powered off. This package
// does not know what a ramdisk does. The ramdisk accesses the hardware through its [Machine],
// installs a system with [Machine.Install] and powers off with [Machine.Reset].
//
// A [Rack] is a Redfish service for one machine, like a BMC, or for thousands, each with its own credentials.
package machine
