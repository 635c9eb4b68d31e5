// Package userdata checks user data as Ignition on the machine will read it: it detects the
// format, translates Butane and MachineConfigs, and reports what would end in the emergency
// shell or prevent every login. It also builds the user data to send for an installation.
package userdata
