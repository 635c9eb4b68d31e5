// Package models is the domain model: nodes, the provision states and the verbs allowed in each of them, steps,
// events, filters, connections and faults.
//
// The package is pure: it accesses no files, clock, terminal or network, and printable is the only package of
// ironworks that it imports. Therefore every other package may use it. Names are the same as in Ironic: node,
// provision state, deploy step, conductor.
package models
