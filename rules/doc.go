// Package rules reads, checks and evaluates Ironic's inspection rules (API 1.96): it runs rules against a node's
// stored inventory as the conductor of Ironic 39.0.0 does, and changes nothing. Sources are the modules below
// ironic/common/inspection_rules. It does no I/O.
package rules
