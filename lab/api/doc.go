// Package api is the HTTP half of the embedded Ironic: what Ironic 39.0.0
// answers without authentication, in API versions 1.1 to 1.115.
//
// It checks requests in the order and with the words of the real one, also
// where the real one's answer is an accident of its making. What is to happen
// is left to a [Conductor]; what is there is read from the tables.
package api
