package plan

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/printable"
)

const wholePlan = `# our rack
nodes:
  - r7-n01 # the first
  # the second has another disk
  - name: r7-n02
    root_device:
      hints: {serial: S7}
    configdrive:
      meta_data: {role: db}
    traits: []

kind: install_coreos
deploy_interface: custom-agent
steps:
  # the only one
  - {interface: deploy, step: install_coreos, priority: 80}
traits: [CUSTOM_A, CUSTOM_B] # of templates
root_device:
  hints:
    wwn: "0x5001" # as inspected
    size: ">= 100"
  to: properties
configdrive:
  user_data_file: host.bu
  meta_data:
    coreos_append_karg: ["console=ttyS0"]
    coreos_copy_network: true
ramdisk:
  iso: http://h/x.iso
image:
  source: http://h/i.raw
  checksum: https://h/sums
  algorithm: sha256
allocate:
  resource_class: gp-2x
  traits: [CUSTOM_A]
policy:
  inventory: warn # CI has none
  single-disk: off
`

func decodePlan(t *testing.T, text string) *Plan {
	t.Helper()
	p, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDecodePlan(t *testing.T) {
	t.Parallel()
	p := decodePlan(t, wholePlan)
	f := p.For("r7-n01")
	if f.Kind != KindInstallCoreOS || f.RootDevice.Hints.Expression(hints.Size) != ">= 100" || f.RootDevice.Hints.Names()[0] != hints.WWN || f.RootDevice.To != hints.OfProperties {
		t.Errorf("%+v", f)
	}
	if len(f.Steps) != 1 || *f.Steps[0].Priority != 80 || f.Policy[CheckInventory] != PolicyWarn || f.Policy[CheckSingleDisk] != PolicyOff {
		t.Errorf("%+v", f)
	}
	if own := p.For("r7-n02").Traits; strings.Join(f.Traits, " ") != "CUSTOM_A CUSTOM_B" || own == nil || len(own) != 0 {
		t.Errorf("traits %q, and %q of its own", f.Traits, own)
	}
	own := p.For("r7-n02")
	if own.RootDevice.Hints.String() != `{"serial":"S7"}` || own.RootDevice.To != hints.OfProperties || own.ConfigDrive.UserDataFile != "host.bu" {
		t.Errorf("%+v", own)
	}
	if m := own.ConfigDrive.MetaData; m["role"] != "db" || m["coreos_copy_network"] != true || f.ConfigDrive.MetaData["role"] != nil {
		t.Errorf("meta data %v, of the other %v", m, f.ConfigDrive.MetaData)
	}
	if other := p.For("r9"); !reflect.DeepEqual(other, p.Fields) {
		t.Errorf("%+v", other)
	}
	if empty := decodePlan(t, "# nothing yet\n"); !reflect.DeepEqual(empty.Fields, Fields{}) {
		t.Errorf("%+v", empty)
	}
}

func TestPlanOverrides(t *testing.T) {
	t.Parallel()
	iso := Fields{Ramdisk: Ramdisk{ISO: "i"}, ConfigDrive: ConfigDrive{UserData: "x"}, Image: Image{Source: "a", Checksum: "s"}}
	pair := Fields{Ramdisk: Ramdisk{Kernel: "k", Initrd: "r"}, ConfigDrive: ConfigDrive{UserDataFile: "f"}, Image: Image{Source: "b"}}
	got := iso.With(pair)
	if got.Ramdisk != pair.Ramdisk || got.ConfigDrive.UserData != "" || got.ConfigDrive.UserDataFile != "f" || got.Image != pair.Image {
		t.Errorf("%+v", got)
	}
	if got := pair.With(iso); got.Ramdisk != iso.Ramdisk || got.ConfigDrive.UserDataFile != "" {
		t.Errorf("%+v", got)
	}
}

// TestPlanWithoutAllocationForOne checks that a node's "allocate: false" overrides the plan's allocation.
func TestPlanWithoutAllocationForOne(t *testing.T) {
	t.Parallel()
	const text = "nodes: [a, {name: b, allocate: false}]\nallocate: true\n"
	p := decodePlan(t, text)
	if a, b := p.For("a").Allocate, p.For("b").Allocate; !a.Asked() || b.Asked() {
		t.Errorf("a %+v, b %+v", a, b)
	}
	p = p.Clone()
	p.Kind = KindDirect
	if got, err := p.Encode(); err != nil || string(got) != text+"kind: direct\n" {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestBrokenPlans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"unknown key":            {"kind: direct\nkinds: direct\n", `2:1: unknown key "kinds"; available: allocate, configdrive,`},
		"a text for traits":      {"traits: CUSTOM_A\n", "1:9: traits: must be a list, not a string"},
		"a number for a trait":   {"traits: [5]\n", "1:10: traits[0]: must be a string, not a number"},
		"unknown key below":      {"ramdisk:\n  isos: x\n", `2:3: ramdisk: unknown key "isos"`},
		"unknown kind":           {"kind: magic\n", `1:7: kind: invalid value "magic": must be one of install_coreos,`},
		"a number for a text":    {"deploy_interface: 5\n", "1:19: deploy_interface: must be a string, not a number (quote it)"},
		"a list for a text":      {"kind: [direct]\n", "1:7: kind: must be a string, not a list"},
		"a text for a mapping":   {"ramdisk: x\n", "1:10: ramdisk: must be a mapping, not a string"},
		"a text for a list":      {"steps: x\n", "1:8: steps: must be a list, not a string"},
		"a list for the plan":    {"- a\n", "1:1: must be a mapping, not a list"},
		"key twice":              {"kind: direct\nkind: direct\n", `2:1: duplicate key "kind"`},
		"node twice":             {"nodes: [a, a]\n", `1:12: nodes[1]: node "a" is listed twice`},
		"node without a name":    {"nodes:\n- kind: direct\n", "2:3: nodes[0]: node name is missing"},
		"step without a name":    {"steps:\n- {interface: deploy}\n", "2:3: steps[0]: a step needs an interface and a step"},
		"a step as a text":       {"steps: [deploy.x]\n", "1:9: steps[0]: must be a mapping with interface, step,"},
		"negative priority":      {"steps:\n- {interface: deploy, step: x, priority: -1}\n", "2:42: steps[0].priority: must be a whole number"},
		"args as a list":         {"steps:\n- {interface: deploy, step: x, args: [1]}\n", "2:38: steps[0].args: must be a mapping"},
		"user data twice":        {"configdrive: {user_data: a, user_data_file: b}\n", "1:14: configdrive: user_data and user_data_file cannot be combined"},
		"hints nowhere":          {"root_device: {hints: {wwn: a}, to: extra}\n", `1:36: root_device.to: invalid value "extra": must be one of`},
		"unknown check":          {"policy: {colour: off}\n", `1:10: policy: unknown check "colour"`},
		"unknown policy":         {"policy: {retired: loud}\n", "1:19: policy.retired: check retired: invalid policy \"loud\""},
		"weakened":               {"policy: {state: off}\n", "1:17: policy.state: check state cannot be turned off"},
		"two documents":          {"kind: direct\n---\nkind: direct\n", "a plan must be a single YAML document"},
		"no yaml":                {"kind: [direct\n", "line 1"},
		"an alias":               {"image: &a {source: x}\nramdisk: *a\n", "2:10: ramdisk: must be a mapping, not an alias"},
		"an alias in meta data":  {"configdrive: {meta_data: {a: &a [1], b: *a}}\n", "an alias is not allowed in JSON"},
		"a merge":                {"ramdisk: {<<: {iso: x}}\n", "1:11: ramdisk: a key must be a string, not a merge"},
		"a tag":                  {"kind: !!python/object x\n", "1:7: kind: must be a string, not"},
		"a tag in meta data":     {"configdrive: {meta_data: {a: !x b}}\n", "!x is not allowed in JSON"},
		"no number of JSON":      {"configdrive: {meta_data: {a: .nan}}\n", "NaN"},
		"a mapping as a key":     {"? {a: b}\n: c\n", "1:3: a key must be a string, not a mapping"},
		"too deep":               {"configdrive: {meta_data: {a: " + strings.Repeat("[", 30) + strings.Repeat("]", 30) + "}}\n", "deeper than 20"},
		"escapes of a terminal":  {"\"a\\e[2J\": 1\n", `unknown key "a\x1b[2J"`},
		"laughing a billion":     {"a: &a [x,x]\nb: &b [*a,*a]\nconfigdrive: {meta_data: {c: [*b,*b]}}\n", `1:1: unknown key "a"`},
		"not what text is":       {"kind: \xff\xfe\n", "UTF-8"},
		"hints as a text":        {"root_device: {hints: /dev/sda}\n", "1:22: root_device.hints: must be a mapping"},
		"a number in a name":     {"nodes: [5]\n", "1:9: nodes[0]: must be a string"},
		"a key of another level": {"hints: {wwn: a}\n", `unknown key "hints"`},
	} {
		_, err := Decode([]byte(c.text))
		var broken *Error
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", name, err, c.says)
			continue
		}
		if text := printable.Lines(err.Error()); text != err.Error() {
			t.Errorf("%s: %q is not harmless", name, err)
		}
	}
	if _, err := Decode(make([]byte, MaxSize+1)); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("a large one: %v", err)
	}
	_, err := Decode([]byte("x: 1\ny: 1\nkind: 5\n"))
	if n := strings.Count(err.Error(), "\n"); n != 2 {
		t.Errorf("not all problems are told: %v", err)
	}
}

func TestPlanIsSavedWithItsComments(t *testing.T) {
	t.Parallel()
	p := decodePlan(t, wholePlan)
	same, err := p.Encode()
	if err != nil || string(same) != wholePlan {
		t.Fatalf("a plan that was not changed: %v\n%s", err, same)
	}
	p.DeployInterface = "direct"
	p.Kind = ""
	p.RootDevice.Hints = hintsOf(`{"wwn": "0x5002"}`)
	p.Steps = append([]models.Step{{Interface: "deploy", Step: "burn_in", Priority: prio(90), Args: map[string]any{"for": 1}}}, p.Steps...)
	p.Nodes = []Node{{Name: "r7-n03"}, p.Nodes[1], p.Nodes[0]}
	saved, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# our rack\n", "- r7-n03\n", "- r7-n01 # the first", "# the second has another disk\n  - name: r7-n02", "deploy_interface: direct\n",
		"# the only one\n", "wwn: \"0x5002\" # as inspected", "inventory: warn # CI has none",
	} {
		if !strings.Contains(string(saved), want) {
			t.Errorf("%q is gone:\n%s", want, saved)
		}
	}
	for _, gone := range []string{"kind:", "size:", "0x5001"} {
		if strings.Contains(string(saved), gone) {
			t.Errorf("%q is still there:\n%s", gone, saved)
		}
	}
	again := decodePlan(t, string(saved))
	if !again.equal(p) || again.Nodes[0].Name != "r7-n03" || again.Nodes[2].Name != "r7-n01" || again.Steps[0].Step != "burn_in" {
		t.Errorf("it says something else:\n%s", saved)
	}
}

func TestPlanWithoutAFileIsWritten(t *testing.T) {
	t.Parallel()
	p := &Plan{Nodes: []Node{{Name: "on"}}, Fields: Fields{
		Kind: KindDirect, ConfigDrive: ConfigDrive{UserData: "a\nb\n", MetaData: map[string]any{"x": []any{"5", 5, nil}}},
		RootDevice: RootDevice{Hints: hintsOf(`{"serial": "5", "rotational": true}`)},
	}}
	text, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if again := decodePlan(t, string(text)); !again.equal(p) || again.ConfigDrive.UserData != "a\nb\n" || again.Nodes[0].Name != "on" {
		t.Errorf("%s", text)
	}
}

func TestUserDataStaysAsItIsWritten(t *testing.T) {
	t.Parallel()
	p := decodePlan(t, "configdrive:\n  user_data: {ignition: {version: 3.3.0}} # mine\n")
	var object map[string]any
	if err := json.Unmarshal([]byte(p.ConfigDrive.UserData), &object); err != nil {
		t.Fatal(err)
	}
	p.Kind = KindInstallCoreOS
	text, err := p.Encode()
	if err != nil || !strings.Contains(string(text), "user_data: {ignition: {version: 3.3.0}} # mine") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestMergedSteps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		iface string
		sent  []models.Step
		want  string
	}{
		"custom-agent": {
			"custom-agent", deploymentSteps(KindInstallCoreOS, nil, nil),
			"deploy.deploy@100 deploy.install_coreos@80 deploy.prepare_instance_boot@60 deploy.tear_down_agent@40 deploy.switch_to_tenant_network@30 deploy.boot_instance@20",
		},
		"direct": {
			"direct", nil,
			"deploy.deploy@100 deploy.write_image@80 deploy.prepare_instance_boot@60 deploy.tear_down_agent@40 deploy.switch_to_tenant_network@30 deploy.boot_instance@20",
		},
		"another": {"fake", []models.Step{{Interface: "bios", Step: "x", Priority: prio(5)}}, "bios.x@5"},
		"equal priorities": {"fake", []models.Step{
			{Interface: "raid", Step: "a", Priority: prio(90)}, {Interface: "deploy", Step: "b", Priority: prio(90)}, {Interface: "vendor", Step: "c", Priority: prio(90)},
		}, "vendor.c@90 deploy.b@90 raid.a@90"},
		"switched off and moved": {"custom-agent", []models.Step{
			{Interface: "deploy", Step: "tear_down_agent", Priority: prio(0)}, {Interface: "deploy", Step: "prepare_instance_boot", Priority: prio(99)},
		}, "deploy.deploy@100 deploy.prepare_instance_boot@99 deploy.switch_to_tenant_network@30 deploy.boot_instance@20"},
	} {
		if got := stepTexts(mergedSteps(c.iface, c.sent)); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	step := func(name string) []models.Step { return []models.Step{{Interface: "deploy", Step: name}} }
	for _, c := range []struct {
		iface string
		steps []models.Step
		want  Kind
	}{
		{"custom-agent", nil, KindInstallCoreOS},
		{"custom-agent", step("install_coreos"), KindInstallCoreOS},
		{"custom-agent", step("start_assisted_install"), KindAssisted},
		{"custom-agent", step("write_image"), KindCustomAgent},
		{"direct", nil, KindDirect},
		{"ramdisk", nil, KindRamdisk},
		{"fake", step("install_coreos"), KindFake},
		{"bootc", nil, KindBootc},
		{"of-the-vendor", step("install_coreos"), KindConfigured},
	} {
		if got := kindOf(c.iface, c.steps); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.iface, c.steps, got, c.want)
		}
	}
	if got := deploymentSteps(KindAssisted, step("erase_devices"), nil); len(got) != 2 || *got[1].Priority != 80 || *got[0].Priority != 80 {
		t.Errorf("%s", stepTexts(got))
	}
}

// TestPlanSchemaNamesTheKeys checks that the JSON schema for editors and the parser agree on the keys.
func TestPlanSchemaNamesTheKeys(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/reference/plan.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
		Defs       struct {
			Kind struct {
				Enum []Kind `json:"enum"`
			} `json:"kind"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	keys := (&planReader{}).fieldKeys(&Fields{})
	keys["nodes"] = nil
	if got, want := slices.Sorted(maps.Keys(schema.Properties)), slices.Sorted(maps.Keys(keys)); !slices.Equal(got, want) {
		t.Errorf("the schema has %q, what is read is %q", got, want)
	}
	if !slices.Equal(schema.Defs.Kind.Enum, Kinds()) {
		t.Errorf("kinds: %q", schema.Defs.Kind.Enum)
	}
}

// mergedSteps returns the steps that [Facts.Order] would return if the given steps were sent and there were no
// templates.
func mergedSteps(deployInterface string, sent []models.Step) []models.Step {
	brought := make([]OrderedStep, len(sent))
	for i, s := range sent {
		brought[i] = OrderedStep{s, SourcePlan}
	}
	var merged []models.Step
	for _, s := range orderedSteps(deployInterface, brought) {
		merged = append(merged, s.Step)
	}
	return merged
}
