// Package userdata checks user data as Ignition on the machine will take it: it finds out what
// the data is, translates Butane and MachineConfigs, and reports what would end in the emergency
// shell or would let nobody log in. It also makes what is sent to be installed.
package userdata
