// Package userdata checks user data from the point of view of Ignition on the machine that will read it. It detects
// the format, translates Butane and MachineConfigs, and reports content that would make the boot end in the emergency
// shell or prevent every login. It also builds the user data that is sent for an installation.
package userdata
