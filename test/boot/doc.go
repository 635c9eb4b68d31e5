// Package boot boots machines for real: the lab's virtual machines, a live ISO of
// Debian's packages that behaves like CoreOS's, the real Ignition, podman, a
// registry, the real ironic-python-agent and the real coreos-installer, under a
// real Ironic.
//
// install.py builds the images once and caches them. The tests run only with
// IRONWORKS_BOOT=1, as in make boot; docs/development.md lists what they need.
package boot
