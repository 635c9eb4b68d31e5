//go:build !linux

package linux

import (
	"context"
	"errors"
)

// Kernel answers nothing: the agent runs on Linux only.
type Kernel struct{}

// Addresses returns none.
func (Kernel) Addresses(string) []string { return nil }

// PermanentMAC returns none.
func (Kernel) PermanentMAC(string) string { return "" }

// Speed returns none.
func (Kernel) Speed(string) int { return 0 }

// LLDP fails.
func (Kernel) LLDP(context.Context, []string) (map[string][]byte, error) {
	return nil, errors.ErrUnsupported
}
