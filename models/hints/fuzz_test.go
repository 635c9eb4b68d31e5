package hints

import (
	"testing"

	"ironworks/printable"
)

// FuzzInventory checks that a malicious inventory is either rejected or can safely be shown and matched.
func FuzzInventory(f *testing.F) {
	for _, s := range []string{
		"", "{}", "null", `{"inventory":null}`, `{"inventory":{"disks":[{"name":"/dev/sda","size":1,"serial":["a","b"],"rotational":null}]}}`,
		`{"inventory":{"disks":[{"name":"a\u001b[2J","model":"\u202e","size":-1}],"system_vendor":{"serial_number":"x"}}}`,
		`{"inventory":{"disks":[{"size":1e300}]}}`, `{"inventory":{"disks":{}}}`, `{"inventory":{"disks":[{"by_path":5,"wwn":[1]}]}}`,
	} {
		f.Add([]byte(s))
	}
	all := []Hint{Name, "size", "wwn", "serial", "model"}
	f.Fuzz(func(t *testing.T, data []byte) {
		inventory, err := DecodeInventory(data)
		if err != nil {
			return
		}
		_ = inventory.OutOfBand()
		if untold := inventory.Unreported(all); len(untold) > len(all) {
			t.Errorf("%q are untold", untold)
		}
		for _, d := range inventory.Details() {
			if printable.Lines(d.Value) != d.Value || printable.Line(d.Name) != d.Name {
				t.Errorf("not safe to show: %q", d)
			}
		}
	})
}
