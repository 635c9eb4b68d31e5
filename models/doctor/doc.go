// Package doctor judges whether this machine can deploy nodes. It checks the configuration, the connection to Ironic,
// Ironic's conductors and drivers, the nodes, and the machine itself.
//
// It does no I/O: [Diagnose] is a function of [Facts], which the caller gathers.
package doctor
