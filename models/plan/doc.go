// Package plan has deployment plans and the checks before a deployment: how a plan is read and
// written, which steps and which disk it leads to, and what Ironic would refuse.
//
// It does no I/O: checks are functions of [Facts], which the caller gathers.
package plan
