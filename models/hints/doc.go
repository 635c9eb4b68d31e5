// Package hints has root device hints: their grammar, the Python semantics that Ironic and its
// agent judge them by, and the matcher that predicts which disk the agent picks.
//
// It does no I/O.
package hints
