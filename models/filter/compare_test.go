package filter

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

// filterMachine returns a node that has been in its state for 3 h. It has properties, extra fields and an inventory.
func filterMachine() *models.Row {
	r := &models.Row{Node: models.Node{
		UUID: "u", Name: "r7-n01", ProvisionState: models.StateActive, Maintenance: true, Traits: []string{"CUSTOM_A", "CUSTOM_B"},
		Properties: map[string]any{"memory_mb": "65536", "cpus": float64(32), "capabilities": "boot_mode:uefi"},
		DeployStep: &models.Step{Interface: "deploy", Step: "write_image", Priority: new(80)},
		Whole: map[string]any{
			"extra":      map[string]any{"rack": float64(7), "example.com/row": "B", "list": []any{"x", float64(2)}, "empty": "", "none": nil},
			"updated_at": "2026-11-25T10:00:00+00:00",
		},
	}}
	r.Since = filterNow.Add(-3 * time.Hour)
	r.Hardware = &models.Hardware{Disks: 3, RAM: 1 << 30, CPUs: 4, Inspected: true}
	return r
}

var filterNow = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func TestFilterComparisons(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]models.Answer{
		"age:>10m":                         models.Yes,
		"age:<10m":                         models.No,
		"age:>=3h":                         models.Yes,
		"age:<=3h":                         models.Yes,
		"age:>3h":                          models.No,
		"age:<1d12h":                       models.Yes,
		"!age:>10m":                        models.No,
		"age:":                             models.No,
		"ram:>=64g":                        models.Yes,
		"ram:>64GiB":                       models.No,
		"ram:64g":                          models.Yes,
		"ram:=65536MiB":                    models.Yes,
		"ram:!=64g":                        models.No,
		"ram:<65gb":                        models.No,
		"cpus:<8":                          models.No,
		"cpus:32":                          models.Yes,
		"CPUS:>31":                         models.Yes,
		"disks:>2":                         models.Yes,
		"disks:<3":                         models.No,
		"disks:3 cpus:32 ram:>1g age:>1h":  models.Yes,
		"name:x | disks:3":                 models.Yes,
		"name:r7|name:x":                   models.Yes,
		"name:x | name:y":                  models.No,
		"name:x disks:3 | name:r7 disks:9": models.No,
		"name:x disks:3 | name:r7 disks:3": models.Yes,
		`name:"x|r7"`:                      models.No,
		"field:extra.rack=7":               models.Yes,
		"field:extra.rack=7.0":             models.Yes,
		"field:extra.rack=6,7":             models.Yes,
		`field:extra.rack="6,7"`:           models.No,
		"field:extra.rack!=7":              models.No,
		"field:extra.rack>6":               models.Yes,
		"field:extra.rack<6":               models.No,
		"field:extra.rack>a":               models.No,
		"field:extra.example.com/row=b":    models.Yes,
		"field:extra.example.com/row>a":    models.Yes,
		"field:extra.list=2":               models.Yes,
		"field:extra.list.0=x":             models.Yes,
		"field:extra.list.9=x":             models.No,
		"field:extra.empty=":               models.Yes,
		"field:extra.none=":                models.Yes,
		"field:extra.missing=":             models.Yes,
		"field:extra.missing!=7":           models.Yes,
		"field:extra.missing<7":            models.No,
		"field:extra.rack.deeper=":         models.Yes,
		"field:properties.cpus>=32":        models.Yes,
		"field:properties.memory_mb=65536": models.Yes,
		"field:maintenance=yes":            models.Yes,
		"field:maintenance!=true":          models.No,
		"field:traits=custom_b":            models.Yes,
		"field:traits.1=custom_b":          models.Yes,
		"field:traits!=custom_c":           models.Yes,
		"field:deploy_step.priority>=80":   models.Yes,
		"field:updated_at>2026-11-01":      models.Yes,
		"field:updated_at<2026-11-01":      models.No,
		"field:provision_state=active":     models.Yes,
		"field:clean_step=":                models.Yes,
		"field:raid_config.x=1":            models.Unknown,
		"!field:raid_config.x=1":           models.Unknown,
		"field:raid_config.x=1 name:no":    models.No,
		"field:raid_config.x=1 | name:r7":  models.Yes,
		"field:raid_config.x=1 | name:no":  models.Unknown,
		"field:driver_info.a=1":            models.Unknown,
		"field:driver_internal_info.a=1":   models.Unknown,
	} {
		f, err := Parse(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := f.At(filterNow).Match(filterMachine()); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

func TestFilterOfHardwareThatWasNotRead(t *testing.T) {
	t.Parallel()
	unread, none := &models.Row{}, &models.Row{Node: models.Node{Properties: map[string]any{}}, Hardware: &models.Hardware{}}
	inventory := &models.Row{Node: models.Node{Properties: map[string]any{"memory_mb": nil, "cpus": "many"}}, Hardware: &models.Hardware{RAM: 64 << 30, CPUs: 8, Disks: 1, Inspected: true}}
	for line, want := range map[string][3]models.Answer{
		"ram:>=64g":        {models.Unknown, models.No, models.Yes},
		"cpus:8":           {models.Unknown, models.No, models.Yes},
		"disks:1":          {models.Unknown, models.No, models.Yes},
		"disks:<9":         {models.Unknown, models.No, models.Yes},
		"disks:":           {models.Unknown, models.Yes, models.No},
		"cpus:":            {models.Unknown, models.Yes, models.No},
		"!disks:1":         {models.Unknown, models.Yes, models.No},
		"disks:1 name:x":   {models.No, models.No, models.No},
		"disks:1 | state:": {models.Yes, models.Yes, models.Yes},
	} {
		f, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if !f.NeedsHardware() {
			t.Errorf("%s needs no inventory", line)
		}
		if got := [3]models.Answer{f.Match(unread), f.Match(none), f.Match(inventory)}; got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

func TestFilterFieldsOfComparisons(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"ram:>1g":                             "properties",
		"disks:>1":                            "",
		"age:>1h":                             "",
		"field:extra.a=1 | field:traits=x":    "extra traits",
		"field:name=x":                        "",
		"field:driver_internal_info.a.b=1":    "driver_internal_info",
		"conductor:x cpus:1 field:conductor=": "conductor properties",
	} {
		f, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Fields(), " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	if got := models.WholeFields([]string{"extra", "properties", "driver_internal_info", "name"}); strings.Join(got, " ") != "extra driver_internal_info" {
		t.Errorf("WholeFields() = %v", got)
	}
}

func TestFilterErrorsHavePositions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"a age:10m":          `filter "age:10m", column 3: must be a comparison, such as age:>10m`,
		"age:>10":            `filter "age:>10", column 1: invalid duration "10"`,
		"age:>":              `invalid duration ""`,
		"ram:>=64":           "needs a unit, such as ram:>=64g",
		"ram:>=x":            `invalid size "x"`,
		"cpus:>-1":           `"-1" is not a number`,
		"disks:many":         `"many" is not a number`,
		"é  name:>x":         `filter "name:>x", column 4: name cannot be compared with < or >: use age, cpus, disks, ram or field:PATH`,
		"| a":                `filter "|", column 1: | needs a term on both sides`,
		"a |":                `filter "|", column 3: | needs a term on both sides`,
		"a || b":             `filter "|", column 4: | needs a term on both sides`,
		"field:extra.rack":   "must be a comparison, such as field:extra.rack=7",
		"field:extra.rack!7": "the path must be followed by one of = != > >= < <=",
		"field:colour.x=1":   `nodes have no field "colour"; available: allocation_uuid,`,
		`field:"extra=1"`:    "must be a comparison",
		"field:":             "must be a comparison",
		"@missing":           `no saved filter "missing": the configuration file has none`,
		`a "b`:               `filter "a \"b", column 3: unclosed quote`,
		"x y colour:red":     `filter "colour:red", column 5: unknown filter key "colour"`,
	} {
		_, err := Parse(line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestSavedFilters(t *testing.T) {
	t.Parallel()
	saved, failed := NewSaved(map[string]string{
		"big": "cpus:>=32 | ram:>=1t", "stuck": "@big age:>1h", "a": "@b", "b": "x @c", "c": "!@a", "self": "@self",
		"lost": "@gone", "wrong": "age:10", "two words": "x",
	})
	if got := strings.Join(saved.Names(), " "); got != "big stuck" {
		t.Errorf("Names() = %s", got)
	}
	for name, want := range map[string]string{
		"a": "saved filters refer to each other in a loop: @a, @b, @c, @a", "self": "in a loop: @self, @self", "lost": `no saved filter "gone"; available: @`,
		"wrong": "column 1: must be a comparison", "two words": "letters, digits", "b": "refer to each other", "c": "refer to each other",
	} {
		if err := failed[name]; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	for line, want := range map[string]models.Answer{"@big": models.Yes, "@stuck": models.Yes, "!@big": models.No, "@big name:x": models.No, "name:x | @stuck": models.Yes, `"@big"`: models.No} {
		f, err := saved.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.At(filterNow).Match(filterMachine()); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
	f, err := saved.Parse("@stuck")
	if err != nil || !f.NeedsHardware() || strings.Join(f.Fields(), " ") != "properties" {
		t.Errorf("%v %v", f.Fields(), err)
	}
	if _, err := saved.Parse("x @bigg"); err == nil || !strings.Contains(err.Error(), `filter "@bigg", column 3: no saved filter "bigg"; available: @big, @stuck`) {
		t.Error(err)
	}
}

// TestAPIFields checks that every field of Node is also a field of the API.
func TestAPIFields(t *testing.T) {
	t.Parallel()
	for field := range reflect.TypeFor[models.Node]().Fields() {
		name := field.Tag.Get("json")
		if name == "-" {
			continue
		}
		f, err := Parse("field:" + name + "=x")
		if err != nil {
			t.Error(err)
			continue
		}
		f.Match(&models.Row{})
	}
}

func TestKeepWhole(t *testing.T) {
	t.Parallel()
	page := `{"nodes": [{"uuid": "a", "extra": {"rack": 7}}, {"uuid": "b"}]}`
	nodes, err := models.DecodeNodes([]byte(page), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := models.KeepWhole(nodes, []byte(page), []string{"extra"}); err != nil {
		t.Fatal(err)
	}
	if v, loaded := nodes[0].Field("extra", "rack"); v != 7.0 || !loaded {
		t.Error(v, loaded)
	}
	if v, loaded := nodes[1].Field("extra", "rack"); v != nil || loaded {
		t.Error(v, loaded)
	}
	one := models.Node{Raw: json.RawMessage(`{"uuid": "a", "extra": {"rack": "B"}}`)}
	if v, loaded := one.Field("extra", "rack"); v != "B" || !loaded {
		t.Error("of a node that was read in full:", v, loaded)
	}
	if err := one.KeepWhole([]string{"extra"}); err != nil || one.Whole["extra"] == nil {
		t.Error(err)
	}
}
