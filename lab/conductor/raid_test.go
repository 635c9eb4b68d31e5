package conductor

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/lab/db"
)

func TestRAIDConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`{"logical_disks": [{"size_gb": 100, "raid_level": "1"}, {"size_gb": "MAX", "raid_level": "0", "is_root_volume": true}]}`, ""},
		{`{"logical_disks": [{"size_gb": 100}]}`, "RAID config validation error: 'raid_level' is a required property"},
		{`{}`, "'logical_disks' is a required property"},
		{`{"logical_disks": []}`, "[] should be non-empty"},
		{`{"logical_disks": {}}`, "{} is not of type 'array'"},
		{`{"logical_disks": ["x"]}`, "'x' is not of type 'object'"},
		{`{"disks": []}`, "'logical_disks' is a required property"},
		{`{"disks": [], "logical_disks": [{"size_gb": 1, "raid_level": "1"}]}`, "Additional properties are not allowed ('disks' was unexpected)"},
		{`{"logical_disks": [{"size_gb": -1, "raid_level": "1"}]}`, "-1 is not valid under any of the given schemas"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "7"}]}`, "'7' is not one of ['JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0']"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "1", "a": 1, "b": 2}]}`, "('a', 'b' were unexpected)"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "1", "physical_disks": ["1"]}]}`, "'controller' is a dependency of 'physical_disks'"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "1", "number_of_physical_disks": 0}]}`, "0 is less than or equal to the minimum of 0"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "1", "is_root_volume": true}, {"size_gb": 1, "raid_level": "1", "is_root_volume": true}]}`, "2 root volumes were specified"},
	} {
		decoder := json.NewDecoder(strings.NewReader(test.text))
		decoder.UseNumber()
		var target db.Dict
		if err := decoder.Decode(&target); err != nil {
			t.Fatal(err)
		}
		err := checkRAID(target)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.text, err, test.want)
		}
	}
}
