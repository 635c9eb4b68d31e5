package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/agent/linux"
	"ironworks/lab"
	"ironworks/test/ironic"
)

// TestAgentProgramUnderIronic checks that conductors can inspect and deploy this computer with the built agent.
// Nothing changes on the computer, because the node's power is fake and the deployment installs nothing. The
// conductors are the real ones of both releases, and the embedded one. The agent must report the version that matches
// each release.
func TestAgentProgramUnderIronic(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("the agent runs on Linux, not on %s", runtime.GOOS)
		return
	}
	program := buildAgent(t, runtime.GOARCH)
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			// Ironic must not insist on managing the boot, because the node's boot interface is fake, too.
			settings := map[string]map[string]string{}
			if release == ironic.Newest {
				settings["inspector"] = map[string]string{"require_managed_boot": "false"}
			}
			c := &computer{t: t, server: ironic.StartT(t, ironic.Options{Release: release, Settings: settings}), program: program}
			c.operate(release == ironic.Newest, map[bool]string{true: "13.0.0", false: "9.4.2"}[release == ironic.Newest])
		})
	}
	t.Run("embedded", func(t *testing.T) {
		embedded, err := lab.StartIronic(t.Context(), lab.IronicOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := embedded.Close(); err != nil {
				t.Error(err)
			}
		}()
		c := &computer{t: t, server: ironic.At(embedded.URL, ironic.Newest), program: program}
		// The embedded Ironic cannot inspect this computer. Like the default of 39.0.0, its configuration requires a
		// boot interface that manages inspections.
		c.operate(false, "13.0.0")
	})
}

// operate enrolls this computer, inspects it if inspection is true, and deploys it. It checks that the agent reported
// the given version, and no other.
func (c *computer) operate(inspection bool, version string) {
	c.t.Helper()
	c.enroll(inspection)
	c.provision(map[string]any{"target": "manage"}, "manageable")
	if inspection {
		c.provision(map[string]any{"target": "inspect"}, "inspect wait")
		c.boot(func() { c.await("manageable") })
		c.checkInventory()
	}
	c.provision(map[string]any{"target": "provide"}, "available")
	c.provision(map[string]any{"target": "active"}, "wait call-back")
	c.boot(func() { c.await("active") })
	if !strings.Contains(c.log.String(), "get_deploy_steps completed") || !strings.Contains(c.log.String(), "sync completed") {
		c.t.Errorf("the conductor did not call the agent:\n%s", c.log.String())
	}
	if !slices.Equal(c.versions, []string{version}) {
		c.t.Errorf("Ironic recorded the agent versions %q, want %s", c.versions, version)
	}
}

// computer is the computer that runs the tests, enrolled as a node of an Ironic.
type computer struct {
	t        *testing.T
	server   *ironic.Server
	program  string
	uuid     string
	log      bytes.Buffer
	versions []string // versions of the agent, as Ironic has recorded them
}

// call sends a request and repeats it while the node is locked.
func (c *computer) call(method, path string, body any) []byte {
	c.t.Helper()
	var answer []byte
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 200*time.Millisecond, func(ctx context.Context) (bool, error) {
		status, got, err := c.server.Do(ctx, method, path, body)
		answer = got
		if err == nil && status >= http.StatusBadRequest && status != http.StatusConflict {
			err = fmt.Errorf("status %d", status)
		}
		return status < http.StatusBadRequest, err
	})
	if err != nil {
		c.t.Fatalf("%s %s: %v %s", method, path, err, answer)
	}
	return answer
}

func (c *computer) enroll(inspection bool) {
	c.t.Helper()
	body := map[string]any{
		"driver": "fake-hardware", "name": "this-computer", "boot_interface": "fake", "deploy_interface": "custom-agent", "power_interface": "fake",
		"management_interface": "fake", "automated_clean": false,
		// Otherwise, the agent would power off this computer, and not only the fake node.
		"driver_info": map[string]any{"deploy_forces_oob_reboot": true},
	}
	if inspection {
		body["inspect_interface"] = "agent"
	}
	c.uuid = c.server.CreateNode(c.t, body)
	host := linux.Local("/")
	for _, nic := range inventoryOf(c.t, host).Interfaces {
		c.call(http.MethodPost, "/v1/ports", map[string]any{"node_uuid": c.uuid, "address": nic.MAC})
	}
}

func (c *computer) provision(body map[string]any, state string) {
	c.t.Helper()
	c.call(http.MethodPut, "/v1/nodes/"+c.uuid+"/states/provision", body)
	c.await(state)
}

// await waits until the node is unlocked in the given state.
func (c *computer) await(state string) {
	c.t.Helper()
	var node struct {
		State    string         `json:"provision_state"`
		Locked   *string        `json:"reservation"`
		Error    *string        `json:"last_error"`
		Internal map[string]any `json:"driver_internal_info"`
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 200*time.Millisecond, func(context.Context) (bool, error) {
		if err := json.Unmarshal(c.call(http.MethodGet, "/v1/nodes/"+c.uuid, nil), &node); err != nil {
			return false, err
		}
		if version, known := node.Internal["agent_version"].(string); known && !slices.Contains(c.versions, version) {
			c.versions = append(c.versions, version)
		}
		if strings.HasSuffix(node.State, "failed") {
			return false, errors.New("the operation failed")
		}
		return node.State == state && node.Locked == nil, nil
	})
	if err != nil {
		c.t.Fatalf("waiting for %s: %v; state %s, error %s, the agent's log:\n%s", state, err, node.State, deref(node.Error), c.log.String())
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// boot runs the agent while it calls the given function. The agent finds no program that could turn this computer
// off.
func (c *computer) boot(while func()) {
	c.t.Helper()
	folder := ramdisk(c.t, c.server.URL)
	for _, name := range []string{"poweroff", "reboot", "sync"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := os.Symlink(c.shell(), filepath.Join(folder, "sh")); err != nil {
		c.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(c.t.Context())
	cmd := agentIn(ctx, c.program, folder)
	c.log.Reset()
	cmd.Stderr = &c.log
	if err := cmd.Start(); err != nil {
		stop()
		c.t.Fatal(err)
	}
	defer func() {
		stop()
		_ = cmd.Wait()
	}()
	while()
}

func (c *computer) shell() string {
	path, err := exec.LookPath("sh")
	if err != nil {
		c.t.Fatal(err)
	}
	return path
}

// checkInventory checks that the inventory stored by Ironic describes this computer.
func (c *computer) checkInventory() {
	c.t.Helper()
	var stored struct {
		Inventory map[string]any `json:"inventory"`
	}
	if err := json.Unmarshal(c.call(http.MethodGet, "/v1/nodes/"+c.uuid+"/inventory", nil), &stored); err != nil {
		c.t.Fatal(err)
	}
	text, err := json.Marshal(inventoryOf(c.t, linux.Local("/")))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, section := range []string{"disks", "interfaces", "memory", "boot"} {
		got, want := fmt.Sprint(stored.Inventory[section]), fmt.Sprint(object(c.t, text)[section])
		if got != want {
			c.t.Errorf("Ironic's inventory has %s %s, want %s", section, got, want)
		}
	}
}
