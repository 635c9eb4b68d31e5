package hints_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"ironworks/models/hints"
)

// TestNeighbors checks that LLDP data is decoded from every place where it may be stored. The forms of the chassis
// and port IDs are from ironic/drivers/modules/inspector/lldp_tlvs.py.
func TestNeighbors(t *testing.T) {
	t.Parallel()
	whole := hints.Neighbor{SwitchID: "0a:1b:2c:3d:4e:5f", PortID: "Eth3", SwitchInfo: "sw1"}
	for name, test := range map[string]struct {
		lldp, plugin string
		want         hints.Neighbor
	}{
		"agent":                 {`[[1, "040a1b2c3d4e5f"], [2, "0545746833"], [5, "737731"], [3, "0078"]]`, `{}`, whole},
		"lldp collector":        {`null`, `{"lldp_raw": {"eno1": [[1, "040a1b2c3d4e5f"], [2, "0545746833"], [5, "737731"]]}}`, whole},
		"hook parse-lldp":       {`null`, `{"parsed_lldp": {"eno1": {"switch_chassis_id": "0A:1b:2c:3d:4e:5f", "switch_port_id": "Eth3", "switch_system_name": "sw1"}}}`, whole},
		"other NIC":             {`null`, `{"lldp_raw": {"eno2": [[2, "0545746833"]]}}`, hints.Neighbor{}},
		"chassis ID is a name":  {`[[1, "07737731"], [2, "0545746833"]]`, `{}`, hints.Neighbor{PortID: "Eth3"}},
		"port ID is a MAC":      {`[[2, "030a1b2c3d4e5f"]]`, `{}`, hints.Neighbor{PortID: "0a:1b:2c:3d:4e:5f"}},
		"port ID is an IPv4":    {`[[2, "0401c0000201"]]`, `{}`, hints.Neighbor{PortID: "192.0.2.1"}},
		"port ID is an IPv6":    {`[[2, "040220010db8000000000000000000000001"]]`, `{}`, hints.Neighbor{PortID: "2001:db8::1"}},
		"port ID as IANA MAC":   {`[[2, "04060a1b2c3d4e5f"]]`, `{}`, hints.Neighbor{PortID: "0a:1b:2c:3d:4e:5f"}},
		"port ID is no IP":      {`[[2, "0401c000"], [2, "0409"], [2, "04"]]`, `{}`, hints.Neighbor{}},
		"spaces are Ironic's":   {`[[2, "072065746820"]]`, `{}`, hints.Neighbor{PortID: " eth "}},
		"not hexadecimal":       {`[[1, "zz"], [2, "0545746833"]]`, `{}`, hints.Neighbor{PortID: "Eth3"}},
		"short MAC":             {`[[1, "040a1b"]]`, `{}`, hints.Neighbor{}},
		"empty values":          {`[[1, ""], [2, "05"], [5, ""]]`, `{}`, hints.Neighbor{}},
		"not UTF-8":             {`[[5, "ff"]]`, `{}`, hints.Neighbor{}},
		"not TLVs":              {`[1, [2], ["a", "b"], [2, 3]]`, `{}`, hints.Neighbor{}},
		"no list":               {`{"a": 1}`, `{}`, hints.Neighbor{}},
		"plugin data of others": {`null`, `{"parsed_lldp": [1], "lldp_raw": "x"}`, hints.Neighbor{}},
		"no plugin data":        {`[]`, `null`, hints.Neighbor{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nics, err := hints.DecodeNICs(fmt.Appendf(nil, `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "52:54:00:AA:00:01", "lldp": %s}]}, "plugin_data": %s}`, test.lldp, test.plugin))
			if err != nil || len(nics) != 1 || nics[0].Neighbor != test.want || nics[0].MAC != "52:54:00:aa:00:01" || !nics[0].CarrierUnknown {
				t.Errorf("%+v, %v", nics, err)
			}
		})
	}
}

func FuzzNICs(f *testing.F) {
	f.Add([]byte(`{"inventory": {"interfaces": [{"name": "eno1", "lldp": [[1, "040a1b2c3d4e5f"]]}], "boot": {"pxe_interface": "01-52-54-00-aa-00-01"}}, "plugin_data": {}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		nics, err := hints.DecodeNICs(data)
		if err != nil {
			return
		}
		for _, nic := range nics {
			if id := nic.Neighbor.SwitchID; id != "" && len(id) != len("0a:1b:2c:3d:4e:5f") {
				t.Errorf("switch ID %q", id)
			}
			if _, err := json.Marshal(nic); err != nil {
				t.Error(err)
			}
		}
	})
}
