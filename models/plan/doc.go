// Package plan implements deployment plans and the checks that precede a deployment. It parses and
// writes plans, predicts the resulting steps and the selected disk, and finds requests that Ironic
// would reject.
//
// It does no I/O: checks are functions of [Facts], which the caller gathers.
package plan
