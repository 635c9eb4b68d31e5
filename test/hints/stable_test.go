package hints_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"ironworks/models/hints"
)

// TestStableHintsPickTheirDisk checks that the hint that MostStable returns for a disk is valid for Ironic and makes
// the agents of both releases pick that disk.
func TestStableHintsPickTheirDisk(t *testing.T) {
	m := newMaker(5)
	var cases bytes.Buffer
	var names []string
	written := map[hints.Hint]int{}
	for range 1500 {
		raw, err := json.Marshal(m.disks())
		if err != nil {
			t.Fatal(err)
		}
		disks, err := hints.DecodeDisks(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range disks {
			hints, err := hints.MostStable(d, disks)
			if err != nil {
				continue
			}
			written[hints.Names()[0]]++
			names = append(names, d.Name)
			line, err := json.Marshal(object{{"hints", hints}, {"disks", json.RawMessage(raw)}})
			if err != nil {
				t.Fatal(err)
			}
			cases.Write(append(line, '\n'))
		}
	}
	t.Logf("%d hints: %v", len(names), written)
	if len(written) < 6 {
		t.Errorf("only hints of kinds %v", written)
	}
	for _, by := range []hints.Generation{hints.GenerationNewest, hints.GenerationOld} {
		for i, a := range run(t, by.String(), ironicProgram, cases.Bytes(), len(names)) {
			if !*a.Valid {
				t.Errorf("Ironic, %s: hint %d: %s", by, i, a.Error)
			}
		}
		for i, a := range run(t, "agent-"+by.String(), agentProgram, cases.Bytes(), len(names)) {
			if value(a.Picks) != names[i] {
				t.Errorf("agent, %s: hint %d picks %q, want %q: %s", by, i, value(a.Picks), names[i], a.Error)
			}
		}
	}
}
