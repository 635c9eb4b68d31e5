package audit

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
)

// TestChanges checks that ForNode returns the accepted changes, both from the file and from Write, with times on
// Ironic's clock.
func TestChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		file, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		local := time.Now().UTC()
		request := func(w Writer, id, context, verb string, end Result) {
			t.Helper()
			r := Record{Time: local.Add(-time.Hour), ID: id, Context: context, Node: models.NodeRef{UUID: "u1"}, Verb: verb, Result: Sending}
			for _, result := range []Result{Sending, end} {
				r.Result = result
				if err := w.Write(r); err != nil {
					t.Fatal(err)
				}
				r.Time = r.Time.Add(time.Second)
			}
		}
		request(file, "a", "lab", "set /properties/root_device /driver_info/redfish_password", Accepted)
		request(file, "b", "lab", "set /properties/cpu_arch", Refused)
		request(file, "c", "lab", "set /properties/memory_mb", Unknown)
		request(file, "d", "other", "set /properties/local_gb", Accepted)
		request(file, "e", "lab", "manage", Accepted)
		changes, err := ReadChanges(path, "lab", file)
		if err != nil {
			t.Fatal(err)
		}
		request(changes, "f", "lab", "set /instance_info/root_device/wwn", Accepted)

		ironic := local.Add(5 * time.Minute) // Ironic's clock is ahead
		got := changes.ForNode("u1", ironic)
		want := []string{"properties.root_device", "driver_info.redfish_password", "instance_info.root_device.wwn"}
		if len(got) != len(want) {
			t.Fatalf("%+v, want %q", got, want)
		}
		for i, c := range got {
			if c.Field != want[i] || !c.At.Equal(ironic.Add(-time.Hour)) {
				t.Errorf("%+v, want %s at %s", c, want[i], ironic.Add(-time.Hour))
			}
		}
		if more := changes.ForNode("u2", ironic); more != nil {
			t.Errorf("of another node: %+v", more)
		}
		if records, err := Read(path, "lab", models.NodeRef{UUID: "u1"}); err != nil || len(records) != 5 {
			t.Errorf("%d records passed on, %v", len(records), err)
		}
	})
}

type refusingAudit struct{}

func (refusingAudit) Write(Record) error { return errors.New("disk full") }

// TestUnrecordedChangesDoNotCount checks that ForNode omits changes that could not be recorded, because they are not
// made.
func TestUnrecordedChangesDoNotCount(t *testing.T) {
	t.Parallel()
	changes, err := ReadChanges(filepath.Join(t.TempDir(), "none"), "lab", refusingAudit{})
	if err != nil {
		t.Fatal(err)
	}
	r := Record{ID: "a", Context: "lab", Node: models.NodeRef{UUID: "u1"}, Verb: "set /name", Result: Accepted}
	if err := changes.Write(r); err == nil || changes.ForNode("u1", time.Now()) != nil {
		t.Errorf("error %v, changes %+v", err, changes.ForNode("u1", time.Now()))
	}
}
