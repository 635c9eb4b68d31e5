package lab_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// TestFirmwareUnderConductors changes BIOS settings and updates firmware under a real conductor and the embedded one.
func TestFirmwareUnderConductors(t *testing.T) {
	t.Parallel()
	t.Run(ironic.Newest.Name(), func(t *testing.T) {
		t.Parallel()
		runFirmwareCases(t, real(t, ironic.Newest, map[string]map[string]string{
			"DEFAULT":   {"enabled_bios_interfaces": "fake,no-bios,redfish", "enabled_firmware_interfaces": "no-firmware,redfish"},
			"conductor": {"clean_callback_timeout": "120", "deploy_callback_timeout": "120", "service_callback_timeout": "120"},
			"agent":     {"require_tls": "true"},
			"redfish": {
				"firmware_update_status_interval": "1", "firmware_update_reboot_delay": "5", "firmware_update_validation_interval": "0",
				"firmware_update_bmc_version_check_interval": "1", "firmware_update_nic_starting_wait": "1",
			},
		}))
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		runFirmwareCases(t, embeddedWith(t, lab.IronicOptions{Speed: 60, Firmware: true}))
	})
}

func runFirmwareCases(t *testing.T, s subject) {
	t.Helper()
	runCases(t, s, slices.Concat(biosCases(), firmwareCases(t)))
}

// firmwareServer serves NAME.bin for each component, and a file that is not an image.
func firmwareServer(t *testing.T) string {
	t.Helper()
	files := map[string][]byte{"/other.bin": []byte("GIF89a")}
	for _, c := range []machine.Component{machine.BIOSFirmware, machine.BMCFirmware, machine.NICFirmware} {
		files["/"+string(c)+".bin"] = machine.FirmwareImage(c, "9.9.9")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, found := files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// updateStep returns a step that updates components. pairs holds each component, followed by the URL of its image.
func updateStep(pairs ...string) json.RawMessage {
	var settings []string
	for pair := range slices.Chunk(pairs, 2) {
		settings = append(settings, fmt.Sprintf(`{"component": %q, "url": %q}`, pair[0], pair[1]))
	}
	return json.RawMessage(`{"interface": "firmware", "step": "update", "args": {"settings": [` + strings.Join(settings, ", ") + `]}}`)
}

func firmwareCases(t *testing.T) []testCase {
	t.Helper()
	server := firmwareServer(t)
	update := func(name string, active bool, settings func(n node) []string, versions map[string]string) testCase {
		return testCase{member: lab.Member{Name: name}, newest: true, run: func(n node) error {
			return n.runUpdate(active, updateStep(settings(n)...), versions)
		}}
	}
	fails := func(name, component, url, problem string) testCase {
		return testCase{member: lab.Member{Name: name}, newest: true, run: func(n node) error {
			return n.failUpdate(updateStep(component, url), problem)
		}}
	}
	const first, bmc, nic = "2.4.1", "1.12.0", "22.31.6"
	return []testCase{
		update("firmware-bios", false, func(node) []string { return []string{"bios", server + "/BIOS.bin"} }, map[string]string{"bios": "9.9.9", "bmc": bmc, "nic": nic}),
		update("firmware-bmc", true, func(node) []string { return []string{"bmc", server + "/BMC.bin"} }, map[string]string{"bios": first, "bmc": "9.9.9", "nic": nic}),
		update("firmware-all", true, func(n node) []string {
			return []string{"bmc", server + "/BMC.bin", "nic:" + n.AdapterSerial(), server + "/NIC.bin", "bios", server + "/BIOS.bin"}
		}, map[string]string{"bios": "9.9.9", "bmc": "9.9.9", "nic": "9.9.9"}),
		fails("firmware-404", "bios", server+"/gone.bin", "Firmware update failed for node UUID, firmware "+server+"/gone.bin. Error: The image cannot be fetched: "+server+"/gone.bin: 404 Not Found"),
		fails("firmware-other", "nic:1", server+"/other.bin", "Firmware update failed for node UUID, firmware "+server+"/other.bin. Error: the file is not a firmware image for this machine"),
		{member: lab.Member{Name: "firmware-refused"}, newest: true, run: func(n node) error { return n.refusedUpdates(server) }},
	}
}

// firmware returns the components' versions as Ironic shows them. The only network adapter is called nic.
func (n node) firmware() (map[string]string, error) {
	answer, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid+"/firmware", nil, http.StatusOK)
	if err != nil {
		return nil, err
	}
	var found struct {
		Firmware []struct {
			Component, Model string
			Initial          string `json:"initial_version"`
			Current          string `json:"current_version"`
			Flashed          string `json:"last_version_flashed"`
			Vendor           string
			Serial           string `json:"serial_number"`
		}
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, fmt.Errorf("reading the firmware of %s: %w", n.Name(), err)
	}
	versions := map[string]string{}
	for _, f := range found.Firmware {
		name, isNIC := strings.CutPrefix(f.Component, "nic:")
		want := map[string]string{"bmc": "Lab BMC", "bios": ""}[f.Component]
		if isNIC {
			if name != n.AdapterSerial() || f.Serial != name || f.Vendor == "" {
				return nil, fmt.Errorf("machine %s: adapter %+v", n.Name(), f)
			}
			f.Component, want = "nic", "Lab NIC"
		}
		flashed := ""
		if f.Current != f.Initial {
			flashed = f.Current
		}
		if f.Model != want || f.Flashed != flashed {
			return nil, fmt.Errorf("machine %s: component %+v", n.Name(), f)
		}
		versions[f.Component] = f.Current
	}
	return versions, nil
}

// runUpdate updates components in manual cleaning or, if active is true, in a service on an active node.
func (n node) runUpdate(active bool, step json.RawMessage, want map[string]string) error {
	body, end := clean(step), "manageable"
	if err := n.runSteps(managed); err != nil {
		return err
	}
	if active {
		if err := n.runSteps(adopted); err != nil {
			return err
		}
		body, end = service(step), "active"
	}
	before, err := n.firmware()
	if err != nil {
		return err
	}
	if len(before) != 3 {
		return fmt.Errorf("machine %s: components %v", n.Name(), before)
	}
	if err := n.reach(body, end); err != nil {
		return err
	}
	got, err := n.firmware()
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		return errors.Join(fmt.Errorf("machine %s: components %v, want %v", n.Name(), got, want), err)
	}
	for component, version := range map[machine.Component]string{machine.BIOSFirmware: want["bios"], machine.BMCFirmware: want["bmc"], machine.NICFirmware: want["nic"]} {
		if n.Firmware(component) != version {
			return fmt.Errorf("machine %s: %s %s, want %s", n.Name(), component, n.Firmware(component), version)
		}
	}
	return nil
}

// failUpdate checks that cleaning fails if the BMC cannot perform the update.
func (n node) failUpdate(step json.RawMessage, problem string) error {
	if err := n.runSteps(managed); err != nil {
		return err
	}
	return n.failsClean(problem, step)
}

// failsClean runs manual cleaning with steps that must fail with the given error.
func (n node) failsClean(problem string, steps ...any) error {
	seen, err := n.provision(clean(steps...), append(ends, "manageable")...)
	if err != nil {
		return err
	}
	if seen["provision_state"] != "clean failed" || seen["maintenance"] != true {
		return fmt.Errorf("machine %s: ended %s, maintenance %v", n.Name(), seen["provision_state"], seen["maintenance"])
	}
	return n.checkLastError(problem)
}

// checkLastError replaces the node's UUID with "UUID" in the last error of the history, and compares the result with
// want.
func (n node) checkLastError(want string) error {
	failed, err := n.events("ERROR")
	if err != nil {
		return err
	}
	if len(failed) == 0 || strings.ReplaceAll(failed[len(failed)-1], n.uuid, "UUID") != want {
		return fmt.Errorf("machine %s: errors\n%q, want\n%q", n.Name(), failed, want)
	}
	return nil
}

// repaired ends the maintenance after a failed cleaning, and makes the node manageable.
func (n node) repaired() error {
	if err := n.patch("maintenance", false); err != nil {
		return err
	}
	return n.reach(target("manage"), "manageable")
}

// refusedUpdates checks updates that Ironic rejects when it runs the step. One updates a component that does not
// exist, and one names a server from which no BMC can fetch the image.
func (n node) refusedUpdates(server string) error {
	if err := n.runSteps(managed); err != nil {
		return err
	}
	failed := func(component, url, problem string) error {
		return n.failsClean(fmt.Sprintf("Node UUID failed step {'interface': 'firmware', 'step': 'update', 'args': {'settings': [{'component': '%s', 'url': '%s'}]}, "+
			"'abortable': False, 'priority': 0}: %s", component, url, problem), updateStep(component, url))
	}
	image := server + "/BIOS.bin"
	err := failed("psu", image, "Invalid firmware update [{'component': 'psu', 'url': '"+image+"'}]. Errors: 'psu' is not valid under any of the given schemas\n\n"+
		"Failed validating 'anyOf' in schema['items']['properties']['component']:\n    {'description': 'name of the firmware component to be updated',\n"+
		"     'type': 'string',\n     'anyOf': [{'enum': ['bios', 'bmc']}, {'pattern': '^nic:.*'}]}\n\nOn instance[0]['component']:\n    'psu'")
	if err != nil {
		return err
	}
	if err := n.repaired(); err != nil {
		return err
	}
	return failed("bios", "ftp://127.0.0.1/BIOS.bin", "ftp is not supported for ftp://127.0.0.1/BIOS.bin.")
}
