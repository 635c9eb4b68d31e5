// Package machine is bare-metal machines that exist only in this process: a
// Redfish BMC, disks, network interfaces, power and a boot order.
//
//	m, err := machine.New(machine.Spec{Name: "m1", User: "admin", Password: "secret"}, machine.Options{Ramdisk: agent})
//	rack, err := machine.NewRack(time.Now, m)
//	go rack.Serve(ctx, listener) // or ServeTLS
//	…
//	m.Close()
//
// A conductor drives it: it inserts an image into the virtual CD, chooses the
// CD as the next boot device and powers the machine on. The machine fetches the
// image and hands it to its [Ramdisk], which is what runs on it until the power
// goes. What a ramdisk does, and which protocols it speaks, is not known here;
// it finds the hardware in the [Machine] that it is given, installs with
// [Machine.Install] and powers off with [Machine.Reset].
//
// One [Rack] is one Redfish service. It serves one machine, as a BMC does, or
// thousands; each keeps its own user and password.
package machine
