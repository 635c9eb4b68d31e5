package lab_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ironworks/lab"
	"ironworks/lab/machine"
	labreal "ironworks/lab/real"
	"ironworks/test/golden"
	"ironworks/test/ironic"
)

// raidDrives returns the given number of drives, all of the same model and size.
func raidDrives(count int) []machine.Disk {
	drives := make([]machine.Disk, count)
	for i := range drives {
		drives[i] = machine.Disk{
			Name: fmt.Sprintf("/dev/sd%c", 'a'+i), SizeBytes: 480_103_981_056, Vendor: "ATA", Model: "INTEL SSDSC2KB48",
			Serial: fmt.Sprint("BTYF", i), WWN: fmt.Sprintf("0x55cd2e400000000%d", i), HCTL: fmt.Sprintf("0:0:%d:0", i),
		}
	}
	return drives
}

// twoVolumes is a target RAID configuration with a RAID 1 and a RAID 5 volume. Its keys are sorted, because the
// embedded Ironic quotes them in this order.
const twoVolumes = `{"logical_disks": [{"is_root_volume": true, "raid_level": "1", "size_gb": 100, "volume_name": "os"}, {"raid_level": "5", "size_gb": 200, "volume_name": "data"}]}`

// raidCases returns the test cases. Each case has its own machine. Quick cases run under a real Ironic even without
// make test-long.
func raidCases() []raidLabCase {
	now, reset := &machine.RAIDController{}, &machine.RAIDController{OnReset: true}
	return []raidLabCase{
		{name: "now", raid: now, quick: true, run: raidNow},
		{name: "reset", raid: reset, quick: true, run: raidOnReset},
		{name: "misfit", raid: now, quick: true, run: raidMisfit},
		{name: "more", raid: now, run: raidMore},
		{name: "deploy", raid: now, run: raidDeploy},
		{name: "service", raid: now, run: raidService},
		{name: "deploy-reset", raid: reset, run: raidDeploy}, // fails at install_coreos: see reboot_test.go
		{name: "hba", run: raidHBA},
	}
}

// raidLabCase is a test case with its own machine. The expected output is in testdata/raid-NAME.txt and is the same
// for both Ironics.
type raidLabCase struct {
	name  string
	raid  *machine.RAIDController
	quick bool
	run   func(n node, log *transcript)
}

// transcript collects the observed states of a node, without values that differ between Ironics.
type transcript struct {
	strings.Builder
	err error
}

func (r *transcript) line(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }

var (
	uuidPattern    = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	addressPattern = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

// TestRAIDUnderConductors creates and deletes volumes on RAID controllers under a real conductor and the embedded one.
func TestRAIDUnderConductors(t *testing.T) {
	t.Parallel()
	t.Run("newest", func(t *testing.T) {
		t.Parallel()
		settings := map[string]map[string]string{
			"redfish": {"raid_config_status_interval": "1", "raid_config_fail_interval": "1"},
			"agent":   {"require_tls": "true"},
		}
		labreal.HardwareRAID(settings)
		runRAIDCases(t, ironic.Long(), real(t, ironic.Newest, settings))
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		runRAIDCases(t, true, embeddedWith(t, lab.IronicOptions{Speed: 1800 / 90.0, RAID: true}))
	})
}

func runRAIDCases(t *testing.T, whole bool, s subject) {
	t.Helper()
	cases := slices.DeleteFunc(raidCases(), func(c raidLabCase) bool { return !whole && !c.quick })
	var members []lab.Member
	for _, c := range cases {
		members = append(members, lab.Member{Name: "raid-" + c.name, Disks: raidDrives(5), RAID: c.raid})
	}
	l := startLab(t, s, lab.Options{Speed: verbSpeed, OneBMC: true}, members)
	var nodes []node
	for _, m := range l.Machines() {
		nodes = append(nodes, enrol(t, s, m))
	}
	all(t, nodes, func(n node) error {
		c := cases[slices.IndexFunc(cases, func(c raidLabCase) bool { return "raid-"+c.name == n.Name() })]
		log := &transcript{}
		if log.err = n.patch("raid_interface", "redfish"); log.err == nil {
			log.err = n.runSteps(managed)
		}
		if log.err == nil {
			c.run(n, log)
		}
		if log.err != nil {
			return fmt.Errorf("machine %s: %w, after\n%s", n.Name(), log.err, log.String())
		}
		golden.Compare(t, filepath.Join("testdata", n.Name()+".txt"), log.String())
		return nil
	})
}

// target stores config as the node's target RAID configuration.
func (r *transcript) target(n node, config string) {
	if r.err == nil {
		_, r.err = n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/raid", json.RawMessage(config), http.StatusNoContent)
	}
}

// provision sends a provision request and writes the resulting state, with the last error.
func (r *transcript) provision(n node, verb string, body map[string]any, states ...string) {
	if r.err != nil {
		return
	}
	var seen map[string]any
	if seen, r.err = n.provision(body, append(slices.Clone(ends), states...)...); r.err != nil {
		return
	}
	line := fmt.Sprint(verb, " ", seen["provision_state"])
	if last, _ := seen["last_error"].(string); last != "" {
		// The extended information repeats the message.
		last, _, _ = strings.Cut(last, " Extended information: ")
		line += ": " + addressPattern.ReplaceAllString(uuidPattern.ReplaceAllString(last, "UUID"), "URL")
	}
	r.line("%s", line)
}

// clean runs RAID steps in manual cleaning. Each step consists of a name and, optionally, a JSON object with
// arguments.
func (r *transcript) clean(n node, steps ...string) {
	var list []any
	for _, s := range steps {
		name, args, given := strings.Cut(s, " ")
		text := fmt.Sprintf(`{"interface": "raid", "step": %q}`, name)
		if given {
			text = fmt.Sprintf(`{"interface": "raid", "step": %q, "args": %s}`, name, args)
		}
		list = append(list, json.RawMessage(text))
	}
	r.provision(n, "clean", map[string]any{"target": "clean", "clean_steps": list}, "manageable")
}

// keys writes the keys of the JSON object at path.
func (r *transcript) keys(n node, path string) {
	if r.err != nil {
		return
	}
	var answer []byte
	if answer, r.err = n.call(http.MethodGet, path, nil, http.StatusOK); r.err != nil {
		return
	}
	var object map[string]any
	r.err = json.Unmarshal(answer, &object)
	r.line("%s %s", path, strings.Join(slices.Sorted(maps.Keys(object)), " "))
}

// volumes writes the volumes that Ironic and the BMC report.
func (r *transcript) volumes(n node) {
	if r.err != nil {
		return
	}
	var seen map[string]any
	if seen, r.err = n.get(n.ctx, "raid_config"); r.err != nil {
		return
	}
	config, _ := seen["raid_config"].(map[string]any)
	disks, _ := json.Marshal(config["logical_disks"])
	r.line("raid_config %s", disks)
	var all []string
	for _, v := range n.Volumes() {
		all = append(all, fmt.Sprint(v.Name, " ", v.Type, " ", v.CapacityBytes, " ", v.Drives, " ", v.Device))
	}
	r.line("volumes %s", strings.Join(all, "; "))
}

// inventory inspects the machine and writes the disks that the agent found.
func (r *transcript) inventory(n node) {
	r.provision(n, "inspect", target("inspect"), "manageable")
	if r.err != nil {
		return
	}
	var answer []byte
	if answer, r.err = n.call(http.MethodGet, "/v1/nodes/"+n.uuid+"/inventory", nil, http.StatusOK); r.err != nil {
		return
	}
	var found struct {
		Inventory struct {
			Disks []struct {
				Name, Model, Serial string
				Size                int64
			}
		}
	}
	r.err = json.Unmarshal(answer, &found)
	var all []string
	for i, d := range found.Inventory.Disks {
		all = append(all, fmt.Sprint(d.Name, " ", d.Model, " ", d.Size))
		if v := n.Volumes(); i >= len(v) || v[i].Serial != d.Serial {
			r.err = fmt.Errorf("disk %s has the serial number %s, the volumes are %+v", d.Name, d.Serial, v)
		}
	}
	r.line("inventory %s", strings.Join(all, "; "))
}

// raidNow creates volumes on a controller that applies changes immediately, fails to create more, and deletes them.
func raidNow(n node, log *transcript) {
	log.target(n, twoVolumes)
	log.clean(n, "delete_configuration", "create_configuration")
	log.volumes(n)
	log.inventory(n)
	log.target(n, `{"logical_disks": [{"controller": "1", "physical_disks": ["1", "2"], "raid_level": "1", "size_gb": 400}]}`)
	log.clean(n, "create_configuration")
	log.provision(n, "manage", target("manage"), "manageable")
	log.err = joinPatch(log.err, n)
	log.clean(n, "delete_configuration")
	log.volumes(n)
}

// joinPatch ends the maintenance after a failed cleaning. If err is not nil, it only returns err.
func joinPatch(err error, n node) error {
	if err != nil {
		return err
	}
	return n.patch("maintenance", false)
}

// raidOnReset creates and deletes volumes on a controller that applies one change at each boot.
func raidOnReset(n node, log *transcript) {
	log.target(n, twoVolumes)
	log.clean(n, "create_configuration")
	log.volumes(n)
	log.clean(n, "delete_configuration")
	log.volumes(n)
}

// raidMisfit writes the keys of RAID properties, and tries a configuration for which there are no matching drives.
func raidMisfit(n node, log *transcript) {
	log.keys(n, "/v1/drivers/redfish/raid/logical_disk_properties")
	log.keys(n, "/v1/drivers/redfish/properties")
	log.target(n, `{"logical_disks": [{"raid_level": "5", "size_gb": 2000}]}`)
	log.clean(n, "create_configuration")
}

// raidMore tries more configurations that fail, and steps with arguments.
func raidMore(n node, log *transcript) {
	for _, config := range []string{
		`{"logical_disks": [{"raid_level": "1", "size_gb": "MAX"}]}`,
		`{"logical_disks": [{"raid_level": "JBOD", "size_gb": 10}]}`,
		`{"logical_disks": [{"disk_type": "hdd", "raid_level": "1", "size_gb": 10}]}`,
		`{"logical_disks": [{"controller": "1", "physical_disks": ["9"], "raid_level": "0", "size_gb": 10}]}`,
		`{"logical_disks": [{"controller": "1", "physical_disks": ["1"], "raid_level": "5", "size_gb": "MAX"}]}`,
	} {
		log.target(n, config)
		log.clean(n, "create_configuration")
		log.provision(n, "manage", target("manage"), "manageable")
		log.err = joinPatch(log.err, n)
	}
	log.target(n, twoVolumes)
	log.clean(n, `create_configuration {"create_root_volume": false}`)
	log.volumes(n)
}

// raidDeploy deploys CoreOS to a root volume that a step of the deployment creates, and deletes the volume
// afterwards.
func raidDeploy(n node, log *transcript) {
	log.err = errors.Join(n.patch("automated_clean", false), n.runSteps(provided))
	raidStep := fmt.Sprintf(`{"interface": "raid", "step": "apply_configuration", "args": {"raid_config": %s}, "priority": 90}`, twoVolumes)
	log.provision(n, "deploy", map[string]any{
		"target": "active", "configdrive": installCoreOS["configdrive"],
		"deploy_steps": []any{json.RawMessage(raidStep), json.RawMessage(`{"interface": "deploy", "step": "install_coreos", "args": {}, "priority": 80}`)},
	}, "active")
	log.volumes(n)
	for _, d := range n.Disks() {
		log.line("installed on %s: %v", d.Name, d.Installed != nil)
	}
	if log.err == nil {
		log.err = n.runSteps(undeployed)
	}
	log.provision(n, "manage", target("manage"), "manageable")
	log.clean(n, "delete_configuration")
	log.volumes(n)
}

// raidService creates and deletes volumes of a node in use.
func raidService(n node, log *transcript) {
	log.err = n.runSteps(adopted)
	steps := fmt.Sprintf(`[{"interface": "raid", "step": "apply_configuration", "args": {"create_nonroot_volumes": true, "raid_config": %s}}]`, twoVolumes)
	log.provision(n, "service", map[string]any{"target": "service", "service_steps": json.RawMessage(steps)}, "active", "service failed")
	log.volumes(n)
	steps = `[{"interface": "raid", "step": "delete_configuration"}]`
	log.provision(n, "service", map[string]any{"target": "service", "service_steps": json.RawMessage(steps)}, "active", "service failed")
	log.volumes(n)
}

// raidHBA tries steps on a machine without a RAID controller.
func raidHBA(n node, log *transcript) {
	log.target(n, twoVolumes)
	log.clean(n, "delete_configuration", "create_configuration")
	log.volumes(n)
}
