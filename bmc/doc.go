// Package bmc reads from a machine's management controller over Redfish, and sends it orders, only on request: in one
// session, closed after use, with one request at a time, because controllers are slow and some crash under more. It
// does nothing in the background. It is the only package that imports gofish, which sends the requests and has the
// types of Redfish errors. The package decodes the answers, so that a malicious or faulty controller costs neither
// memory nor time nor the rest of its data, and cannot redirect requests to another host.
package bmc
