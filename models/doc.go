// Package models is the domain: nodes, the provision states and the verbs that
// are legal in each, steps, events, filters, connections and faults.
//
// It is pure. Nothing in it reads a file, a clock, a terminal or the network,
// and it imports nothing else of ironworks, so every other package may use it.
// Names are the field's own: node, provision state, deploy step, conductor.
package models
