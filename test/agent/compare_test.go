package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// comparison is an operation that both agents perform. Their traces must be equal.
type comparison struct {
	name       string
	scenario   string
	properties map[string]any
	clean      bool // automated cleaning
	internal   bool // also compares data that Ironic stores only while the agent runs
	// oldOnly marks cases that run only with the old release, which is three times as fast as the newest one. In most
	// of these cases, the releases differ only in the agent's messages. Each remaining case has a counterpart that
	// runs with the newest release.
	oldOnly bool
	// short marks cases that also run under "make test"; other cases run only under "make test-long".
	short bool
	// newestOnly marks cases with steps that only the newest release has.
	newestOnly bool
	// raid is the node's target RAID configuration.
	raid map[string]any
	// driver holds fields of driver_info in addition to the BMC's fields.
	driver map[string]any
	path   []map[string]any
	// ends is the provision state in which both nodes must end. message is text that the history must contain.
	// Without these checks, two agents that fail in the same wrong way would pass.
	ends, message string
}

func target(verb string) map[string]any { return map[string]any{"target": verb} }

func step(name string, args map[string]any) map[string]any {
	if args == nil {
		args = map[string]any{}
	}
	return map[string]any{"interface": "deploy", "step": name, "args": args}
}

// deploy returns the body of a provision request that deploys a node with the given steps, in the given order. A
// configdrive of nil means none.
func deploy(configdrive any, steps ...map[string]any) map[string]any {
	var planned []any
	for i, s := range steps {
		s["priority"] = 85 - i
		planned = append(planned, s)
	}
	body := map[string]any{"target": "active", "deploy_steps": planned}
	if configdrive != nil {
		body["configdrive"] = configdrive
	}
	return body
}

func clean(steps ...any) map[string]any {
	return map[string]any{"target": "clean", "clean_steps": steps}
}

func comparisons() []comparison {
	to := func(last ...map[string]any) []map[string]any {
		return append([]map[string]any{target("manage"), target("provide")}, last...)
	}
	install := func() map[string]any { return deploy(nil, step("install_coreos", nil)) }
	hints := func(h map[string]any) map[string]any { return map[string]any{"root_device": h} }
	full := map[string]any{
		"user_data": map[string]any{"ignition": map[string]any{"version": "3.3.0"}, "storage": map[string]any{"files": []any{}}},
		"meta_data": map[string]any{"coreos_append_karg": []any{"a=1", "b"}, "coreos_copy_network": true},
	}
	return []comparison{
		// Cases that wait for a timeout come first.
		{name: "dies", scenario: "agent-dies-mid-step", path: to(install()), ends: "deploy failed", message: "Timeout reached"},
		{
			// The agent looks for its disk before its first heartbeat, and crashes on hints that it cannot compare.
			name: "all-in", properties: hints(map[string]any{"model": "<all-in> samsung"}), path: to(install()),
			ends: "deploy failed", message: "Timeout reached",
		},
		{
			name: "life", short: true, clean: true, internal: true, ends: "active",
			path: []map[string]any{target("manage"), target("inspect"), target("provide"), deploy(full, step("erase_devices_metadata", nil), step("install_coreos", nil))},
		},
		{name: "no-match", short: true, properties: hints(map[string]any{"wwn": "0xdead"}), path: to(install()), ends: "deploy failed", message: "No suitable device was found"},
		{name: "several", short: true, oldOnly: true, properties: hints(map[string]any{"size": ">= 400", "rotational": false}), path: to(install()), ends: "active"},
		{
			name: "skipped", oldOnly: true, path: to(install()), ends: "deploy failed", message: "smaller than",
			properties: map[string]any{"skip_block_devices": []any{map[string]any{"size": "> 1"}}},
		},
		{name: "rendered", oldOnly: true, path: to(deploy("H4sIAAAAAAAA", step("install_coreos", nil))), ends: "deploy failed", message: "pre-rendered"},
		{
			name: "cloud-init", oldOnly: true, ends: "deploy failed", message: "JSONDecodeError",
			path: to(deploy(map[string]any{"user_data": "#cloud-config\n"}, step("install_coreos", nil))),
		},
		{name: "no-such-step", path: to(deploy(nil, step("no_such_step", nil))), ends: "deploy failed", message: "no_such_step"},
		{name: "wrong-argument", oldOnly: true, path: to(deploy(nil, step("install_coreos", map[string]any{"foo": 1}))), ends: "deploy failed", message: "foo"},
		{name: "install-fails", scenario: "install-fails-4-times", path: to(install()), ends: "deploy failed", message: "failed with code 1"},
		{
			name: "clean", internal: true, ends: "manageable",
			path: []map[string]any{target("manage"), clean(step("erase_devices_metadata", nil), step("erase_devices", nil))},
		},
		{name: "clean-unknown", oldOnly: true, path: []map[string]any{target("manage"), clean(step("no_such_step", nil))}, ends: "clean failed", message: "no_such_step"},
	}
}

// disks returns the disks that every machine of these tests has.
func disks() []machine.Disk {
	return []machine.Disk{
		{
			Name: "/dev/sda", SizeBytes: 480_103_981_056, Vendor: "ATA", Model: "INTEL SSDSC2KB48", Serial: "BTYF1", WWN: "0x55cd2e4000000001",
			HCTL: "0:0:0:0", ByPath: "/dev/disk/by-path/pci-0000:00:17.0-ata-1",
		},
		{Name: "/dev/sdb", SizeBytes: 480_103_981_056, Vendor: "ATA", Model: "Samsung SSD 870", Serial: "S1PT", WWN: "0x5002538000000001", HCTL: "0:0:1:0"},
		{Name: "/dev/sdc", SizeBytes: 4_000_787_030_016, Vendor: "ATA", Model: "ST4000NM000A", Serial: "WS2", Rotational: true, HCTL: "0:0:2:0"},
	}
}

// trial converts the comparison to a trial.
func (c comparison) trial() trial {
	return trial{
		name: c.name, scenario: c.scenario, slow: c.internal, judge: c.judge,
		live: func(ctx context.Context, server *ironic.Server, m *lab.Machine) (trace, error) {
			return live(ctx, server, m, c)
		},
	}
}

// live runs the comparison on one machine and returns the trace.
func live(ctx context.Context, server *ironic.Server, m *lab.Machine, c comparison) (trace, error) {
	n, err := enroll(ctx, server, m, c)
	if err != nil {
		return trace{}, err
	}
	seen, err := n.follow(c.path)
	if err != nil {
		return seen, err
	}
	return n.normalized(seen)
}

// normalized returns a trace without the values that differ between machines, and deletes the node.
func (n *node) normalized(seen trace) (trace, error) {
	text, err := json.Marshal(seen)
	if err != nil {
		return seen, err
	}
	var same trace
	if err := json.Unmarshal([]byte(n.anonymize(string(text))), &same); err != nil {
		return seen, fmt.Errorf("machine %s: %w in %s", n.Name(), err, text)
	}
	return same, n.remove()
}

var volatile = []struct {
	what *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`198\.18\.\d+\.\d+`), "ADDRESS"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`/[^ "']*/tmp[a-z0-9_]{8}`), "FOLDER"},
	// An agent stores an image at this path before it writes the image to the disk.
	{regexp.MustCompile(`(/[^ ;]+)?/tmp/disk\.raw`), "/tmp/disk.raw"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)?`), "TIME"},
}

func (n *node) anonymize(text string) string {
	names := []string{n.Name(), "MACHINE", n.Spec().Serial, "SERIAL"}
	for i, mac := range n.MACs() {
		names = append(names, mac, fmt.Sprintf("MAC%d", i))
	}
	text = strings.NewReplacer(names...).Replace(text)
	for _, v := range volatile {
		text = v.what.ReplaceAllString(text, v.name)
	}
	return text
}

// judge checks that the real agent ended as expected, and that the traces of both agents are equal.
func (c comparison) judge(t *testing.T, ours, real trace) {
	t.Helper()
	if len(real.Stages) == 0 || real.Stages[len(real.Stages)-1].State != c.ends {
		t.Errorf("the real agent did not end in %q: %+v %q", c.ends, real.Stages, real.History)
	}
	if !strings.Contains(strings.Join(real.History, "\n"), c.message) {
		t.Errorf("no %q in the real agent's history: %q", c.message, real.History)
	}
	if c.internal {
		c.judgeSteps(t, &ours, &real)
	} else {
		ours.Internal, real.Internal = nil, nil
	}
	got, want := lines(t, ours), lines(t, real)
	if !slices.Equal(got, want) {
		t.Errorf("the traces differ\n%s", difference(got, want))
	}
}

// labOnlySteps lists the steps that only the lab's agent has. The hardware manager of these tests lacks
// start_assisted_install, which needs systemd. The real agent has no step that the lab's agent lacks.
var labOnlySteps = []string{"start_assisted_install"}

// judgeSteps checks that Ironic recorded the real agent's internal data, and removes labOnlySteps from the trace of
// the lab's agent.
func (c comparison) judgeSteps(t *testing.T, ours, real *trace) {
	t.Helper()
	if len(real.Internal) < 3 {
		t.Errorf("Ironic has only %v of the real agent", real.Internal)
	}
	for key := range real.Internal {
		if !strings.HasPrefix(key, "agent_cached_") {
			continue
		}
		ours.Internal[key] = without(ours.Internal[key], labOnlySteps)
	}
}

func without(cached any, names []string) any {
	byInterface, _ := cached.(map[string]any)
	left := map[string]any{}
	for kind, steps := range byInterface {
		all, _ := steps.([]any)
		kept := slices.DeleteFunc(slices.Clone(all), func(s any) bool {
			one, _ := s.(map[string]any)
			name, _ := one["step"].(string)
			return slices.Contains(names, name)
		})
		if len(kept) > 0 {
			left[kind] = kept
		}
	}
	return left
}

// harmlessRefusals matches the guard's refusals that do not matter. A library runs ldconfig to find another library,
// and when an agent stops, it writes /etc/.rescued, which nothing reads.
var harmlessRefusals = regexp.MustCompile(`ldconfig|/etc/\.rescued`)

// checkJournal checks that the guard refused nothing that matters.
func checkJournal(t *testing.T, m *lab.Machine) {
	t.Helper()
	for _, e := range m.Journal() {
		if strings.Contains(e.Text, "ironworks guard: refused") && !harmlessRefusals.MatchString(e.Text) {
			t.Errorf("machine %s: %s", m.Name(), e.Text)
		}
	}
}
