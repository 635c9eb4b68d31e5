//go:build !linux

package linux

import (
	"context"
	"errors"
)

// Kernel implements [Links] without data, for systems other than Linux, on which the agent does not run.
type Kernel struct{}

// Addresses returns nil, because the addresses are unknown.
func (Kernel) Addresses(string) []string { return nil }

// PermanentMAC returns "", which means unknown.
func (Kernel) PermanentMAC(string) string { return "" }

// Speed returns 0, which means unknown.
func (Kernel) Speed(string) int { return 0 }

// LLDP returns errors.ErrUnsupported.
func (Kernel) LLDP(context.Context, []string) (map[string][]byte, error) {
	return nil, errors.ErrUnsupported
}
