package filter_test

import (
	"strings"
	"testing"

	"ironworks/models/filter"

	"ironworks/models"
)

// TestDiscovered checks that a node counts as discovered if its inventory or its extra field says so. If neither
// does, the result is unknown until both have been read.
func TestDiscovered(t *testing.T) {
	t.Parallel()
	f, err := filter.Parse("is:discovered")
	if err != nil || !f.NeedsHardware() || strings.Join(f.Fields(), " ") != "extra" {
		t.Fatalf("%v %v", err, f.Fields())
	}
	extra := func(value any) map[string]any {
		return map[string]any{"extra": map[string]any{"auto_discovered": value}}
	}
	for name, c := range map[string]struct {
		row  models.Row
		want models.Answer
	}{
		"nothing read":        {models.Row{}, models.Unknown},
		"by its inventory":    {models.Row{Hardware: &models.Hardware{Discovered: true}}, models.Yes},
		"by a rule":           {models.Row{Node: models.Node{Whole: extra(true)}}, models.Yes},
		"another inventory":   {models.Row{Node: models.Node{Whole: extra(nil)}, Hardware: &models.Hardware{Inspected: true}}, models.No},
		"the inventory alone": {models.Row{Hardware: &models.Hardware{Inspected: true}}, models.Unknown},
	} {
		if got := f.Match(&c.row); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	for text, want := range map[string]models.Answer{"is:maintenance": models.Yes, "!is:maintenance": models.No, "is:retired": models.No} {
		f, err := filter.Parse(text)
		if err != nil || f.Match(&models.Row{Node: models.Node{Maintenance: true}}) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := filter.Parse("is:new"); err == nil || !strings.Contains(err.Error(), "is: must be followed by one of discovered, maintenance, protected, retired") {
		t.Errorf("%v", err)
	}
}
