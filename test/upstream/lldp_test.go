package upstream_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ironworks/models/hints"
	"ironworks/test/ironic"
)

// tlv is an LLDP type and its value in hexadecimal, as the agent sends them.
type tlv [2]any

func tlvOf(kind int, value string) tlv { return tlv{kind, hex.EncodeToString([]byte(value))} }

// randomTLVs returns TLVs that a switch may announce: a chassis ID and a port ID of any subtype, usually a system
// name, and sometimes others.
func randomTLVs(random *rand.Rand) []tlv {
	pick := func(values ...string) string { return values[random.IntN(len(values))] }
	chassis := pick("\x04\x0a\x1b\x2c\x3d\x4e\x5f", "\x04\xff\x00\x00\x00\x00\x01", "\x07sw1", "\x05\x01\xc0\x00\x02\x01", "\x06vlan1", "\x02alias", "\x01part", "\x03port")
	port := pick("\x04\x02\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01", "\x04\x06\x0a\x1b\x2c\x3d\x4e\x5f", "\x05Eth3", "\x07 et-0/0/1 ", "\x01Ethernet1/1", "\x03\x0a\x1b\x2c\x3d\x4e\x5f", "\x04\x01\xc0\x00\x02\x01", "\x02part", "\x07\xc3\xbc1")
	list := []tlv{tlvOf(1, chassis), tlvOf(2, port), tlvOf(3, "\x00\x78")}
	if random.IntN(4) > 0 {
		list = append(list, tlvOf(5, pick("sw1", "sw1.rack7.example", "Schalter-\xc3\xbc")))
	}
	if random.IntN(2) > 0 {
		list = append(list, tlvOf(4, "uplink"), tlvOf(6, "NOS 4.2"), tlvOf(7, "\x00\x14\x00\x14"), tlvOf(127, "\x00\x80\xc2\x01\x00\x07"))
	}
	return append(list, tlvOf(0, ""))
}

// TestNeighborsAreThoseOfTheHook checks that the same switch port is shown when Ironic's parse-lldp hook has run and
// when only the agent's TLVs are stored.
func TestNeighborsAreThoseOfTheHook(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(26, 11)) //nolint:gosec // must be the same in every run
	lists := make([][]tlv, 2000)
	for i := range lists {
		lists[i] = randomTLVs(random)
	}
	input, err := json.Marshal(lists)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, ironic.Program(t, "python"), filepath.Join("testdata", "lldp.py"))
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	var stored []json.RawMessage
	if err := json.Unmarshal(out, &stored); err != nil || len(stored) != len(lists) {
		t.Fatalf("%d results for %d lists: %v", len(stored), len(lists), err)
	}
	whole := 0
	for i, list := range lists {
		raw, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := neighborOf(t, `"lldp_raw": {"eno1": `+string(raw)+`}`), neighborOf(t, `"parsed_lldp": {"eno1": `+string(stored[i])+`}`)
		if ours != theirs {
			t.Errorf("%s: %+v from the TLVs, %+v from the hook's %s", raw, ours, theirs, stored[i])
		}
		if theirs.SwitchID != "" && theirs.PortID != "" && theirs.SwitchInfo != "" {
			whole++
		}
	}
	if whole < 100 {
		t.Errorf("only %d whole neighbors", whole)
	}
}

func neighborOf(t *testing.T, plugin string) hints.Neighbor {
	t.Helper()
	nics, err := hints.DecodeNICs(fmt.Appendf(nil, `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "52:54:00:aa:00:01"}]}, "plugin_data": {%s}}`, plugin))
	if err != nil || len(nics) != 1 {
		t.Fatalf("%s: %v, %v", plugin, nics, err)
	}
	return nics[0].Neighbor
}
