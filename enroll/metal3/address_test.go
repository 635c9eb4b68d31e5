package metal3

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestParseAddress compares the results with those of baremetal-operator's code, which are recorded in
// testdata/addresses.txt. The columns of this file are the address, true if certificates are not verified, the driver
// with the interfaces, and driver_info without the credentials.
func TestParseAddress(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/addresses.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) < 600 {
		t.Fatalf("%d cases", len(lines))
	}
	for _, line := range lines {
		address, rest, _ := strings.Cut(line, "\t")
		unverified, want, _ := strings.Cut(rest, "\t")
		a, err := parseAddress(address, unverified == "true")
		got := "error"
		if err == nil {
			got = a.driver
			for _, kind := range slices.Sorted(maps.Keys(a.interfaces)) {
				got += " " + kind + "=" + a.interfaces[kind]
			}
			var info []string
			for _, key := range slices.Sorted(maps.Keys(a.info)) {
				value, _ := json.Marshal(a.info[key])
				info = append(info, fmt.Sprintf("%s=%s", key, value))
			}
			got += "\t" + strings.Join(info, " ")
		}
		if got != want {
			t.Errorf("%q, unverified %s: got %s, want %s (error %v)", address, unverified, got, want, err)
		}
	}
}
