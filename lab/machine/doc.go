// Package machine simulates bare-metal machines: a Redfish BMC, disks, network interfaces, power
// and a boot order.
//
//	m, err := machine.New(machine.Spec{Name: "m1", User: "admin", Password: "secret"}, machine.Options{Ramdisk: agent})
//	rack, err := machine.NewRack(time.Now, m)
//	go rack.Serve(ctx, listener) // or ServeTLS
//	…
//	m.Close()
//
// A conductor controls it: it inserts an image into the virtual CD, selects the CD as the next
// boot device and powers the machine on. The machine fetches the image and passes it to its
// [Ramdisk], which runs until the machine is powered off. This package does not know what a
// ramdisk does; the ramdisk accesses the hardware through its [Machine], installs with
// [Machine.Install] and powers off with [Machine.Reset].
//
// One [Rack] is one Redfish service. It serves one machine, like a BMC, or thousands; each has its
// own user and password.
package machine
