// Package agent implements ironic-python-agent's protocol: inspection, lookup, heartbeats, the
// service that a conductor calls, and the steps with their real effects and error messages.
//
// It works on a [Hardware], which may be a real or a simulated machine. It logs to a journal, in
// the format of the real agent.
package agent
