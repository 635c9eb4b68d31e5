package conductor

import (
	"encoding/json"
	"testing"
)

// TestFastTrackEnabled checks that driver_info.fast_track is parsed by the rules of oslo.utils and that invalid
// values are rejected.
func TestFastTrackEnabled(t *testing.T) {
	t.Parallel()
	for value, want := range map[any]bool{nil: false, true: true, false: false, "True": true, " yes ": true, "off": false, json.Number("1"): true, "0": false} {
		if got, err := fastTrackEnabled(value); err != nil || got != want {
			t.Errorf("%v: %v, %v", value, got, err)
		}
	}
	for _, value := range []any{"maybe", "", json.Number("2"), json.Number("1.0")} {
		if got, err := fastTrackEnabled(value); err == nil || got {
			t.Errorf("%v is accepted", value)
		}
	}
}
