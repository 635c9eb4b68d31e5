package boot

import "testing"

// TestSecureRegistryAndIronic boots a ramdisk that pulls its agent from a registry with a
// certificate of its own authority and a login, and that calls an Ironic with another one.
func TestSecureRegistryAndIronic(t *testing.T) {
	b := newBench(t, ramdisk{registry: RegistryOptions{TLS: true, Login: true}, trust: "ca", secret: true, tls: true})
	b.inspect()
}
