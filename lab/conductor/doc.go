// Package conductor is the conductor of the embedded Ironic: it carries out the API's requests
// like Ironic 39.0.0, with the same checks, states and messages.
//
// It controls machines only through Redfish and the agent's API, and imports neither of the packages that simulate
// them. All of its data about a node is in the database; between two events of a node, the conductor holds no state and
// runs no goroutine for that node.
package conductor
