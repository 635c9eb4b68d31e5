// Package agent implements the protocol of ironic-python-agent: inspection, lookup, heartbeats, the
// service that a conductor calls, and the steps with their real effects and error messages.
//
// The agent works on a [Hardware], which may be a real or a simulated machine. It writes its log to
// a journal, in the format of the real agent.
package agent
