// Package models is the domain: nodes, the provision states and their legal verbs, steps,
// events, filters, connections and faults.
//
// The package is pure: it reads no file, clock, terminal or network, and of ironworks it
// imports only printable, so every other package may use it. Names are Ironic's: node,
// provision state, deploy step, conductor.
package models
