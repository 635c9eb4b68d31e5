// Package metal3 reads Metal3's manifests as nodes and deployment plans, and writes nodes as manifests. It does no
// I/O.
//
// For nodes with an instance, it writes manifests with externallyProvisioned: true. With this setting, Metal3
// registers and adopts the host and manages its power, but does not inspect, clean or deploy it. The alternative
// would be the baremetalhost.metal3.io/status annotation, from which Metal3 restores a host as provisioned. This
// annotation repeats the status from a cluster that had the host before, including details of the hardware and the
// image, which Ironic does not have. In addition, a host that was restored in this way is erased when it loses its
// consumer, whereas an externally provisioned host is not.
package metal3
