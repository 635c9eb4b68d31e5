// Package api is the HTTP API of the embedded Ironic: it answers like Ironic 39.0.0 without
// authentication, in API versions 1.1 to 1.115.
//
// It checks requests in Ironic's order and with its messages, even where Ironic's answer is an
// accident of its implementation. Changes are left to a [Conductor]; data is read from the tables.
package api
