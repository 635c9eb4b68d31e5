package linux_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"ironworks/agent/linux"
	"ironworks/test/linuxhost"
)

// TestInventoryAsIronicPythonAgent checks that the inventories of recorded machines equal, in every field, the
// inventories that ironic-python-agent 13.0.0 collected during the same boot.
func TestInventoryAsIronicPythonAgent(t *testing.T) {
	t.Parallel()
	for _, name := range linuxhost.Names(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := linuxhost.Load(t, name)
			machine := machineOf(t, r)
			inventory, err := machine.Inventory(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ours, real := decode(t, inventory), decode(t, r.Inventory)
			for section, want := range real.(map[string]any) {
				if got := ours.(map[string]any)[section]; !sameElements(got, want) {
					t.Errorf("%s differs:\nours %v\nreal %v", section, got, want)
				}
			}
			disks, err := machine.BlockDevices(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got, want := decode(t, disks), withoutUnknown(decode(t, r.Disks)); !reflect.DeepEqual(got, want) {
				t.Errorf("the disks with all serials differ:\nours %v\nreal %v", got, want)
			}
		})
	}
}

// TestCollectorsAsIronicPythonAgent checks that the pci-devices, usb-devices, numa-topology and dmi-decode collectors
// return the same data as in ironic-python-agent.
func TestCollectorsAsIronicPythonAgent(t *testing.T) {
	t.Parallel()
	for _, name := range linuxhost.Names(t) {
		r := linuxhost.Load(t, name)
		machine := machineOf(t, r)
		for _, collector := range []string{"pci-devices", "usb-devices", "numa-topology", "dmi-decode"} {
			key, value, err := machine.Collect(t.Context(), collector)
			if err != nil {
				t.Fatal(err)
			}
			want, sent := r.Collected[key]
			if got := decode(t, value); !sent || !sameElements(got, want) {
				t.Errorf("%s, %s differs:\nours %v\nreal %v", name, collector, got, want)
			}
		}
	}
}

func machineOf(t *testing.T, r *linuxhost.Recording) *linux.Machine {
	t.Helper()
	host := r.Host(t)
	params, err := host.Parameters()
	if err != nil {
		t.Fatal(err)
	}
	return linux.New(host, linux.Options{Parameters: params})
}

// decode converts v to JSON and back, so that it consists only of maps, lists and basic types.
func decode(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

// withoutUnknown removes None from the real agent's lists of serials and WWNs, because our lists do not contain it.
// The difference does not matter, because no hint is compared with None. A list with one value becomes this value.
func withoutUnknown(disks any) any {
	for _, disk := range disks.([]any) {
		fields := disk.(map[string]any)
		for _, field := range []string{"serial", "wwn"} {
			var known []any
			for _, value := range fields[field].([]any) {
				if value != nil {
					known = append(known, value)
				}
			}
			switch len(known) {
			case 0:
				fields[field] = nil
			case 1:
				fields[field] = known[0]
			default:
				fields[field] = known
			}
		}
	}
	return disks
}

// sameElements reports whether two values are equal, regardless of the order of lists. Some lists are in the
// arbitrary order of the file system.
func sameElements(a, b any) bool {
	switch a := a.(type) {
	case []any:
		list, ok := b.([]any)
		if !ok || len(a) != len(list) {
			return false
		}
		for _, one := range a {
			if !contains(list, one) {
				return false
			}
		}
		return true
	case map[string]any:
		object, ok := b.(map[string]any)
		if !ok || len(a) != len(object) {
			return false
		}
		for key := range a {
			if !sameElements(a[key], object[key]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func contains(list []any, one any) bool {
	for _, other := range list {
		if sameElements(one, other) {
			return true
		}
	}
	return false
}
