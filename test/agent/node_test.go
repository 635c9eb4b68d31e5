package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// patience limits how long a conductor may take for one operation.
const patience = 4 * time.Minute

// node is a machine of the lab that is enrolled in a real Ironic, with the data that Ironic stored about the
// machine's agent.
type node struct {
	*lab.Machine
	ctx    context.Context //nolint:containedctx // of one test
	server *ironic.Server
	uuid   string
	// internal holds values that the agent reported and that Ironic keeps only temporarily.
	internal map[string]any
}

// internals lists the keys of driver_internal_info whose values come from the agent.
var internals = []string{"agent_version", "hardware_manager_version", "agent_cached_deploy_steps", "agent_cached_clean_steps"}

// call sends a request and repeats it while the node is locked. A GET request is also repeated after a timeout. Any
// other status that is not in want is an error.
func (n *node) call(method, path string, body any, want ...int) ([]byte, error) {
	var answer []byte
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	err := ironic.Poll(ctx, 300*time.Millisecond, func(ctx context.Context) (bool, error) {
		status, got, err := n.server.Do(ctx, method, path, body)
		var late net.Error
		if method == http.MethodGet && errors.As(err, &late) && late.Timeout() {
			return false, nil // other tests keep the processors busy
		}
		if err != nil {
			return false, err
		}
		answer = got
		busy := status == http.StatusConflict || status == http.StatusServiceUnavailable
		if !busy && !slices.Contains(want, status) {
			return false, fmt.Errorf("status %d, want %d", status, want)
		}
		return !busy, nil
	})
	if err != nil {
		return nil, fmt.Errorf("machine %s: %s %s: %w: %s", n.Name(), method, path, err, answer)
	}
	return answer, nil
}

func (n *node) read(path string, into any) error {
	answer, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid+path, nil, http.StatusOK)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("reading node %s%s: %w", n.Name(), path, err)
	}
	return nil
}

// transitional lists the provision states that a node passes through during an operation.
var transitional = []string{
	"verifying", "deploying", "wait call-back", "cleaning", "clean wait", "deleting", "inspecting", "inspect wait",
}

// provision sends a provision request and waits until the node is unlocked and in a state that is not transitional.
// It returns the node.
func (n *node) provision(body map[string]any) (map[string]any, error) {
	if _, err := n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", body, http.StatusAccepted); err != nil {
		return nil, err
	}
	var seen map[string]any
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	// Polling more often would overload Ironic.
	err := ironic.Poll(ctx, time.Second, func(context.Context) (bool, error) {
		seen = nil
		if err := n.read("", &seen); err != nil {
			return false, err
		}
		info, _ := seen["driver_internal_info"].(map[string]any)
		for _, key := range internals {
			if value := info[key]; value != nil {
				n.internal[key] = value
			}
		}
		state, _ := seen["provision_state"].(string)
		return !slices.Contains(transitional, state) && seen["reservation"] == nil, nil
	})
	if err != nil {
		var lines strings.Builder
		tail := n.Journal()
		for _, e := range tail[max(0, len(tail)-25):] {
			lines.WriteString("\n    " + e.Text)
		}
		return nil, fmt.Errorf("machine %s: waiting after %v: %w; state %v, error %v%s", n.Name(), body["target"], err,
			seen["provision_state"], seen["last_error"], lines.String())
	}
	return seen, nil
}

// stage describes a node in Ironic, and its machine, after a provision request.
type stage struct {
	Asked     any      `json:"asked"`
	State     any      `json:"state"`
	Power     any      `json:"power"`
	LastError any      `json:"last_error"`
	Fault     any      `json:"fault"`
	Step      any      `json:"step"`
	Installed []string `json:"installed"`
	RAID      any      `json:"raid"`
	// Disks lists the machine's partitions, arrays and files; Records lists the boot entries of its firmware.
	Disks   []string `json:"disks"`
	Records []string `json:"records"`
}

// contents lists partitions, arrays and files on the disks.
func contents(m *lab.Machine) []string {
	var lines []string
	show := func(d machine.Disk) {
		for _, p := range d.Partitions {
			lines = append(lines, fmt.Sprintf("%s%d: %d at %d, %q %s %v, label %q", d.Name, p.Number, p.Size, p.Start, p.Name, p.Type, p.Flags, p.Label))
			files := slices.SortedFunc(slices.Values(p.Files), func(a, b machine.File) int { return strings.Compare(a.Path, b.Path) })
			for _, f := range files {
				lines = append(lines, fmt.Sprintf("    %s folder %v mode %o %q", f.Path, f.Folder, f.Mode, f.Content))
			}
		}
	}
	for _, d := range m.Disks() {
		show(d)
	}
	for _, a := range m.Arrays() {
		lines = append(lines, fmt.Sprintf("%s: %s %q, %d of %v", a.Name, a.Kind(), a.Volume, a.SizeBytes, a.Members))
		if a.Installed != nil {
			lines = append(lines, a.Name+": "+a.Installed.What)
		}
		show(a.Disk)
	}
	return lines
}

// trace holds everything that Ironic recorded about a machine and its agent, and what was on the disks after each
// request.
type trace struct {
	Stages    []stage        `json:"stages"`
	History   []string       `json:"history"`
	Internal  map[string]any `json:"internal"`
	Inventory any            `json:"inventory"`
}

// follow sends the provision requests one after another, until one of them fails, and returns the trace.
func (n *node) follow(bodies []map[string]any) (trace, error) {
	var t trace
	for _, body := range bodies {
		seen, err := n.provision(body)
		if err != nil {
			return t, err
		}
		s := stage{
			Asked: body["target"], State: seen["provision_state"], Power: seen["power_state"], LastError: seen["last_error"],
			Fault: seen["fault"], Step: []any{seen["deploy_step"], seen["clean_step"]}, RAID: seen["raid_config"], Disks: contents(n.Machine),
		}
		for _, r := range n.BootRecords() {
			if !strings.HasPrefix(r.Path, "PciRoot") { // network boot entries, whose addresses differ
				s.Records = append(s.Records, r.Label+" "+r.Path)
			}
		}
		for _, d := range n.Disks() {
			if d.Installed != nil {
				s.Installed = append(s.Installed, fmt.Sprintf("%s: %s %q %s", d.Name, d.Installed.What, d.Installed.Image, d.Installed.Ignition))
			}
		}
		t.Stages = append(t.Stages, s)
		if body["target"] == "inspect" && n.server.Release == ironic.Newest {
			if err := n.read("/inventory", &t.Inventory); err != nil {
				return t, err
			}
		}
		if state := fmt.Sprint(s.State); strings.HasSuffix(state, "failed") || state == "enroll" || state == "error" {
			break
		}
	}
	t.Internal = n.internal
	var err error
	t.History, err = n.history()
	return t, err
}

// history returns the events in the node's history, oldest first.
func (n *node) history() ([]string, error) {
	var all struct {
		History []struct {
			Created  string `json:"created_at"`
			Event    string `json:"event"`
			Type     string `json:"event_type"`
			Severity string `json:"severity"`
		} `json:"history"`
	}
	if err := n.read("/history?detail=true", &all); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all.History, func(a, b struct {
		Created  string `json:"created_at"`
		Event    string `json:"event"`
		Type     string `json:"event_type"`
		Severity string `json:"severity"`
	},
	) int {
		return strings.Compare(a.Created, b.Created)
	})
	var lines []string
	for _, e := range all.History {
		lines = append(lines, e.Severity+" "+e.Type+" "+e.Event)
	}
	return lines, nil
}

// enroll creates a machine's node and ports. The comparison determines the node's settings.
func enroll(ctx context.Context, server *ironic.Server, m *lab.Machine, c comparison) (*node, error) {
	interfaces := map[string]string{"deploy": "custom-agent", "inspect": "redfish"}
	if server.Release == ironic.Newest {
		interfaces["inspect"] = "agent"
	}
	e := m.Enrollment("test", interfaces)
	e.Node["automated_clean"] = c.clean
	properties, _ := e.Node["properties"].(map[string]any)
	maps.Copy(properties, c.properties)
	info, _ := e.Node["driver_info"].(map[string]any)
	maps.Copy(info, c.driver)
	e.Node["raid_interface"] = "agent"
	n := &node{Machine: m, ctx: ctx, server: server, internal: map[string]any{}}
	answer, err := n.call(http.MethodPost, "/v1/nodes", e.Node, http.StatusCreated)
	if err != nil {
		return nil, err
	}
	var made struct {
		UUID string `json:"uuid"`
	}
	if err := json.Unmarshal(answer, &made); err != nil || made.UUID == "" {
		return nil, errors.Join(fmt.Errorf("machine %s: no uuid in %s", m.Name(), answer), err)
	}
	n.uuid = made.UUID
	for _, port := range e.Ports {
		port["node_uuid"] = n.uuid
		if _, err := n.call(http.MethodPost, "/v1/ports", port, http.StatusCreated); err != nil {
			return nil, err
		}
	}
	if c.raid != nil {
		if _, err := n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/raid", c.raid, http.StatusNoContent); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// remove deletes the node, whatever its state.
func (n *node) remove() error {
	if _, err := n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/maintenance", map[string]any{"reason": "compared"}, http.StatusAccepted); err != nil {
		return err
	}
	_, err := n.call(http.MethodDelete, "/v1/nodes/"+n.uuid, nil, http.StatusNoContent)
	return err
}
