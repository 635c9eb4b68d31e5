// Package bmc asks a machine's management controller, over Redfish, when somebody wants
// to know: one session, closed after use, and one request at a time, for controllers are
// slow and some crash under more. Nothing here is called in the background. It is the only
// package that knows gofish.
package bmc
