package boot

import "testing"

// TestSecureRegistryAndIronic boots a ramdisk that uses TLS both for the registry and for Ironic, which have
// different CAs. The registry also requires credentials.
func TestSecureRegistryAndIronic(t *testing.T) {
	b := newBench(t, ramdisk{registry: RegistryOptions{TLS: true, Login: true}, trust: "ca", secret: true, tls: true})
	b.inspect()
}
