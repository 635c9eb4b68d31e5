package nodefile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"ironworks/enroll/nodefile"
)

// TestBifrostsOwnInventories compares nodes with those that Bifrost creates. testdata/bifrost contains the example
// inventories of Bifrost 1e5af6ca (July 2026), our own hosts.yml, and created.json. The latter holds the nodes that
// the ironic-enroll-dynamic role creates for these inventories. It was recorded with bifrost/inventory.py (version
// 790f81c3^ for CSV) and with the openstack.cloud.baremetal_node module at 382a43c4. This module also leaves ram and
// disk_size in the properties, where nothing reads them, and it writes numbers as text. The test ignores both
// differences.
func TestBifrostsOwnInventories(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile("testdata/bifrost/created.json")
	if err != nil {
		t.Fatal(err)
	}
	type host struct {
		Node  map[string]any   `json:"node"`
		Ports []map[string]any `json:"ports"`
	}
	var files map[string]map[string]host
	if err := json.Unmarshal(recorded, &files); err != nil {
		t.Fatal(err)
	}
	formats := map[string]nodefile.Format{"baremetal.csv.example": nodefile.BifrostCSV}
	compared := 0
	for name, hosts := range files {
		data, err := os.ReadFile(filepath.Join("testdata/bifrost", name))
		if err != nil {
			t.Fatal(err)
		}
		file, err := nodefile.Options{File: name, Format: nodefile.Auto}.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		want := nodefile.Bifrost
		if special, is := formats[name]; is {
			want = special
		}
		if file.Format != want || len(file.Nodes) != len(hosts) {
			t.Errorf("%s: format %s, %d nodes, want %s, %d", name, file.Format, len(file.Nodes), want, len(hosts))
		}
		for i := range file.Nodes {
			n := &file.Nodes[i]
			theirs := hosts[n.Name()]
			if properties, is := theirs.Node["properties"].(map[string]any); is {
				delete(properties, "ram")
				delete(properties, "disk_size")
			}
			ours := host{Ports: []map[string]any{}}
			text, err := json.Marshal(n.Body())
			if err == nil {
				err = json.Unmarshal(text, &ours.Node)
			}
			if err != nil {
				t.Fatal(err)
			}
			properties, _ := ours.Node["properties"].(map[string]any)
			for key, value := range properties {
				if number, is := value.(float64); is {
					properties[key] = fmt.Sprint(number)
				}
			}
			for _, p := range n.AllPorts() {
				ours.Ports = append(ours.Ports, p)
			}
			if !reflect.DeepEqual(ours, theirs) || len(n.Problems) > 0 {
				t.Errorf("%s, %s: got\n%v, want\n%v, problems %q", name, n.Name(), ours, theirs, n.Problems)
			}
			compared++
		}
	}
	if compared != 14 {
		t.Errorf("%d hosts were compared", compared)
	}
}
