// Package rules reads, checks and evaluates Ironic's inspection rules (API 1.96). It evaluates rules against a node's
// stored inventory, in the same way as the conductor of Ironic 39.0.0, but does not change the node. It is based on
// the modules below ironic/common/inspection_rules. It does no I/O.
package rules
