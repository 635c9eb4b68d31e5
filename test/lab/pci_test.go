package lab_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"ironworks/lab"
	"ironworks/test/ironic"
)

// TestPCIDevicesUnderConductors inspects a machine through its BMC, and checks that a real conductor and the embedded
// one list the same PCI devices.
func TestPCIDevicesUnderConductors(t *testing.T) {
	t.Parallel()
	cases := []testCase{{member: lab.Member{Name: "pci"}, newest: true, run: runPCI}}
	t.Run(ironic.Newest.Name(), func(t *testing.T) {
		t.Parallel()
		runCases(t, real(t, ironic.Newest, nil), cases)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		runCases(t, embeddedWith(t, lab.IronicOptions{Speed: 60}), cases)
	})
}

func runPCI(n node) error {
	if err := n.runSteps(managed); err != nil {
		return err
	}
	if err := n.patch("inspect_interface", "redfish"); err != nil {
		return err
	}
	if err := n.reach(target("inspect"), "manageable"); err != nil {
		return err
	}
	answer, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid+"/inventory", nil, http.StatusOK)
	if err != nil {
		return err
	}
	var found struct {
		Inventory struct {
			Devices any `json:"pci_devices"`
		}
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return err
	}
	want := []any{
		map[string]any{"class": "NetworkController", "product_id": "0x101D", "vendor_id": "0x15B3", "subsystem_id": "0x0043", "subsystem_vendor_id": "0x15B3", "revision": "0x00"},
		map[string]any{"class": "MassStorageController", "product_id": "0x00E6", "vendor_id": "0x1000", "subsystem_id": "0x4060", "subsystem_vendor_id": "0x1000", "revision": "0x00"},
	}
	if !reflect.DeepEqual(found.Inventory.Devices, want) {
		return fmt.Errorf("machine %s: PCI devices %v, want %v", n.Name(), found.Inventory.Devices, want)
	}
	return nil
}
