package bios_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/bios"
)

func some() []models.BIOSSetting {
	yes, low, high := true, 1, 30
	return []models.BIOSSetting{
		{Name: "BootMode", Value: "Uefi", Type: "Enumeration", Allowed: []string{"Uefi", "Bios"}},
		{Name: "MemTest", Value: "True", Type: "Boolean"},
		{Name: "RetryDelay", Value: "10", Type: "Integer", Lower: &low, Upper: &high},
		{Name: "AssetTag", Value: "r7", Type: "String", MinLength: &low, MaxLength: &high, Unique: &yes},
		{Name: "Model", Value: "R7", Type: "String", ReadOnly: &yes},
		{Name: "Plain", Value: "a"}, // from a BMC without an attribute registry
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		change  string
		value   any // nil if nothing is pending
		problem string
	}{
		{"BootMode=Bios", "Bios", ""},
		{"BootMode=Uefi", nil, ""},
		{"BootMode=Biso", nil, `BIOS setting BootMode: "Biso" is not allowed (did you mean "Bios"?); allowed: Uefi, Bios`},
		{"MemTest=true", nil, ""},
		{"MemTest=false", false, ""},
		{"MemTest=1", nil, ""},
		{"MemTest=maybe", nil, `BIOS setting MemTest: "maybe" is not true or false`},
		{"RetryDelay=30", 30, ""},
		{"RetryDelay=31", nil, "BIOS setting RetryDelay: 31 is not allowed; allowed: 1 to 30"},
		{"RetryDelay=ten", nil, `BIOS setting RetryDelay: "ten" is not a number`},
		{"AssetTag=", nil, "BIOS setting AssetTag: 0 characters; allowed: 1 to 30 characters"},
		{"AssetTag=ü" + strings.Repeat("x", 29), "ü" + strings.Repeat("x", 29), ""},
		{"Model=R8", nil, "BIOS setting Model: read-only"},
		{"Plain=b=c", "b=c", ""},
		{"Bootmode=Bios", nil, `no BIOS setting Bootmode (did you mean "BootMode"?)`},
	} {
		c, err := bios.ParseChange(tc.change)
		if err != nil {
			t.Fatal(err)
		}
		pending, problems := bios.Pending(some(), []bios.Change{c})
		if got := strings.Join(problems, "; "); got != tc.problem {
			t.Errorf("%s: problem %q, want %q", tc.change, got, tc.problem)
		}
		var value any
		if len(pending) == 1 {
			value = pending[0].Value
		}
		if value != tc.value {
			t.Errorf("%s: value %v (%T), want %v (%T)", tc.change, value, value, tc.value, tc.value)
		}
	}
	if pending, problems := bios.Pending(nil, []bios.Change{{"Any", "x"}}); len(pending) != 1 || problems != nil {
		t.Errorf("without settings: %v, %v", pending, problems)
	}
	for _, text := range []string{"BootMode", "=x", ""} {
		if _, err := bios.ParseChange(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	other := some()
	other[0].Value, other[3].Value, other[4].Value = "Bios", "r8", "R8"
	other[5].Name = "Other"
	var got []string
	list := bios.Compare(some(), other)
	for _, d := range list {
		got = append(got, fmt.Sprintf("%s %s/%s %s", d.Name, d.Golden, d.Value, d.Note))
	}
	want := []string{"AssetTag r7/r8 unique", "BootMode Uefi/Bios ", "Model R7/R8 read-only", "Other /a missing on the golden node", "Plain a/ missing on the node"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if copied := bios.Copied(list); len(copied) != 1 || copied[0] != (bios.Change{Name: "BootMode", Value: "Uefi"}) {
		t.Errorf("copied %v", copied)
	}
	if list := bios.Compare(some(), some()); list != nil {
		t.Errorf("equal machines differ: %v", list)
	}
}
