package plan

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
)

// checkNow is the current time in the check tests.
var checkNow = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const (
	bigDisk   = `{"name": "/dev/sda", "size": 480103981056, "model": "SAMSUNG MZ7LH480", "serial": "S1", "wwn": "0x5001", "rotational": false, "tran": "sata"}`
	dataDisk  = `{"name": "/dev/sdb", "size": 960197124096, "model": "SAMSUNG MZ7LH960", "serial": "S2", "wwn": "0x5002", "rotational": false, "tran": "sata"}`
	hintsOfS1 = `{"serial": "S1"}`
)

// rawNode returns a node with the given JSON fields. All other fields have default values that the tests share.
func rawNode(t *testing.T, fields string) *models.Node {
	t.Helper()
	object := map[string]any{
		"uuid": "u1", "name": "n1", "provision_state": "available", "power_state": "power off", "driver": "redfish",
		"deploy_interface": "custom-agent", "boot_interface": "redfish-virtual-media", "conductor_group": "",
		"driver_info": map[string]any{"deploy_iso": "http://h/x.iso"}, "properties": map[string]any{},
		"instance_info": map[string]any{}, "extra": map[string]any{}, "inspection_finished_at": "2026-11-20T12:00:00+00:00",
	}
	var own map[string]any
	if err := json.Unmarshal([]byte("{"+fields+"}"), &own); err != nil {
		t.Fatal(err)
	}
	for k, v := range own {
		object[k] = v
	}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	n, err := models.DecodeNode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func inventoryOf(disks ...string) *hints.Inventory {
	inv, err := hints.DecodeInventory([]byte(`{"inventory": {"disks": [` + strings.Join(disks, ",") + `]}}`))
	if err != nil {
		panic(err)
	}
	return &inv
}

func hintsOf(text string) hints.Hints {
	h, err := hints.Decode([]byte(text))
	if err != nil {
		panic(err)
	}
	return h
}

// goodFacts returns the facts about a node that has no problems, apart from those that the given JSON fields cause.
func goodFacts(t *testing.T, fields string) *Facts {
	t.Helper()
	yes := true
	return &Facts{
		Now: checkNow, Version: models.APIVersion{Minor: models.NewestMinor}, Node: rawNode(t, fields),
		Plan:      Fields{RootDevice: RootDevice{Hints: hintsOf(hintsOfS1)}},
		Inventory: inventoryOf(bigDisk, dataDisk), MaxInventoryAge: 30 * 24 * time.Hour,
		Validations: []models.Validation{{Interface: "power", Result: &yes}, {Interface: "deploy", Result: &yes}},
		Drivers:     []models.Driver{{Name: "redfish", Enabled: map[string][]string{"deploy": {"custom-agent", "direct", "ramdisk"}}}},
		Conductors:  []models.Conductor{{Hostname: "c1", Alive: true, Drivers: []string{"redfish"}}},
		Others:      []OtherDisks{{Node: models.NodeRef{UUID: "u1"}, Disks: inventoryOf(bigDisk).Disks}, {Node: models.NodeRef{UUID: "u2", Name: "n2"}}},
		Offered:     &OfferedSteps{Steps: []OfferedStep{{Interface: "deploy", Step: "install_coreos"}, {Interface: "deploy", Step: "burn_in", Args: map[string]StepArgInfo{"for": {Required: true}, "how": {}}}}},
		UserData:    &UserDataFacts{Kind: "ignition", Language: ReaderIgnition, OK: true, Sent: 100},
	}
}

func prio(n int) *int { return &n }

// checkCase is a change to the facts about a node without problems, together with the expected result of a check.
type checkCase struct {
	node   string
	change func(f *Facts)
	want   CheckSeverity
	says   string
}

const notDone CheckSeverity = "not done"

func withSteps(s ...models.Step) func(*Facts) {
	return func(f *Facts) { f.Plan.Steps = s }
}

func planHints(text string) func(*Facts) {
	return func(f *Facts) { f.Plan.RootDevice.Hints = hintsOf(text) }
}

func disks(d ...string) func(*Facts) {
	return func(f *Facts) { f.Inventory = inventoryOf(d...) }
}

// fromBMC is a disk in the form that Redfish inspection stores in Ironic 39.0.
const fromBMC = `{"name": "Disk 0", "size": 480103981056, "vendor": null, "model": "SAMSUNG MZ7LH480", "serial": "S1", "rotational": false}`

func noHints(then func(*Facts)) func(*Facts) {
	return func(f *Facts) {
		f.Plan.RootDevice = RootDevice{}
		then(f)
	}
}

func kind(k Kind) func(*Facts) {
	return func(f *Facts) { f.Plan.Kind = k }
}

func allocate(class string, traits ...string) func(*Facts) {
	return func(f *Facts) { f.Plan.Allocate = &Allocate{ResourceClass: class, Traits: traits} }
}

func same(*Facts) {}

func rebuild(f *Facts) { f.Verb = models.VerbRebuild }

// TestChecks checks that every check recognizes its problem, and that it accepts a node without this problem.
func TestChecks(t *testing.T) {
	t.Parallel()
	done := map[CheckID]map[bool]bool{}
	for _, cases := range []map[CheckID][]checkCase{nodeCases(), stepCases(), diskCases(), dataCases(), imageCases(), templateCases()} {
		for id, list := range cases {
			done[id] = map[bool]bool{}
			for _, c := range list {
				done[id][c.want == CheckRefuse || c.want == CheckWarn] = true
				f := goodFacts(t, c.node)
				c.change(f)
				if err := f.Resolve(); err != nil {
					t.Fatal(err)
				}
				checks := Checks(f, CheckChoices{})
				i := slices.IndexFunc(checks, func(c Check) bool { return c.ID == id })
				got, says := notDone, ""
				if i >= 0 {
					got, says = checks[i].Severity, checks[i].String()
				}
				if got != c.want || !strings.Contains(says, c.says) {
					t.Errorf("%s {%s}: %s %q, want %s %q", id, c.node, got, says, c.want, c.says)
				}
			}
		}
	}
	for _, r := range CheckRules() {
		if !done[r.ID][true] || !done[r.ID][false] {
			t.Errorf("%s is not tested both ways", r.ID)
		}
	}
}

func TestNothingIsWrongWithTheGoodNode(t *testing.T) {
	t.Parallel()
	f := goodFacts(t, "")
	if err := f.Resolve(); err != nil {
		t.Fatal(err)
	}
	for _, c := range Checks(f, CheckChoices{}) {
		if c.Severity != CheckOK {
			t.Errorf("%s: %s", c.Severity, c)
		}
	}
}

func TestRemediesOnScreenNameKeysInsteadOfCommands(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f *Facts){
		"maintenance":       func(f *Facts) { f.Node.Maintenance = true },
		"reserved":          func(f *Facts) { f.Node.InstanceUUID = "other" },
		"protected":         func(f *Facts) { f.Node.Protected = true },
		"retired":           func(f *Facts) { f.Node.Retired = true },
		"power unknown":     func(f *Facts) { f.Node.PowerState = "" },
		"fault":             func(f *Facts) { f.Node.Fault = "power failure" },
		"not validated":     func(f *Facts) { f.ValidateError = "timeout" },
		"invalid":           func(f *Facts) { no := false; f.Validations[0].Result = &no },
		"no inventory":      func(f *Facts) { f.Inventory = nil },
		"no disk matches":   func(f *Facts) { f.Plan.RootDevice.Hints = hintsOf(`{"serial": "none"}`) },
		"unstable hint":     func(f *Facts) { f.Plan.RootDevice.Hints = hintsOf(`{"name": "/dev/sda"}`) },
		"no ramdisk":        func(f *Facts) { delete(f.Node.DriverInfo, "deploy_iso") },
		"traits of another": func(f *Facts) { f.Node.InstanceInfo["traits"] = []any{"CUSTOM_X"} },
		"no user data":      func(f *Facts) { f.UserData = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := goodFacts(t, "")
			change(f)
			remedies := 0
			for _, check := range Checks(f, CheckChoices{}) {
				if strings.Contains(check.ScreenRemedy, "ironworks ") || strings.Contains(check.ScreenRemedy, "--") {
					t.Errorf("%s: the remedy on screens has a command: %q", check.ID, check.ScreenRemedy)
				}
				if check.Remedy != "" && check.ScreenRemedy == "" {
					t.Errorf("%s: no remedy on screens, but %q", check.ID, check.Remedy)
				}
				if check.Severity != CheckOK && check.Remedy != "" {
					remedies++
				}
			}
			if remedies == 0 {
				t.Error("no check has a remedy")
			}
		})
	}
}
