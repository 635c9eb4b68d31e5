// Package api implements the HTTP API of the embedded Ironic. It answers like Ironic 39.0.0 without authentication,
// in API versions 1.1 to 1.115.
//
// It checks requests in Ironic's order and with its messages, even where Ironic's answer is an accident of its
// implementation. It leaves changes to a [Conductor] and reads data from the tables.
package api
