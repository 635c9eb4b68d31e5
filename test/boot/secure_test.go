package boot

import "testing"

// TestSecureRegistryAndIronic boots a ramdisk that pulls its agent from a registry with TLS and credentials, and
// calls an Ironic with TLS; each has its own CA.
func TestSecureRegistryAndIronic(t *testing.T) {
	b := newBench(t, ramdisk{registry: RegistryOptions{TLS: true, Login: true}, trust: "ca", secret: true, tls: true})
	b.inspect()
}
