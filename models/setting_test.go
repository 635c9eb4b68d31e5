package models

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ironworks/printable"
)

func TestParseSetting(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arg   string
		path  string
		op    SettingOp
		value any
	}{
		"text":                       {"name=n1", "name", SettingSet, "n1"},
		"empty text":                 {"description=", "description", SettingSet, ""},
		"value with =":               {"description=a=b", "description", SettingSet, "a=b"},
		"text is never JSON":         {"name=17", "name", SettingSet, "17"},
		"truth":                      {"protected=yes", "protected", SettingSet, true},
		"no truth":                   {"automated_clean=False", "automated_clean", SettingSet, false},
		"leaf, by dots":              {"properties.root_device.wwn=0x5000", "properties root_device wwn", SettingSet, "0x5000"},
		"leaf, by slashes":           {"/extra/a/b=x", "extra a b", SettingSet, "x"},
		"leaf, number":               {"properties.cpus=16", "properties cpus", SettingSet, json.Number("16")},
		"leaf, object":               {`extra.a={"b":[1]}`, "extra a", SettingSet, map[string]any{"b": []any{json.Number("1")}}},
		"leaf, null":                 {"extra.a=null", "extra a", SettingSet, nil},
		"leaf, more than JSON":       {"extra.a=5}", "extra a", SettingSet, "5}"},
		"leaf, two values":           {"extra.a=1 2", "extra a", SettingSet, "1 2"},
		"leaf, an address":           {"driver_info.redfish_address=https://bmc:443", "driver_info redfish_address", SettingSet, "https://bmc:443"},
		"remove":                     {"owner-", "owner", SettingRemove, nil},
		"remove a truth":             {"protected-", "protected", SettingRemove, nil},
		"remove a leaf":              {"instance_info.image_source-", "instance_info image_source", SettingRemove, nil},
		"remove a leaf with a dash":  {"extra.a-b-", "extra a-b", SettingRemove, nil},
		"traits":                     {"traits=A,B", "traits", SettingSet, nil},
		"traits, more":               {"traits+=A", "traits", SettingAdd, nil},
		"traits, fewer":              {"traits-=A", "traits", SettingDrop, nil},
		"traits, none":               {"traits-", "traits", SettingRemove, nil},
		"a mask within text is text": {"extra.a=x******", "extra a", SettingSet, "x******"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := ParseSetting(tt.arg)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(s.Path, " ") != tt.path || s.Op != tt.op {
				t.Errorf("path %q op %q", s.Path, s.Op)
			}
			if tt.path == "traits" || tt.op == SettingRemove {
				return
			}
			if v, err := s.Value(); err != nil || !reflect.DeepEqual(v, tt.value) {
				t.Errorf("value %#v (%v), want %#v", v, err, tt.value)
			}
		})
	}
}

func TestParseSettingErrors(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"name":                                 "use KEY=VALUE",
		"=x":                                   "missing key",
		"-":                                    "missing key",
		"":                                     "use KEY=VALUE",
		"properties=x":                         "properties is an object: set a single field",
		"driver_info-":                         "driver_info is an object",
		"properties.a b=1":                     "\"a b\" is not allowed",
		"properties.~0=1":                      "is not allowed in a patch path",
		"extra.é=1":                            "is not allowed in a patch path",
		"uuid=x":                               `"uuid" cannot be set; available: automated_clean,`,
		"provision_state=active":               "cannot be set",
		"name.first=x":                         "name has no fields",
		"owner+=x":                             "+= is only allowed for traits",
		"extra.a-=1":                           "-= is only allowed for traits",
		"traits.a=x":                           "traits is a list",
		"protected=maybe":                      "must be true or false",
		"driver_info.redfish_password=" + Mask: "would lose the secret",
		`instance_info.a={"b":["******"]}`:     "would lose the secret",
		"col\x1bour=red":                       "is not allowed in a patch path",
	} {
		_, err := ParseSetting(arg)
		var se *SettingError
		if !errors.As(err, &se) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", arg, err, want)
		} else if strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%q: the error is not printable", arg)
		}
	}
}

func TestSettingTraits(t *testing.T) {
	t.Parallel()
	s, err := ParseSetting("traits=CUSTOM_A, CUSTOM_B,,CUSTOM_C")
	if want := []string{"CUSTOM_A", "CUSTOM_B", "CUSTOM_C"}; err != nil || !slices.Equal(s.Traits(), want) {
		t.Errorf("%q (%v)", s.Traits(), err)
	}
	if none, err := ParseSetting("traits-"); err != nil || len(none.Traits()) != 0 {
		t.Errorf("%q (%v)", none.Traits(), err)
	}
}

func TestSettingString(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"extra/a/b=1": "extra.a.b=1", "traits+=A": "traits+=A", "traits-=A": "traits-=A", "owner-": "owner-",
	} {
		s, err := ParseSetting(arg)
		if err != nil || s.String() != want {
			t.Errorf("%q: %q (%v)", arg, s.String(), err)
		}
		if again, err := ParseSetting(s.String()); err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("%q does not read back: %v", s, err)
		}
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	const raw = `{"uuid":"u","properties":{"cpus":8,"root_device":{"wwn":"1"},"list":[1],"nothing":null},
		"driver_info":{"redfish_password":"******","redfish_address":"https://bmc"},
		"instance_info":{},"extra":{"a":{"b":{"c":1}}},"network_data":null}`
	tests := map[string]struct {
		settings string
		want     string
	}{
		"nothing":                    {"", "null"},
		"traits are no patch":        {"traits=A", "null"},
		"root field":                 {"name=x", `[{"op":"add","path":"/name","value":"x"}]`},
		"remove a root field":        {"owner-", `[{"op":"remove","path":"/owner"}]`},
		"truth":                      {"retired=on", `[{"op":"add","path":"/retired","value":true}]`},
		"leaf":                       {"properties.cpus=16", `[{"op":"add","path":"/properties/cpus","value":16}]`},
		"leaf to null":               {"extra.x=null", `[{"op":"add","path":"/extra/x","value":null}]`},
		"leaf beside a secret":       {"driver_info.redfish_username=u", `[{"op":"add","path":"/driver_info/redfish_username","value":"u"}]`},
		"remove a leaf":              {"properties.cpus-", `[{"op":"remove","path":"/properties/cpus"}]`},
		"remove what is not there":   {"properties.gpus-", "null"},
		"remove below what is not":   {"properties.a.b.c-", "null"},
		"leaf of an object":          {"properties.root_device.wwn=2", `[{"op":"add","path":"/properties/root_device/wwn","value":2}]`},
		"new object around its leaf": {"properties.new.wwn=x", `[{"op":"add","path":"/properties/new","value":{"wwn":"x"}}]`},
		"null counts as missing":     {"properties.nothing.a=x", `[{"op":"add","path":"/properties/nothing","value":{"a":"x"}}]`},
		"two objects deep":           {"extra.x.y.z=1", `[{"op":"add","path":"/extra/x","value":{"y":{"z":1}}}]`},
		"deep in what is there":      {"extra.a.b.d.e=1", `[{"op":"add","path":"/extra/a/b/d","value":{"e":1}}]`},
		"two leaves of a new object": {
			"extra.x.a=1 extra.x.b=2", `[{"op":"add","path":"/extra/x","value":{"a":1,"b":2}}]`,
		},
		"leaves at several depths": {
			"extra.x.a.b=1 extra.x.c=2 extra.x.a.d=3", `[{"op":"add","path":"/extra/x","value":{"a":{"b":1,"d":3},"c":2}}]`,
		},
		"set and removed again": {"extra.x.a=1 extra.x.b=2 extra.x.a-", `[{"op":"add","path":"/extra/x","value":{"b":2}}]`},
		"removed, then made anew": {
			"extra.a- extra.a.z=1", `[{"op":"remove","path":"/extra/a"},{"op":"add","path":"/extra/a","value":{"z":1}}]`,
		},
		"made, removed, made": {
			"extra.x.a=1 extra.x- extra.x.b=2",
			`[{"op":"add","path":"/extra/x","value":{"a":1}},{"op":"remove","path":"/extra/x"},{"op":"add","path":"/extra/x","value":{"b":2}}]`,
		},
		"set as an object, then its leaf": {
			`extra.x={"a":1} extra.x.b=2`, `[{"op":"add","path":"/extra/x","value":{"a":1,"b":2}}]`,
		},
		"an object that was null": {"network_data.links=[]", `[{"op":"add","path":"/network_data/links","value":[]}]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := DecodeNode([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second round checks that Patch did not change the node
				ops, err := Patch(n, parseAll(t, tt.settings))
				if err != nil {
					t.Fatal(err)
				}
				got, err := json.Marshal(ops)
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
				if strings.Contains(string(got), Mask) {
					t.Error("a masked secret is written back")
				}
			}
		})
	}
}

func parseAll(t *testing.T, line string) []Setting {
	t.Helper()
	var settings []Setting
	for arg := range strings.FieldsSeq(line) {
		s, err := ParseSetting(arg)
		if err != nil {
			t.Fatal(err)
		}
		settings = append(settings, s)
	}
	return settings
}

func TestPatchErrors(t *testing.T) {
	t.Parallel()
	known, err := DecodeNode([]byte(`{"uuid":"u","properties":{"list":[1],"cpus":8},"driver_info":"** Redacted **"}`))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		node     *Node
		settings string
		want     string
	}{
		"a list is no object":      {known, "properties.list.a=1", "properties.list is not an object"},
		"a number is no object":    {known, "properties.cpus.a.b=1", "properties.cpus is not an object"},
		"redacted object, parents": {known, "driver_info.a.b=1", "driver_info cannot be read"},
		"redacted object, removal": {known, "driver_info.a-", "driver_info cannot be read"},
		"field that was not read":  {&Node{UUID: "u"}, "properties.root_device.wwn=1", "properties cannot be read"},
	}
	for name, tt := range tests {
		if ops, err := Patch(tt.node, parseAll(t, tt.settings)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v %v, want %q", name, ops, err, tt.want)
		}
	}
	if ops, err := Patch(&Node{UUID: "u"}, parseAll(t, "extra.a=1")); err != nil || len(ops) != 1 {
		t.Errorf("a leaf right below the root needs nothing to be read: %v", err)
	}
}

func FuzzParseSetting(f *testing.F) {
	for _, seed := range []string{"name=x", "traits-=A", "extra.a.b={}", "-", "=", "a-=", "extra..b=1", "properties/x-", "extra.a=\xff"} {
		f.Add(seed)
	}
	n, err := DecodeNode([]byte(`{"uuid":"u","properties":{},"driver_info":{},"instance_info":{},"extra":{"a":{}},"network_data":{}}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		s, err := ParseSetting(arg)
		if err != nil {
			if err.Error() != printable.Line(err.Error()) {
				t.Errorf("the error is not printable: %q", err)
			}
			return
		}
		ops, err := Patch(n, []Setting{s})
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range ops {
			if !patchPath.MatchString(op.Path) {
				t.Errorf("Ironic refuses the path %q", op.Path)
			}
		}
	})
}

func TestPatchOpCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		op   PatchOp
		want string // "" if the setting is valid
	}{
		"root field":                {PatchOp{Op: "add", Path: "/name", Value: "x"}, ""},
		"leaf":                      {PatchOp{Op: "add", Path: "/driver_info/a", Value: json.Number("1")}, ""},
		"new object":                {PatchOp{Op: "add", Path: "/properties/root_device", Value: map[string]any{"wwn": "x"}}, ""},
		"removal":                   {PatchOp{Op: "remove", Path: "/owner"}, ""},
		"whole object":              {PatchOp{Op: "replace", Path: "/instance_info", Value: map[string]any{}}, "whole objects cannot be written"},
		"removal of a whole object": {PatchOp{Op: "remove", Path: "/driver_info"}, "whole objects cannot be written"},
		"mask":                      {PatchOp{Op: "add", Path: "/driver_info/a", Value: []any{Mask}}, "mask for a secret"},
		"path with a dot":           {PatchOp{Op: "add", Path: "/extra/a.b"}, "not a path"},
		"no path":                   {PatchOp{Op: "add"}, "not a path"},
	} {
		err := tt.op.Check()
		if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
