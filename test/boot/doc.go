// Package boot has machines that really boot: the lab's virtual machines, a live ISO of
// Debian's packages that behaves as CoreOS's does, the real Ignition, podman, a registry, the
// real ironic-python-agent, the real coreos-installer, under a real Ironic.
//
// install.py makes the images once, in the cache folder. The tests run where IRONWORKS_BOOT=1
// is set, as make boot sets it; docs/development.md tells what they need.
package boot
