// Package plan implements deployment plans and the checks before a deployment: parsing and writing plans, the
// resulting steps and disk, and requests that Ironic would refuse.
//
// It does no I/O: checks are functions of [Facts], which the caller gathers.
package plan
