package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// patience limits how long a conductor may take for one operation.
const patience = 4 * time.Minute

// subject is an Ironic that drives the lab's machines: a real one of either release, or the embedded one, which must
// behave like the newest.
type subject struct {
	url string
	do  func(ctx context.Context, method, path string, body any) (int, []byte, error)
	old bool
	// slow marks real Ironics. Each is a single process, which uses one processor for all machines.
	slow bool
}

func real(t *testing.T, release ironic.Release, settings map[string]map[string]string) subject {
	t.Helper()
	server := ironic.StartT(t, ironic.Options{Release: release, Settings: settings})
	return subject{url: server.URL, do: server.Do, old: release == ironic.Old, slow: true}
}

// embedded returns an embedded Ironic that waits for agents for 90 s, a little less than the real ones.
func embedded(t *testing.T) subject {
	t.Helper()
	return embeddedWith(t, lab.IronicOptions{Speed: 1800 / 90.0})
}

func embeddedWith(t *testing.T, options lab.IronicOptions) subject {
	t.Helper()
	i, err := lab.StartIronic(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return subject{url: i.URL, do: func(ctx context.Context, method, path string, body any) (int, []byte, error) {
		return ask(ctx, i.URL, method, path, body)
	}}
}

// ask sends a request without authentication and returns status and body.
func ask(ctx context.Context, url, method, path string, body any) (int, []byte, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	var content io.Reader = http.NoBody
	if body != nil {
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, url+path, content)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	request.Header.Set("X-OpenStack-Ironic-API-Version", "1.115")
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// node is a machine enrolled in an Ironic. Its methods return errors, so that many nodes can run at the same time.
type node struct {
	*lab.Machine
	ctx     context.Context //nolint:containedctx // of one test
	subject subject
	uuid    string
}

// enrol enrolls a machine with its ports.
func enrol(t *testing.T, s subject, m *lab.Machine) node {
	t.Helper()
	interfaces := map[string]string{"deploy": "custom-agent", "inspect": "agent", "rescue": "agent"}
	if s.old {
		interfaces["inspect"] = "redfish"
	}
	e := m.Enrollment("test", interfaces)
	n := node{Machine: m, ctx: t.Context(), subject: s}
	answer, err := n.call(http.MethodPost, "/v1/nodes", e.Node, http.StatusCreated)
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		UUID string `json:"uuid"`
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		t.Fatal(err)
	}
	n.uuid = made.UUID
	for _, port := range e.Ports {
		port["node_uuid"] = n.uuid
		if _, err := n.call(http.MethodPost, "/v1/ports", port, http.StatusCreated); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// call sends a request and repeats it while the node is locked. Any status other than want is an error.
func (n node) call(method, path string, body any, want int) ([]byte, error) {
	var answer []byte
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	err := ironic.Poll(ctx, 300*time.Millisecond, func(ctx context.Context) (bool, error) {
		status, got, err := n.subject.do(ctx, method, path, body)
		if err != nil {
			return false, err
		}
		answer = got
		busy := status == http.StatusConflict || status == http.StatusServiceUnavailable
		if !busy && status != want {
			return false, fmt.Errorf("status %d, want %d", status, want)
		}
		return !busy, nil
	})
	if err != nil {
		return nil, fmt.Errorf("machine %s: %s %s: %w: %s", n.Name(), method, path, err, answer)
	}
	return answer, nil
}

// get returns the node, or some of its fields.
func (n node) get(ctx context.Context, fields ...string) (map[string]any, error) {
	path := "/v1/nodes/" + n.uuid
	if len(fields) > 0 {
		path += "?fields=" + strings.Join(fields, ",")
	}
	_, answer, err := n.subject.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	var found map[string]any
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, fmt.Errorf("reading node %s: %w", n.Name(), err)
	}
	return found, nil
}

// waitState waits until the node is unlocked in one of the states, and returns the node.
func (n node) waitState(states ...string) (map[string]any, error) {
	var seen map[string]any
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	// Ten tests that poll more often would overload a small Ironic.
	err := ironic.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) {
		var err error
		// Reading all fields takes Ironic three times as long.
		if seen, err = n.get(ctx, "provision_state", "reservation"); err != nil {
			return false, err
		}
		state, _ := seen["provision_state"].(string)
		return slices.Contains(states, state) && seen["reservation"] == nil, nil
	})
	rested := err
	if seen, err = n.get(n.ctx); err == nil {
		err = rested
	}
	if err != nil {
		tail := n.Journal()
		var lines strings.Builder
		for _, e := range tail[max(0, len(tail)-15):] {
			lines.WriteString("\n    " + e.Text)
		}
		return nil, fmt.Errorf("machine %s: waiting for %q: %w; state %v, power %v, error %v%s", n.Name(), states, err,
			seen["provision_state"], seen["power_state"], seen["last_error"], lines.String())
	}
	return seen, nil
}

// provision sends a provision request and waits until the node is in one of the states.
func (n node) provision(body map[string]any, states ...string) (map[string]any, error) {
	if _, err := n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", body, http.StatusAccepted); err != nil {
		return nil, err
	}
	return n.waitState(states...)
}

// reach sends a provision request like provision, but only the given state counts as success.
func (n node) reach(body map[string]any, state string) error {
	seen, err := n.provision(body, append(ends, state)...)
	if err != nil {
		return err
	}
	if seen["provision_state"] != state {
		reasons, err := n.reasons()
		return errors.Join(fmt.Errorf("machine %s: %v ended %s: %s", n.Name(), body["target"], seen["provision_state"], reasons), err)
	}
	return nil
}

var ends = []string{"deploy failed", "clean failed", "inspect failed", "error", "rescue failed", "unrescue failed", "adopt failed", "service failed"}

func target(verb string) map[string]any { return map[string]any{"target": verb} }

var installCoreOS = map[string]any{
	"target": "active",
	"configdrive": map[string]any{
		"user_data": map[string]any{"ignition": map[string]any{"version": "3.0.0"}},
	},
	"deploy_steps": []any{map[string]any{"interface": "deploy", "step": "install_coreos", "args": map[string]any{}, "priority": 80}},
}

// reasons returns Ironic's errors for the node: last_error and the errors in the history.
func (n node) reasons() (string, error) {
	seen, err := n.get(n.ctx)
	if err != nil {
		return "", err
	}
	lines := []string{}
	if text, _ := seen["last_error"].(string); text != "" {
		lines = append(lines, text)
	}
	var history struct {
		History []struct {
			Event    string `json:"event"`
			Severity string `json:"severity"`
		} `json:"history"`
	}
	answer, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid+"/history?detail=true", nil, http.StatusOK)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(answer, &history); err != nil {
		return "", fmt.Errorf("reading the history: %w", err)
	}
	for _, e := range history.History {
		if e.Severity == "ERROR" {
			lines = append(lines, e.Event)
		}
	}
	return strings.Join(lines, "\n"), nil
}

// startLab starts machines for a subject.
func startLab(t *testing.T, s subject, options lab.Options, members []lab.Member) *lab.Lab {
	t.Helper()
	options.IronicURL, options.Dir = s.url, t.TempDir()
	options.Agent = lab.NewestAgent
	if s.old {
		options.Agent = lab.OldAgent
	}
	l, err := lab.Start(t.Context(), options, members)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// all calls do for all nodes at the same time.
func all(t *testing.T, nodes []node, do func(n node) error) {
	t.Helper()
	var running sync.WaitGroup
	errs := make([]error, len(nodes))
	for i, n := range nodes {
		running.Go(func() { errs[i] = do(n) })
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestMachinesUnderConductors runs machines from enrollment to deployment and back, and scenarios to their outcomes.
// They all run at the same time, with agents over TLS, under a real conductor of each release and under the embedded
// one. The embedded one runs ten machines and every scenario, and so do the real ones under make test-long.
// Otherwise, only the newest of the real releases runs, with two machines and the scenarios that do not wait for a
// timeout.
func TestMachinesUnderConductors(t *testing.T) {
	for _, s := range lab.Scenarios() {
		if _, found := outcomes[s.Name]; !found {
			t.Errorf("no outcome for %s", s.Name)
		}
	}
	timeout := fmt.Sprint(int(scenarioTimeout.Seconds()))
	for _, release := range ironic.Releases(t) {
		if release == ironic.Old && !ironic.Long() {
			continue
		}
		t.Run(release.Name(), func(t *testing.T) {
			if !ironic.Long() {
				t.Parallel()
			}
			underConductor(t, ironic.Long(), real(t, release, map[string]map[string]string{
				"conductor": {
					"automated_clean": "true", "deploy_callback_timeout": timeout, "clean_callback_timeout": timeout,
					"inspect_wait_timeout": timeout, "power_state_change_timeout": "20",
				},
				"agent":  {"require_tls": "true"},
				"deploy": {"erase_devices_priority": "0"},
			}))
		})
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		underConductor(t, true, embedded(t))
	})
}

func underConductor(t *testing.T, whole bool, s subject) {
	t.Helper()
	var members []lab.Member
	for i := range map[bool]int{true: 10, false: 2}[whole] {
		members = append(members, lab.Member{Name: fmt.Sprintf("%s%02d", plainPrefix, i)})
	}
	l := startLab(t, s, lab.Options{Speed: 6, OneBMC: true}, append(members, scenarioMembers(t, whole)...))
	var nodes []node
	for _, m := range l.Machines() {
		nodes = append(nodes, enrol(t, s, m))
	}
	all(t, nodes, func(n node) error {
		if strings.HasPrefix(n.Name(), plainPrefix) {
			return runLifecycle(n)
		}
		return runScenario(n)
	})
	checkDisks(t, l)
}

// plainPrefix is the name prefix of machines without a scenario.
const plainPrefix = "m"

func runLifecycle(n node) error {
	if err := n.reach(target("manage"), "manageable"); err != nil {
		return err
	}
	if err := n.inspect(); err != nil {
		return err
	}
	if err := n.reach(target("provide"), "available"); err != nil {
		return err
	}
	if err := n.reach(installCoreOS, "active"); err != nil {
		return err
	}
	if disk := n.Disks()[0]; disk.Installed == nil || !strings.Contains(string(disk.Installed.Ignition), "/etc/hostname") {
		return fmt.Errorf("machine %s: installed on the disk: %+v", n.Name(), disk.Installed)
	}
	// Ironic reports a machine that is powering on as on.
	seen, err := n.get(n.ctx)
	if err != nil {
		return err
	}
	if on := n.Power(); seen["power_state"] != "power on" || on != machine.On && on != machine.PoweringOn {
		return fmt.Errorf("machine %s: Ironic reports power %v, the machine %s", n.Name(), seen["power_state"], on)
	}
	if err := n.reach(target("deleted"), "available"); err != nil {
		return err
	}
	if disk := n.Disks()[0]; disk.Installed != nil {
		return fmt.Errorf("machine %s: undeploying left %+v", n.Name(), disk.Installed)
	}
	return nil
}

func (n node) inspect() error {
	if err := n.reach(target("inspect"), "manageable"); err != nil {
		return err
	}
	seen, err := n.get(n.ctx)
	if err != nil {
		return err
	}
	if properties, _ := seen["properties"].(map[string]any); properties["cpu_arch"] != "x86_64" {
		return fmt.Errorf("machine %s: properties after inspection: %v", n.Name(), properties)
	}
	if n.subject.old {
		return nil
	}
	inventory, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid+"/inventory", nil, http.StatusOK)
	if err != nil {
		return err
	}
	if serial := n.Disks()[0].Serial; !strings.Contains(string(inventory), serial) {
		return fmt.Errorf("machine %s: no disk %s in the inventory: %s", n.Name(), serial, inventory)
	}
	return nil
}
