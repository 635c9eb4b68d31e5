package ui

import (
	"context"
	"errors"
	"slices"
	"testing"

	"ironworks/models"
	"ironworks/ui/screen"
)

// refusedShells refuses to open shells, and records the nodes and addresses for which they were requested.
type refusedShells struct{ addresses []string }

func (*refusedShells) Refusal(*models.Node) *models.Refusal { return nil }

func (*refusedShells) Host(models.NodeRef) string { return "10.0.0.31" }

func (s *refusedShells) Open(_ context.Context, n *models.Node, address string) (screen.Shell, error) {
	s.addresses = append(s.addresses, n.Name+" "+address)
	return nil, errors.New("connection refused")
}

// TestShellAsksForTheAddressOfAnInstance checks that the console asks for an address if an instance runs on the node,
// because Ironic knows only the addresses of ramdisks.
func TestShellAsksForTheAddressOfAnInstance(t *testing.T) {
	t.Parallel()
	shells := &refusedShells{}
	inBubble(t, rack(), func(r *rig, _ *Options) { r.shells = shells }, func(r *rig) {
		r.choose("r7-n05") // the node is active
		r.press("S")
		r.shows("Address", "10.0.0.31", "which Ironic does not know")
		r.press("ctrl+u", "enter")
		r.shows("Address") // the address is required
		r.write("n05.example")
		r.press("enter")
		r.shows("shell r7-n05: connection refused")
		r.choose("r7-n03")
		r.press("S")
		r.shows("shell r7-n03: connection refused")
		if want := []string{"r7-n05 n05.example", "r7-n03 "}; !slices.Equal(shells.addresses, want) {
			t.Errorf("%q, want %q", shells.addresses, want)
		}
	})
}
