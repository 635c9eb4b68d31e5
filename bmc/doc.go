// Package bmc reads data from a machine's management controller over Redfish and sends orders to it. It does nothing
// in the background. It uses one session, which it closes after use, and sends one request at a time, because
// controllers are slow and some crash under more load. It is the only package that imports gofish, which sends the
// requests and defines the types of Redfish errors. The package itself decodes the responses, so that a malicious or
// faulty controller cannot exhaust memory or time, cannot make its remaining data unreadable, and cannot redirect
// requests to another host.
package bmc
