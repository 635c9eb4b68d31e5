package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ironworks/models"

	"ironworks/printable"
)

func filterNode() *models.Node {
	return &models.Node{
		UUID: "1be26c0b-03f2-4d2e-ae87-c02d7f33c123", Name: "Rack1-n07", ProvisionState: models.StateDeployFailed,
		TargetProvisionState: models.StateActive, PowerState: models.PowerOff, ResourceClass: "gp-2x", Driver: "redfish",
		InstanceName: "Web 1", Owner: "ops", Maintenance: true, LastError: "Timeout: no: call-back",
		Traits: []string{"CUSTOM_GPU", "HW_CPU_X86_VMX"}, DeployStep: &models.Step{Interface: "deploy", Step: "write_image"},
		Description: "say \"hello\"",
	}
}

func TestFilterMatches(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		line string
		want bool
	}{
		"empty":                             {"", true},
		"blanks":                            {" \t ", true},
		"the example of the manual":         {"state:failed class:gp-2x power:off", true},
		"text, whatever the case":           {"rack1", true},
		"text in the class":                 {"2x", true},
		"text that is nowhere":              {"rack2", false},
		"all terms have to match":           {"rack1 rack2", false},
		"not":                               {"!rack2", true},
		"not what is there":                 {"!rack1", false},
		"not a key":                         {"!state:failed", false},
		"fuzzy":                             {"~rkn7", true},
		"fuzzy, wrong order":                {"~7nr", false},
		"not fuzzy":                         {"!~zz", true},
		"fuzzy with a colon":                {"~r:1", false},
		"part of a value":                   {"class:gp", true},
		"exactly":                           {"class:=gp-2x", true},
		"exactly, but only a part":          {"class:=gp", false},
		"exactly, whatever the case":        {"name:=rack1-N07", true},
		"one of a list":                     {"class:small,gp-2x", true},
		"none of a list":                    {"class:small,large", false},
		"exactly one of a list":             {"class:=small,gp-2x", true},
		"empty field":                       {"fault:", true},
		"field that is not empty":           {"class:", false},
		"empty or":                          {"lessee:,x", true},
		"not empty":                         {"!fault:", false},
		"class of state: failed":            {"state:failed", true},
		"class of state: busy":              {"state:busy", false},
		"class of state: stable":            {"state:stable", false},
		"class of state: wait":              {"state:wait", false},
		"class of state: hold":              {"state:hold", false},
		"state with a dash":                 {"state:deploy-failed", true},
		"state with an underscore":          {"state:deploy_failed", true},
		"state in quotes":                   {`state:"deploy failed"`, true},
		"state in part":                     {"state:deploy", true},
		"state exactly":                     {"state:=deploy-failed", true},
		"state exactly a class":             {"state:=failed", false},
		"target":                            {"target:active", true},
		"power by its long name":            {`power:"power off"`, true},
		"power with a dash":                 {"power:power-off", true},
		"power, the other":                  {"power:on", false},
		"power: on is no part of anything":  {"power:o", false},
		"power is known":                    {"power:", false},
		"yes":                               {"maintenance:yes", true},
		"true":                              {"maintenance:true", true},
		"off":                               {"maintenance:off", false},
		"retired: no":                       {"retired:no", true},
		"a list of truths":                  {"maintenance:yes,no", true},
		"trait":                             {"trait:custom_gpu", true},
		"any of the traits":                 {"trait:=hw_cpu_x86_vmx", true},
		"step":                              {"step:write", true},
		"instance by name":                  {`instance:"web 1"`, true},
		"quoted text with a blank":          {`"web 1"`, true},
		"quoted text with a colon":          {`error:"no: call"`, true},
		"quoted operator is text":           {`"!rack2"`, false},
		"not quoted text":                   {`!"web 2"`, true},
		"a quote in the middle":             {`rack"1-"n07`, true},
		"quoted colon in plain text":        {`"state:failed"`, false},
		"a comma in quotes is no list":      {`error:"call,back"`, false},
		"equals in quotes is no operator":   {`class:"=gp-2x"`, false},
		"equals before quotes is one":       {`name:="rack1-n07"`, true},
		"key, whatever the case":            {"STATE:failed", true},
		"value with a colon":                {"error:timeout:", true},
		"empty quotes match all":            {`""`, true},
		"letters that have no one byte":     {"é", false},
		"unknown power":                     {"power:unknown", false},
		"the second ! belongs to the text":  {"!!x", true},
		"owner in plain text":               {"ops", true},
		"description needs its key":         {"hello", false},
		"description":                       {"description:hello", true},
		"state that Ironic does not have":   {"state:flying", false},
		"more than one key at the same key": {"state:failed state:clean", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse(tt.line)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Match(&models.Row{Node: *filterNode()}) == models.Yes; got != tt.want {
				t.Errorf("%s: %v, want %v", tt.line, got, tt.want)
			}
			if f.String() != strings.TrimSpace(tt.line) {
				t.Errorf("String() = %q", f.String())
			}
		})
	}
}

func TestFilterStateClasses(t *testing.T) {
	t.Parallel()
	words := map[string]models.StateClass{"failed": models.ClassFailed, "stable": models.ClassStable, "wait": models.ClassWait, "hold": models.ClassHold, "held": models.ClassHold}
	for word, class := range words {
		f, err := Parse("state:" + word)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range models.States() {
			if got := f.Match(&models.Row{Node: models.Node{ProvisionState: s}}) == models.Yes; got != (s.Class() == class) {
				t.Errorf("state:%s for %q = %v", word, s, got)
			}
		}
		if f.Match(&models.Row{}) != models.No {
			t.Errorf("state:%s matches a node without state", word)
		}
	}
	f, _ := Parse("state:busy")
	if f.Match(&models.Row{Node: models.Node{ProvisionState: models.StateDeployWait}}) != models.Yes || f.Match(&models.Row{Node: models.Node{ProvisionState: models.StateDeployHold}}) != models.No {
		t.Error("state:busy")
	}
}

func TestFilterPowerUnknown(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"power:unknown", "power:?", "power:", "!power:on"} {
		f, err := Parse(line)
		if err != nil || f.Match(&models.Row{}) != models.Yes {
			t.Errorf("%s does not match an unknown power state (%v)", line, err)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"colour:red":        `unknown filter key "colour"; available: age, boot, class,`,
		":x":                `unknown filter key ""`,
		"http://x":          "quote the text to search for a colon",
		"!":                 "empty search text",
		"~":                 "empty search text",
		"!~":                "empty search text",
		`"open`:             "unclosed quote",
		"a b\x1b\"":         "unclosed quote",
		"maintenance:maybe": "must be yes or no",
		"retired:":          "must be yes or no",
	} {
		_, err := Parse(line)
		var fe *Error
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		} else if strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%q: the error is not printable", line)
		}
	}
}

func TestFilterFields(t *testing.T) {
	t.Parallel()
	f, err := Parse("trait:x !shard:y trait:z state:failed plain ~fuzzy")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"traits", "shard"}; !slices.Equal(f.Fields(), want) {
		t.Errorf("%q, want %q", f.Fields(), want)
	}
	if empty, _ := Parse(""); !empty.IsZero() || f.IsZero() {
		t.Error("IsZero")
	}
	if !slices.IsSorted(Keys()) || len(Keys()) != len(keys)+len(quantities)+2 {
		t.Errorf("Keys() = %q", Keys())
	}
}

// TestFilterKeysReadNodes checks that every key can be evaluated for an empty node, and that every key except trait
// then returns a value.
func TestFilterKeysReadNodes(t *testing.T) {
	t.Parallel()
	for key, k := range keys {
		if got := k.values(&models.Node{}); key != "trait" && len(got) == 0 {
			t.Errorf("%s gives nothing for an empty node", key)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	rows := make([]*models.Row, 10_000)
	for i := range rows {
		rows[i] = &models.Row{Node: models.Node{
			ProvisionState: models.States()[i%len(models.States())], PowerState: models.PowerOff, ResourceClass: fmt.Sprintf("gp-%dx", i%12),
		}}
	}
	f, err := Parse("state:failed class:gp-2x power:off")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range rows {
			f.Match(rows[i])
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"", "state:failed class:gp-2x power:off", "!text ~fuzzy", `"two words" !"a:b"`, "class:=a,b", "::", `"`, "!~:",
		`a"b:c"`, "state:", "maintenance:x", "\xff:\x00", "é~!", `key:"=x"`, "power:?", "trait:a,,b",
		"age:>10m | ram:>=64g disks:2 !cpus:<8", "field:extra.rack=7", `field:extra.a.b!="x y"`, "@big | !@big", "field:a.b>", "|", "age:>1e9h",
	} {
		f.Add(seed)
	}
	rows := []*models.Row{{}, {Node: *filterNode()}, {Node: models.Node{ProvisionState: "pondering", Name: "\xff\x1b"}}, filterMachine()}
	saved, _ := NewSaved(map[string]string{"big": "cpus:>8 | field:extra.rack=7"})
	f.Fuzz(func(t *testing.T, line string) {
		parsed, err := saved.Parse(line)
		if err != nil {
			if err.Error() != printable.Line(err.Error()) {
				t.Errorf("the error is not printable: %q", err)
			}
			return
		}
		again, err := saved.Parse(parsed.String())
		if err != nil {
			t.Fatalf("String() is no filter: %v", err)
		}
		for _, r := range rows {
			if parsed.Match(r) != again.Match(r) {
				t.Errorf("%q and %q differ", line, parsed.String())
			}
		}
		parsed.Fields()
	})
}
