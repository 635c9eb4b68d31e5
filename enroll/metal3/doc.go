// Package metal3 reads Metal3's manifests as nodes and deployment plans, and writes nodes as manifests. It does no I/O.
//
// Manifests that it writes have externallyProvisioned: true for nodes with an instance. Metal3 then registers and
// adopts the host and manages its power, but neither inspects, cleans nor deploys it. The alternative is the annotation
// baremetalhost.metal3.io/status, from which Metal3 restores a host as provisioned. It repeats the status of a cluster
// that had the host before, with the hardware's details and the image, which Ironic does not have. A host that was
// restored so is also erased when it loses its consumer; an externally provisioned one is not.
package metal3
