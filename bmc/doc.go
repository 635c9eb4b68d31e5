// Package bmc asks a machine's management controller, over Redfish, when somebody wants
// to know, and tells it what to do when somebody orders it: one session, closed after use,
// and one request at a time, for controllers are slow and some crash under more. Nothing
// here is called in the background. It is the only package that knows gofish, which
// carries the requests and knows the errors; what is read is decoded here, so that a
// controller that lies costs neither memory nor time nor the rest of what it tells, and
// what it leads to stays with it.
package bmc
