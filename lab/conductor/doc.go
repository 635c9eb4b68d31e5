// Package conductor is the conductor of the embedded Ironic: it does what the
// API asks for, as Ironic 39.0.0 does it, with the same checks, states and
// words.
//
// It drives machines over Redfish and the agent's own API only, and knows
// neither of the packages that make them. What it knows of a node is in the
// database; between two events of a node nothing of it runs here.
package conductor
