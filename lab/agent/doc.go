// Package agent is ironic-python-agent's protocol: inspection, lookup,
// heartbeats, the service that a conductor drives, and the steps with their
// real meaning, down to the words of their errors.
//
// What it works on is a [Hardware]; nothing here knows whether that is a
// machine or the picture of one. Everything it says goes to a journal, in the
// form in which the real agent's lines stand there.
package agent
