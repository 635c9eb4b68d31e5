package ports_test

import (
	"maps"
	"testing"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/ports"
)

const (
	macA = "52:54:00:aa:00:01"
	macB = "52:54:00:aa:00:02"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	lldp := hints.Neighbor{SwitchID: "0a:1b:2c:3d:4e:5f", PortID: "Eth 3", SwitchInfo: "sw1"}
	right := map[string]any{"switch_id": "0A:1B:2C:3D:4E:5F", "port_id": "Eth 3"}
	a, b := hints.NIC{Name: "eno1", MAC: macA, HasCarrier: true}, hints.NIC{Name: "eno2", MAC: macB, HasCarrier: true}
	with := func(nic hints.NIC, change func(n *hints.NIC)) hints.NIC {
		change(&nic)
		return nic
	}
	dark := with(b, func(n *hints.NIC) { n.HasCarrier = false })
	unknown := with(dark, func(n *hints.NIC) { n.CarrierUnknown = true })
	seen := with(a, func(n *hints.NIC) { n.Neighbor = lldp })
	for name, test := range map[string]struct {
		boot, network string
		ports         []models.Port
		nics          []hints.NIC
		want          map[ports.FindingKind]string // the kinds of the expected findings, with their remedies
	}{
		"equal":         {ports: []models.Port{{Address: "52:54:00:AA:00:01"}}, nics: []hints.NIC{a}},
		"empty":         {},
		"missing":       {ports: []models.Port{{Address: macA}}, nics: []hints.NIC{a, b}, want: map[ports.FindingKind]string{ports.MissingPort: "port suggest n --apply"}},
		"no cable":      {ports: []models.Port{{Address: macA}}, nics: []hints.NIC{a, dark}},
		"link unknown":  {ports: []models.Port{{Address: macA}}, nics: []hints.NIC{a, unknown}, want: map[ports.FindingKind]string{ports.MissingPort: "port suggest n --apply"}},
		"unknown MAC":   {ports: []models.Port{{Address: macA}, {Address: macB}}, nics: []hints.NIC{a}, want: map[ports.FindingKind]string{ports.UnknownMAC: "port delete " + macB}},
		"no NICs":       {ports: []models.Port{{Address: macA}}},
		"PXE, no link":  {ports: []models.Port{{Address: macA}, {Address: macB, PXEEnabled: true}}, nics: []hints.NIC{a, dark}, want: map[ports.FindingKind]string{ports.PXENoLink: "port set " + macB + " pxe_enabled=false"}},
		"PXE, unknown":  {ports: []models.Port{{Address: macA}, {Address: macB, PXEEnabled: true}}, nics: []hints.NIC{a, unknown}},
		"no PXE port":   {boot: "ipxe", ports: []models.Port{{Address: macB}, {Address: macA}}, nics: []hints.NIC{a, dark}, want: map[ports.FindingKind]string{ports.NoPXEPort: "port set " + macA + " pxe_enabled=true"}},
		"no PXE needed": {boot: "redfish-virtual-media", ports: []models.Port{{Address: macA}}, nics: []hints.NIC{a}},
		"missing boots": {boot: "ipxe", nics: []hints.NIC{a}, want: map[ports.FindingKind]string{ports.MissingPort: "port suggest n --apply"}},
		"LLDP equal":    {ports: []models.Port{{Address: macA, LocalLink: right}}, nics: []hints.NIC{seen}},
		"LLDP differs": {ports: []models.Port{{Address: macA, LocalLink: map[string]any{"switch_id": lldp.SwitchID, "port_id": "Eth4"}}}, nics: []hints.NIC{seen}, want: map[ports.FindingKind]string{
			ports.LLDPDiffers: "port set " + macA + " local_link_connection.switch_id=0a:1b:2c:3d:4e:5f 'local_link_connection.port_id=Eth 3' local_link_connection.switch_info=sw1",
		}},
		"link unset, noop": {network: "noop", ports: []models.Port{{Address: macA}}, nics: []hints.NIC{seen}},
		"link unset, neutron": {network: "neutron", ports: []models.Port{{Address: macA}}, nics: []hints.NIC{seen}, want: map[ports.FindingKind]string{
			ports.LinkUnset: "port set " + macA + " local_link_connection.switch_id=0a:1b:2c:3d:4e:5f 'local_link_connection.port_id=Eth 3' local_link_connection.switch_info=sw1",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &models.Node{Name: "n", BootInterface: test.boot, NetworkInterface: test.network}
			got := map[ports.FindingKind]string{}
			for _, f := range ports.Compare(n, test.ports, test.nics) {
				got[f.Kind] = f.Remedy
				if f.Text == "" {
					t.Errorf("%s without a text", f.Kind)
				}
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// TestMissingPortBoots checks that PXE is enabled on the NIC that booted the ramdisk. If that NIC is unknown and the
// boot interface needs PXE, PXE must be enabled on all NICs.
func TestMissingPortBoots(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		boot        string
		known, a, b bool
	}{{"ipxe", true, true, false}, {"ipxe", false, true, true}, {"redfish-virtual-media", true, true, false}, {"redfish-virtual-media", false, false, false}} {
		nics := []hints.NIC{{MAC: macA, HasCarrier: true, Boot: test.known}, {MAC: macB, HasCarrier: true}}
		list := ports.Compare(&models.Node{Name: "n", BootInterface: test.boot}, nil, nics)
		if len(list) != 2 || list[0].Create["pxe_enabled"] != test.a || list[1].Create["pxe_enabled"] != test.b {
			t.Errorf("%+v: %+v", test, list)
		}
	}
}
