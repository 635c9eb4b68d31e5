package explain

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ironworks/models"
)

func TestStepLine(t *testing.T) {
	t.Parallel()
	now := time.Unix(100_000, 0)
	ago := func(d time.Duration) models.Time { return models.Time{Time: now.Add(-d)} }
	since := func(d time.Duration) time.Time { return now.Add(-d) }
	called := func(beat time.Duration) *models.Internal {
		return &models.Internal{AgentURL: "https://a", LastHeartbeat: ago(beat)}
	}
	step := &models.Step{Interface: "deploy", Step: "install_coreos"}
	hosts := []models.Conductor{{Hostname: "c1", Alive: true}, {Hostname: "c2"}}
	on := models.PowerOn
	for name, tt := range map[string]struct {
		row  models.Row
		want string
	}{
		"a reason that a rule knows": {models.Row{Node: models.Node{ProvisionState: models.StateDeployFailed, LastError: "Deploy step deploy.install_coreos failed on node x. No suitable device was found for deployment using these hints {}"}}, "no disk matches the hints"},
		"one from the history":       {models.Row{Node: models.Node{ProvisionState: models.StateDeployFailed}, Reason: "Checksum file does not contain name x"}, "image not in the checksum file"},
		"one that is only mentioned": {models.Row{Node: models.Node{ProvisionState: models.StateDeployFailed, LastError: "The user wrote Checksum file does not contain name x"}}, "The user wrote Checksum file does not contain name x"},
		"one that nobody knows":      {models.Row{Node: models.Node{ProvisionState: models.StateCleanFailed, Maintenance: true, Fault: "clean failure", LastError: "The goat ate it"}}, "The goat ate it"},
		"no reason":                  {models.Row{Node: models.Node{ProvisionState: models.StateCleanFailed, Maintenance: true, Fault: "clean failure"}}, ""},
		"enroll failed":              {models.Row{Node: models.Node{ProvisionState: models.StateEnroll, LastError: "Failed to get power state for node x. Error: Redfish exception occurred. Error: HTTP GET http://127.0.0.1:8000/redfish/v1/Systems/1 returned code 401. unknown error Extended information: none"}}, "BMC rejected credentials"},
		"an error of long ago":       {models.Row{Node: models.Node{ProvisionState: models.StateActive, LastError: "No suitable device was found"}}, ""},

		"boots":            {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, Internal: &models.Internal{}}, Since: since(118 * time.Second)}, "booting 1m (timeout in ~28m)"},
		"boots, in a step": {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, DeployStep: step, Internal: &models.Internal{}}, Since: since(5 * time.Second)}, "booting <1m (timeout in ~29m)"},
		"boots, as its log tells": {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, Internal: &models.Internal{}}, Since: since(3 * time.Minute), Log: bootLogOf(
			bootLine(now.Add(-100*time.Second), "kernel", "Linux version 6"), bootLine(now.Add(-65*time.Second), "ironic-agent", pulling),
		)}, "booting: agent image 1m (timeout in ~27m)"},
		"boots, and cannot": {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, Internal: &models.Internal{}}, Since: since(3 * time.Minute), Log: bootLogOf(
			bootLine(now.Add(-65*time.Second), "ironic-agent", tagUnknown), bootLine(now.Add(-59*time.Second), "ironic-agent", tagUnknown),
		)}, "agent image not in registry (timeout in ~27m)"},
		"never called back":         {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, Internal: &models.Internal{}}, Since: since(14 * time.Minute)}, "no call-back for 14m (timeout in ~16m)"},
		"overdue":                   {models.Row{Node: models.Node{ProvisionState: models.StateCleanWait, PowerState: on, Internal: &models.Internal{}}, Since: since(31 * time.Minute)}, "no call-back for 31m (timeout overdue)"},
		"seen for the first time":   {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, ProvisionUpdatedAt: ago(12 * time.Minute)}}, "waiting for the ramdisk (timeout in ~18m)"},
		"nothing known":             {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on}}, "waiting for the ramdisk"},
		"off":                       {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: models.PowerOff, Internal: &models.Internal{}}, Since: since(3 * time.Minute)}, "machine is powered off (timeout in ~27m)"},
		"inspects":                  {models.Row{Node: models.Node{ProvisionState: models.StateInspectWait, PowerState: on}, Since: since(200 * time.Second)}, "inspecting 3m (timeout in ~26m)"},
		"speaks":                    {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, DeployStep: step, Internal: called(170 * time.Second)}, Since: since(time.Hour)}, "install_coreos"},
		"speaks, without a step":    {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, Internal: called(time.Minute)}, Since: since(time.Hour)}, "ramdisk has called back"},
		"silent":                    {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, DeployStep: step, Internal: called(245 * time.Second)}, Since: since(time.Hour)}, "agent silent 4m (timeout in ~25m)"},
		"silent for long":           {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, DeployStep: step, Internal: called(12 * time.Minute)}, Since: since(time.Hour)}, "agent silent 12m (timeout in ~18m)"},
		"silent, as the step wants": {models.Row{Node: models.Node{ProvisionState: models.StateCleanWait, PowerState: on, CleanStep: step, Internal: &models.Internal{AgentURL: "https://a", LastHeartbeat: ago(20 * time.Minute), CleanReboot: true}}, Since: since(time.Hour)}, "install_coreos"},
		"an agent of earlier work":  {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, Internal: &models.Internal{LastHeartbeat: ago(time.Hour)}}, Since: since(time.Minute)}, "booting 1m (timeout in ~29m)"},

		"dead conductor":              {models.Row{Node: models.Node{ProvisionState: models.StateDeploying, Reservation: "c2", DeployStep: step}}, "conductor is dead"},
		"conductor":                   {models.Row{Node: models.Node{ProvisionState: models.StateDeploying, Reservation: "c1", DeployStep: step}}, "install_coreos"},
		"locked":                      {models.Row{Node: models.Node{ProvisionState: models.StateActive, Reservation: "c1"}}, "locked by c1"},
		"locked by a dead one":        {models.Row{Node: models.Node{ProvisionState: models.StateActive, Reservation: "c2"}}, "locked by a dead conductor"},
		"held":                        {models.Row{Node: models.Node{ProvisionState: models.StateCleanHold}}, "held; unhold resumes"},
		"held, and locked":            {models.Row{Node: models.Node{ProvisionState: models.StateCleanHold, Reservation: "c1"}}, "held; unhold resumes"},
		"maintenance with a reason":   {models.Row{Node: models.Node{ProvisionState: models.StateActive, Maintenance: true, MaintenanceReason: "fan 3"}}, "fan 3"},
		"maintenance without one":     {models.Row{Node: models.Node{ProvisionState: models.StateActive, Maintenance: true}}, "in maintenance (no reason given)"},
		"maintenance while it waits":  {models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: on, Maintenance: true, MaintenanceReason: "fan 3"}, Since: since(time.Hour)}, "fan 3"},
		"maintenance that Ironic set": {models.Row{Node: models.Node{ProvisionState: models.StateActive, Maintenance: true, Fault: "power failure", MaintenanceReason: "During sync_power_state, max retries exceeded for node x, node state None does not match expected state 'power on'."}}, "BMC lost; maintenance set by Ironic"},
		"a fault that is not known":   {models.Row{Node: models.Node{ProvisionState: models.StateActive, Maintenance: true, Fault: "odd"}}, "odd"},
		"at rest":                     {models.Row{Node: models.Node{ProvisionState: models.StateActive}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := StepLine(&tt.row, now, hosts); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestBrief checks that the brief text of every rule fits into 40 cells after its values are filled in.
func TestBrief(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		text := r.Brief
		for name, value := range map[string]string{"reservation": "conductor-1.rack7.example", "waited": "29m", "silence": "1h05"} {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		if n := utf8.RuneCountInString(text); n == 0 || n > 40 || strings.ContainsAny(text, "{}") {
			t.Errorf("%s: %d cells in %q", r.ID, n, text)
		}
	}
}

// TestStepLineIsStill checks that rounded times keep the line stable: for a waiting node, it changes at most 95 times
// in an hour.
func TestStepLineIsStill(t *testing.T) {
	t.Parallel()
	now := time.Unix(100_000, 0)
	row := models.Row{Node: models.Node{ProvisionState: models.StateDeployWait, PowerState: models.PowerOn, Internal: &models.Internal{}}, Since: now}
	last, changes := "", 0
	for s := range 3600 {
		if line := StepLine(&row, now.Add(time.Duration(s)*time.Second), nil); line != last {
			last, changes = line, changes+1
		}
	}
	if changes > 60+30+5 {
		t.Errorf("%d changes in an hour", changes)
	}
}

// BenchmarkStepLine measures the time for one line, because every frame needs one for each row.
func BenchmarkStepLine(b *testing.B) {
	now := time.Unix(100_000, 0)
	hosts := []models.Conductor{{Hostname: "c1", Alive: true}, {Hostname: "c2"}, {Hostname: "c3", Alive: true}}
	for name, row := range map[string]models.Row{
		"rest":    {Node: models.Node{ProvisionState: models.StateActive}},
		"works":   {Node: models.Node{ProvisionState: models.StateDeploying, Reservation: "c1", DeployStep: &models.Step{Interface: "deploy", Step: "install_coreos"}}},
		"waits":   {Node: models.Node{ProvisionState: models.StateDeployWait, Internal: &models.Internal{}}, Since: now.Add(-time.Minute)},
		"failed":  {Node: models.Node{ProvisionState: models.StateDeployFailed, LastError: realTexts[6].text}},
		"family":  {Node: models.Node{ProvisionState: models.StateDeployFailed, LastError: familyTexts[18].text}},
		"unknown": {Node: models.Node{ProvisionState: models.StateDeployFailed, LastError: strings.Repeat("The goat ate the cable. ", 20)}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = StepLine(&row, now, hosts)
			}
		})
	}
}

func TestStepColumn(t *testing.T) {
	t.Parallel()
	index := 1
	steps := []models.Step{{Interface: "deploy", Step: "deploy"}, {Interface: "deploy", Step: "write_image"}}
	c, err := FindColumn("step")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		row  models.Row
		want string
	}{
		"failure":             {models.Row{Node: models.Node{ProvisionState: models.StateDeployFailed, LastError: "boom"}, Reason: "older"}, "boom"},
		"reason from history": {models.Row{Node: models.Node{ProvisionState: models.StateDeployFailed}, Reason: "boom"}, "boom"},
		"enroll failed":       {models.Row{Node: models.Node{ProvisionState: models.StateEnroll, LastError: "no BMC"}}, "no BMC"},
		"maintenance":         {models.Row{Node: models.Node{ProvisionState: models.StateActive, Maintenance: true, Fault: "power failure"}}, "power state unknown; maintenance set"},
		"none":                {models.Row{Node: models.Node{ProvisionState: models.StateActive}}, ""},
		"without a list":      {models.Row{Node: models.Node{ProvisionState: models.StateDeploying, DeployStep: &steps[1]}}, "write_image"},
		"in its list": {models.Row{Node: models.Node{
			ProvisionState: models.StateDeploying, DeployStep: &steps[1], Internal: &models.Internal{DeploySteps: steps, DeployIndex: &index},
		}}, "2/2 write_image"},
	} {
		if got := c.Text(&tt.row, time.Unix(10_000, 0)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestColumnsOfNothing checks that no column panics on an empty row.
func TestColumnsOfNothing(t *testing.T) {
	t.Parallel()
	for _, c := range Columns() {
		_ = c.Text(&models.Row{}, time.Time{})
	}
}
