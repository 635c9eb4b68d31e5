// Package hints implements root device hints: their grammar, the Python semantics of Ironic and
// its agent, and a matcher that predicts which disk the agent selects.
//
// It does no I/O.
package hints
