package boot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ironworks/test/ironic"
)

// call sends a request to Ironic, repeats it while the node is locked, and returns the body of the response.
func (b *bench) call(method, path string, body any, want int) []byte {
	b.t.Helper()
	var answer []byte
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 300*time.Millisecond, func(ctx context.Context) (bool, error) {
		status, got, err := b.ironic.Do(ctx, method, path, body)
		answer = got
		if err == nil && status != want && status != http.StatusConflict {
			err = fmt.Errorf("status %d, want %d", status, want)
		}
		return status == want, err
	})
	if err != nil {
		b.t.Fatalf("%s %s: %v: %s", method, path, err, answer)
	}
	return answer
}

func (b *bench) enroll() {
	b.t.Helper()
	interfaces := map[string]string{"deploy": "custom-agent", "inspect": "agent"}
	if b.ramdisk.release == ironic.Old {
		interfaces["inspect"] = "redfish" // the only inspect interface without ironic-inspector
	}
	if b.ramdisk.pxe {
		interfaces["boot"] = "ipxe"
	}
	e := b.machine.Enrollment("boot", interfaces)
	var made struct {
		UUID string `json:"uuid"`
	}
	if err := json.Unmarshal(b.call(http.MethodPost, "/v1/nodes", e.Node, http.StatusCreated), &made); err != nil {
		b.t.Fatal(err)
	}
	b.node = "/v1/nodes/" + made.UUID
	for _, port := range e.Ports {
		port["node_uuid"] = made.UUID
		b.call(http.MethodPost, "/v1/ports", port, http.StatusCreated)
	}
	b.request(map[string]any{"target": "manage"})
	b.waitFor("manageable")
}

func (b *bench) uuid() string { return strings.TrimPrefix(b.node, "/v1/nodes/") }

// request sends a provision request.
func (b *bench) request(body map[string]any) {
	b.t.Helper()
	b.call(http.MethodPut, b.node+"/states/provision", body, http.StatusAccepted)
}

func (b *bench) provide() {
	b.t.Helper()
	b.request(map[string]any{"target": "provide"})
	b.waitFor("available")
	b.t.Log(b.phases.Done("available"))
}

// set sets the node's field at path to value.
func (b *bench) set(path string, value any) {
	b.t.Helper()
	b.call(http.MethodPatch, b.node, []any{map[string]any{"op": "add", "path": path, "value": value}}, http.StatusOK)
}

// image returns the URL at which the machine can reach the image to install.
func (b *bench) image() string { return guestURL(b.t, b.web.URL) + "/" + filepath.Base(b.images.Disk) }

// deploy requests the deployment of an image with the configuration from userData and the additional kernel
// arguments.
func (b *bench) deploy(image string, kargs ...string) {
	b.t.Helper()
	b.set("/instance_info/image_source", image)
	meta := map[string]any{}
	if len(kargs) > 0 {
		meta["coreos_append_karg"] = kargs
	}
	b.request(map[string]any{
		"target":       "active",
		"configdrive":  map[string]any{"meta_data": meta, "user_data": b.userData()},
		"deploy_steps": []any{map[string]any{"interface": "deploy", "step": "install_coreos", "priority": 80, "args": map[string]any{}}},
	})
}

// nodeFields holds the fields of a node that the tests read.
type nodeFields struct {
	State      string         `json:"provision_state"`
	LastError  string         `json:"last_error"`
	Instance   string         `json:"instance_uuid"`
	Updated    string         `json:"updated_at"`
	Step       map[string]any `json:"deploy_step"`
	DriverInfo map[string]any `json:"driver_info"`
}

func (n nodeFields) step() string { return fmt.Sprint(n.Step["step"]) }

func (b *bench) readNode() nodeFields {
	b.t.Helper()
	var now nodeFields
	if err := json.Unmarshal(b.call(http.MethodGet, b.node, nil, http.StatusOK), &now); err != nil {
		b.t.Fatal(err)
	}
	return now
}

// failed matches the states that a node does not leave without a new request.
var failed = regexp.MustCompile(`failed|^error$`)

// until waits until done returns true for the node. The test fails if the node enters a failed state for which done
// returns false.
func (b *bench) until(what string, done func(nodeFields) bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	from := b.serial.Length()
	err := ironic.Poll(ctx, 500*time.Millisecond, func(context.Context) (bool, error) {
		now := b.readNode()
		if !done(now) && failed.MatchString(now.State) {
			return false, fmt.Errorf("the node is %s: %s", now.State, now.LastError)
		}
		return done(now), nil
	})
	if err != nil {
		b.t.Fatalf("waiting until %s: %v; serial line:\n%s", what, err, b.serial.End(from))
	}
}

func (b *bench) waitFor(state string) {
	b.t.Helper()
	b.until("the node is "+state, func(n nodeFields) bool { return n.State == state })
}

// expect waits for output on the serial line that matches pattern, and ignores the lines with an index below from. It
// then ends the current phase, which gets the given name, and returns the submatches.
func (b *bench) expect(from int, phase, pattern string) []string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	found, err := b.serial.Expect(ctx, from, regexp.MustCompile(pattern))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Log(b.phases.Done(phase))
	return found
}

// followRamdiskBoot follows the ramdisk's boot until its agent runs.
func (b *bench) followRamdiskBoot(from int) {
	b.t.Helper()
	loader := `Welcome to GRUB`
	if b.ramdisk.pxe {
		loader = `iPXE initialising devices|Open Source Network Boot Firmware`
	}
	b.expect(from, "power on, medium fetched, firmware", loader)
	b.expect(from, "boot loader, kernel", `stage1: ignition: fetch-offline`)
	b.expect(from, "Ignition", `stage1: ignition: finished`)
	if b.agent != nil {
		b.expect(from, "systemd, network", `Started (.*ironic-agent.service|Ironic Agent)`)
		return
	}
	b.expect(from, "systemd, network", `Starting (.*ironic-agent.service|Ironic Agent)`)
	b.poll("the agent's image is requested from the registry", b.registry.Asked)
	b.expect(from, "pull of the agent's image", `Started (.*ironic-agent.service|Ironic Agent)`)
}

// followInstallation follows a deployment from the ramdisk's agent to the first boot of the installed system, and
// returns the submatches of proofLine. It calls end to wait for the end of the deployment.
func (b *bench) followInstallation(end func()) []string {
	b.t.Helper()
	b.until("install_coreos is done", func(n nodeFields) bool { return n.step() != "install_coreos" })
	b.t.Log(b.phases.Done("install_coreos"))
	from := b.serial.Length()
	end()
	b.t.Log(b.phases.Done("boot entry, ramdisk off, power on, active"))
	return b.firstBoot(from)
}

// waitInstalling waits until the agent runs install_coreos.
func (b *bench) waitInstalling() {
	b.t.Helper()
	b.until("install_coreos runs", func(n nodeFields) bool { return n.step() == "install_coreos" })
	b.t.Log(b.phases.Done("agent's start, inventory, lookup, heartbeat"))
}

// firstBoot follows the first boot of an installed system and returns the submatches of proofLine.
func (b *bench) firstBoot(from int) []string {
	b.t.Helper()
	b.expect(from, "firmware, boot loader, kernel", `stage1: ignition: fetch-offline`)
	b.expect(from, "Ignition with the user data", `stage1: ignition: finished`)
	return b.expect(from, "systemd, the unit of the user data", proofLine)
}
