package upstream_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"ironworks/models/hints"
	"ironworks/models/raid"
	"ironworks/test/seeds"
)

const raidNode = "5a2f3a0c-3a3e-4a2b-8a5f-1f2e3d4c5b6a"

// raidCase is an input of testdata/raid.py. It consists of a configuration and drives.
type raidCase struct {
	Config json.RawMessage `json:"config"`
	Node   string          `json:"node"`
	Drives []raidDrive     `json:"drives"`
}

type raidDrive struct {
	ID         string `json:"id"`
	Controller string `json:"controller"`
	Media      string `json:"media"`
	Protocol   string `json:"protocol"`
	Capacity   int64  `json:"capacity"`
}

type raidVolume struct {
	Name       string   `json:"name"`
	Drives     []string `json:"drives"`
	Bytes      any      `json:"bytes"` // a number or MAX
	Controller string   `json:"controller"`
	SpanDepth  *float64 `json:"span_depth"`
	SpanLength *float64 `json:"span_length"`
}

type raidFailure struct {
	Class string `json:"class"`
	Text  string `json:"text"`
}

type raidAnswer struct {
	Result  []raidVolume `json:"result"`
	Failure *raidFailure `json:"failure"`
}

// failureOf returns an error of models/raid in the form that testdata/raid.py prints.
func failureOf(err error) *raidFailure {
	var e *raid.Error
	if !errors.As(err, &e) {
		return nil
	}
	return &raidFailure{string(e.Class), e.Error()}
}

// TestDrivesAreAssignedAsInIronic checks that drives are assigned as in Ironic. It compares the drives, sizes and
// errors of random configurations on random drives.
func TestDrivesAreAssignedAsInIronic(t *testing.T) {
	t.Parallel()
	const count = 20_000
	g := raidGenerator{rand.New(rand.NewPCG(31, seeds.First(t, 1)))} //nolint:gosec // repeatable
	cases := make([]raidCase, count)
	for i := range cases {
		cases[i] = g.assignment()
	}
	var answer struct {
		Assigned []raidAnswer `json:"assigned"`
	}
	askPython(t, "raid.py", map[string]any{"cases": cases}, &answer)
	if len(answer.Assigned) != count {
		t.Fatalf("%d results", len(answer.Assigned))
	}
	counts := map[string]int{}
	for i := range cases {
		compareAssignment(t, &cases[i], &answer.Assigned[i], counts)
	}
	t.Logf("%v", counts)
	for _, kind := range []string{"assigned", "two volumes", "forgotten", string(raid.RedfishError), string(raid.InvalidParameterValue), string(raid.KeyError), string(raid.ValueError), string(raid.AttributeError)} {
		if counts[kind] < count/1000 {
			t.Errorf("too few of %s: %v", kind, counts)
		}
	}
}

func compareAssignment(t *testing.T, c *raidCase, want *raidAnswer, counts map[string]int) {
	t.Helper()
	given, err := hints.DecodePython(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	disks, err := raid.Decode(given)
	if err != nil {
		t.Fatalf("%v\n%s", err, c.Config)
	}
	var drives []raid.Drive
	for _, d := range c.Drives {
		drives = append(drives, raid.Drive{ID: d.ID, Controller: d.Controller, MediaType: d.Media, Protocol: d.Protocol, CapacityBytes: d.Capacity})
	}
	volumes, err := raid.Assign(disks, drives, c.Node)
	got := raidAnswer{Failure: failureOf(err)}
	for _, v := range volumes {
		one := raidVolume{Name: v.VolumeName, Drives: v.Drives, Bytes: float64(v.Bytes), Controller: v.Controller}
		if v.Max {
			one.Bytes = "MAX"
		}
		if v.SpanDepth > 0 {
			depth, length := float64(v.SpanDepth), float64(v.SpanLength)
			one.SpanDepth, one.SpanLength = &depth, &length
		}
		got.Result = append(got.Result, one)
	}
	switch {
	case want.Failure != nil:
		counts[want.Failure.Class]++
	case len(want.Result) < len(disks):
		counts["forgotten"]++
	default:
		counts["assigned"]++
		if len(want.Result) > 1 {
			counts["two volumes"]++
		}
	}
	if !reflect.DeepEqual(got, *want) && counts["different"] < 10 {
		counts["different"]++
		ours, _ := json.Marshal(got)
		theirs, _ := json.Marshal(want)
		text, _ := json.Marshal(c)
		t.Errorf("got\n%s\nIronic's\n%s\n%s", ours, theirs, text)
	}
}

// TestRAIDConfigurationsAreCheckedAsInIronic checks that the same configurations are accepted as in Ironic, and that
// all others are rejected with the same messages.
func TestRAIDConfigurationsAreCheckedAsInIronic(t *testing.T) {
	t.Parallel()
	const count = 3_000
	g := raidGenerator{rand.New(rand.NewPCG(32, seeds.First(t, 1)))} //nolint:gosec // repeatable
	configs := make([]any, count)
	for i := range configs {
		configs[i] = g.brokenConfig()
	}
	var answer struct {
		Checked  []raidAnswer `json:"checked"`
		Hardware []raidAnswer `json:"hardware"`
	}
	askPython(t, "raid.py", map[string]any{"configs": configs}, &answer)
	counts := map[string]int{}
	for i, config := range configs {
		got, want := raid.Check(config), answer.Checked[i].Failure
		if !reflect.DeepEqual(failureOf(got), want) {
			counts["different"]++
			text, _ := json.Marshal(config)
			t.Errorf("got %v\nIronic's %+v\n%s", got, want, text)
		}
		if hardware := raid.CheckHardware(config); !reflect.DeepEqual(failureOf(hardware), answer.Hardware[i].Failure) {
			t.Errorf("got %v\nIronic's %+v", hardware, answer.Hardware[i].Failure)
		}
		if _, err := raid.Decode(config); (err == nil) != (want == nil) {
			text, _ := json.Marshal(config)
			t.Errorf("Decode: %v\nIronic's %+v\n%s", err, want, text)
		}
		if want == nil {
			counts["accepted"]++
		} else {
			counts["refused"]++
		}
		if counts["different"] > 10 {
			break
		}
	}
	t.Logf("%v", counts)
	if counts["accepted"] < count/20 || counts["refused"] < count/4 {
		t.Errorf("too few of a kind: %v", counts)
	}
}
