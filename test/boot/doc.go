// Package boot boots machines for real, under a real Ironic. The machines are the
// lab's virtual machines. Their live ISO is made of Debian's packages and behaves
// like CoreOS's. The tests use the real Ignition, podman, a registry, the real
// ironic-python-agent and the real coreos-installer.
//
// install.py builds the images once and caches them. The tests run only with
// IRONWORKS_BOOT=1, as in make boot; docs/development.md lists what they need.
package boot
