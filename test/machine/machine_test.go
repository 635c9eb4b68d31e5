package machine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/machine"
)

// patience is how long a change of state may take on a busy machine.
const patience = 2 * time.Minute

// node is a machine enrolled in Ironic.
type node struct {
	*machine.Machine
	server *ironic.Server
	uuid   string
}

// enrol starts a machine and makes its node.
func enrol(t *testing.T, s *ironic.Server, number int, options machine.Options, driverInfo map[string]any) node {
	t.Helper()
	options.IronicURL, options.Client = s.URL, s.Client()
	options.Name, options.MAC = fmt.Sprintf("m%d", number), fmt.Sprintf("52:54:00:00:00:%02x", number)
	options.Logf = t.Logf
	m, err := machine.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	info := m.DriverInfo()
	for key, value := range driverInfo {
		info[key] = value
	}
	n := node{Machine: m, server: s}
	n.uuid = s.CreateNode(t, map[string]any{
		"name": options.Name, "driver": "redfish", "boot_interface": "redfish-virtual-media",
		"deploy_interface": "custom-agent", "driver_info": info,
	})
	n.do(t, http.MethodPost, "/v1/ports", map[string]any{"node_uuid": n.uuid, "address": options.MAC}, http.StatusCreated)
	return n
}

func (n node) do(t *testing.T, method, path string, body any, want int) []byte {
	t.Helper()
	status, answer, err := n.server.Do(t.Context(), method, path, body)
	if err != nil || status != want {
		t.Fatalf("%s %s: status %d, want %d, error %v: %s", method, path, status, want, err, answer)
	}
	return answer
}

// provision asks for a change of state and waits for the one it leads to.
func (n node) provision(t *testing.T, body map[string]any, want string) {
	t.Helper()
	n.do(t, http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", body, http.StatusAccepted)
	var seen struct {
		State  string  `json:"provision_state"`
		Target *string `json:"target_provision_state"`
		Error  string  `json:"last_error"`
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, answer, err := n.server.Do(ctx, http.MethodGet, "/v1/nodes/"+n.uuid, nil)
		if err != nil {
			return false, err
		}
		if err := json.Unmarshal(answer, &seen); err != nil {
			return false, err
		}
		if strings.HasSuffix(seen.State, "failed") && seen.State != want {
			return false, fmt.Errorf("%s: %s", seen.State, seen.Error)
		}
		return seen.State == want, nil
	})
	if err != nil {
		t.Fatalf("from %v to %q: %v; last seen %+v", body["target"], want, err, seen)
	}
}

// available takes a new node to where it can be deployed.
func (n node) available(t *testing.T) {
	t.Helper()
	n.provision(t, map[string]any{"target": "manage"}, "manageable")
	n.provision(t, map[string]any{"target": "provide"}, "available")
}

// install is the request to deploy CoreOS.
func install() map[string]any {
	return map[string]any{
		"target": "active",
		"deploy_steps": []map[string]any{
			{"interface": "deploy", "step": "install_coreos", "args": map[string]any{}, "priority": 80},
		},
	}
}

func (n node) executed() []string {
	var names []string
	for _, c := range n.Commands() {
		if c.Step() != "" {
			names = append(names, c.Step())
		}
	}
	return names
}

func TestMachine(t *testing.T) {
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			s := ironic.StartT(t, ironic.Options{Release: release})
			for number, test := range []struct {
				name string
				run  func(t *testing.T, s *ironic.Server, number int)
			}{
				{"deploys", testDeploy},
				{"fails to deploy", testFailure},
				{"cleans", testClean},
				{"never boots", testNeverBoots},
				{"refuses the password", testPassword},
			} {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					test.run(t, s, number+1)
				})
			}
		})
	}
}

func testDeploy(t *testing.T, s *ironic.Server, number int) {
	t.Helper()
	n := enrol(t, s, number, machine.Options{}, nil)
	n.available(t)
	n.provision(t, install(), "active")
	if n.Installs() != 1 || !n.PoweredOn() {
		t.Errorf("%d installations, powered on: %t; want 1, true", n.Installs(), n.PoweredOn())
	}
	if got := n.executed(); !slices.Equal(got, []string{"install_coreos"}) {
		t.Errorf("steps %q", got)
	}
	n.provision(t, map[string]any{"target": "deleted"}, "available")
	if n.PoweredOn() {
		t.Error("still on after undeploying")
	}
}

func testFailure(t *testing.T, s *ironic.Server, number int) {
	t.Helper()
	const reason = "No suitable device was found"
	n := enrol(t, s, number, machine.Options{InstallError: reason}, nil)
	n.available(t)
	n.provision(t, install(), "deploy failed")
	if n.Installs() != 0 {
		t.Error("installed all the same")
	}
	// Where the reason stays on every release.
	if history := n.do(t, http.MethodGet, "/v1/nodes/"+n.uuid+"/history?detail=true", nil, http.StatusOK); !strings.Contains(string(history), reason) {
		t.Errorf("the history does not tell the reason: %s", history)
	}
}

func testClean(t *testing.T, s *ironic.Server, number int) {
	t.Helper()
	n := enrol(t, s, number, machine.Options{}, nil)
	n.provision(t, map[string]any{"target": "manage"}, "manageable")
	n.provision(t, map[string]any{
		"target":      "clean",
		"clean_steps": []map[string]any{{"interface": "deploy", "step": "erase_devices_metadata"}},
	}, "manageable")
	if got := n.executed(); !slices.Equal(got, []string{"erase_devices_metadata"}) {
		t.Errorf("steps %q", got)
	}
}

func testNeverBoots(t *testing.T, s *ironic.Server, number int) {
	t.Helper()
	n := enrol(t, s, number, machine.Options{NeverBoots: true}, nil)
	n.available(t)
	n.provision(t, install(), "wait call-back")
	if !n.PoweredOn() || len(n.Commands()) != 0 {
		t.Errorf("powered on: %t, commands %v; want true and none", n.PoweredOn(), n.Commands())
	}
	n.provision(t, map[string]any{"target": "deleted"}, "available")
}

func testPassword(t *testing.T, s *ironic.Server, number int) {
	t.Helper()
	n := enrol(t, s, number, machine.Options{}, map[string]any{"redfish_password": "wrong"})
	n.do(t, http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", map[string]any{"target": "manage"}, http.StatusAccepted)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, answer, err := s.Do(ctx, http.MethodGet, "/v1/nodes/"+n.uuid, nil)
		return strings.Contains(string(answer), `"provision_state": "enroll"`) && !strings.Contains(string(answer), `"last_error": null`), err
	})
	if err != nil {
		t.Error(err)
	}
}
