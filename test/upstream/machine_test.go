package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// patience limits how long a conductor may take for one operation.
const patience = 2 * time.Minute

// isoImage returns the smallest image that Ironic accepts as a CD: Ironic looks for the volume descriptor in sector
// 16.
func isoImage() []byte {
	const sector = 2048
	image := make([]byte, 20*sector)
	copy(image[16*sector:], "\x01CD001\x01")
	copy(image[17*sector:], "\xffCD001\x01")
	return image
}

// node is a machine enrolled in a real Ironic.
type node struct {
	server *ironic.Server
	uuid   string
}

func (n node) do(t *testing.T, method, path string, body any, want int) []byte {
	t.Helper()
	status, answer, err := n.server.Do(t.Context(), method, "/v1/nodes/"+n.uuid+path, body)
	if err != nil || status != want {
		t.Fatalf("%s %s: status %d, want %d, error %v: %s", method, path, status, want, err, answer)
	}
	return answer
}

// until waits until the node is unlocked and the given field has the wanted value, and returns the node.
func (n node) until(t *testing.T, field, want string) map[string]any {
	t.Helper()
	var seen map[string]any
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, answer, err := n.server.Do(ctx, http.MethodGet, "/v1/nodes/"+n.uuid, nil)
		if err != nil {
			return false, err
		}
		seen = nil
		err = json.Unmarshal(answer, &seen)
		return seen[field] == want && seen["reservation"] == nil, err
	})
	if err != nil {
		t.Fatalf("waiting for %s %q: %v; last seen %v %v, error %v", field, want, err, seen["provision_state"], seen["power_state"], seen["last_error"])
	}
	return seen
}

func (n node) provision(t *testing.T, target, want string) map[string]any {
	t.Helper()
	n.do(t, http.MethodPut, "/states/provision", map[string]any{"target": target}, http.StatusAccepted)
	return n.until(t, "provision_state", want)
}

// TestConductorDrivesMachine checks that a real conductor of each release can inspect a machine over Redfish, change
// its power, read its BIOS and boot its ramdisk from a virtual CD.
func TestConductorDrivesMachine(t *testing.T) {
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			server := ironic.StartT(t, ironic.Options{Release: release, Settings: map[string]map[string]string{
				"DEFAULT": {"enabled_bios_interfaces": "no-bios,redfish"},
				"redfish": {"auth_type": "session"}, // with a single machine, the test need not wait for sessions to expire
			}})
			images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.ServeContent(w, r, "ramdisk.iso", time.Time{}, bytes.NewReader(isoImage()))
			}))
			defer images.Close()
			ramdisk := make(recorder, 8)
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			m := newMachine(t, machine.Options{Ramdisk: ramdisk.Run, Client: client, PowerOnTime: 200 * time.Millisecond, PowerOffTime: 200 * time.Millisecond})
			address := serveMachine(t, m, true)
			n := node{server: server}
			n.uuid = server.CreateNode(t, map[string]any{
				"name": "m1", "driver": "redfish", "boot_interface": "redfish-virtual-media", "deploy_interface": "custom-agent",
				"inspect_interface": "redfish", "bios_interface": "redfish",
				"driver_info": map[string]any{
					"redfish_address": address, "redfish_system_id": m.SystemPath(), "redfish_verify_ca": false,
					"redfish_username": "admin", "redfish_password": "secret", "deploy_iso": images.URL + "/ramdisk.iso",
				},
			})
			conductorManages(t, m, n)
			conductorBoots(t, m, n, ramdisk)
		})
	}
}

func conductorManages(t *testing.T, m *machine.Machine, n node) {
	t.Helper()
	n.provision(t, "manage", "manageable")
	properties, _ := n.provision(t, "inspect", "manageable")["properties"].(map[string]any)
	if properties["memory_mb"] != 16384.0 && properties["memory_mb"] != "16384" {
		t.Errorf("properties after inspection: %v", properties)
	}
	if attributes := string(n.do(t, http.MethodGet, "/bios", nil, http.StatusOK)); !strings.Contains(attributes, "ProcTurboMode") {
		t.Errorf("BIOS: %s", attributes)
	}
	n.do(t, http.MethodPut, "/management/boot_device", map[string]any{"boot_device": "pxe", "persistent": true}, http.StatusNoContent)
	if got := m.Override(); got.Target != machine.Pxe || got.Enabled != machine.Continuous {
		t.Errorf("boot device %+v", got)
	}
	for _, power := range []struct {
		target, state string
		want          machine.Power
	}{{"power on", "power on", machine.On}, {"rebooting", "power on", machine.On}, {"soft power off", "power off", machine.Off}} {
		n.do(t, http.MethodPut, "/states/power", map[string]any{"target": power.target}, http.StatusAccepted)
		n.until(t, "power_state", power.state)
		if got := m.Power(); got != power.want {
			t.Errorf("after %s: %s", power.target, got)
		}
	}
}

func conductorBoots(t *testing.T, m *machine.Machine, n node, ramdisk recorder) {
	t.Helper()
	n.provision(t, "provide", "available")
	n.provision(t, "active", "wait call-back")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 50*time.Millisecond, func(context.Context) (bool, error) { return m.Boot().Progress == machine.ProgressOSRunning, nil })
	if err != nil {
		t.Fatalf("the ramdisk did not boot: %+v", m.Boot())
	}
	select {
	case image := <-ramdisk:
		if !strings.Contains(image, "CD001") || m.Boot().Device != machine.Cd {
			t.Errorf("an image of %d bytes, boot %+v", len(image), m.Boot())
		}
	case <-ctx.Done():
		t.Error("the ramdisk was not run")
	}
	n.provision(t, "deleted", "available")
	if m.Power() != machine.Off || m.VirtualMedia() != (machine.VirtualMedia{}) {
		t.Errorf("after undeploying: power %s, medium %+v", m.Power(), m.VirtualMedia())
	}
}

// recorder is a ramdisk that sends the content of the image from which it was booted, and runs until its machine
// stops.
type recorder chan string

func (r recorder) Run(ctx context.Context, _ *machine.Machine, media machine.Media) error {
	content, err := os.ReadFile(media.Path)
	if err != nil {
		return err
	}
	r <- string(content)
	<-ctx.Done()
	return nil
}

// newMachine returns a machine with two disks that is stopped when the test ends.
func newMachine(t *testing.T, options machine.Options) *machine.Machine {
	t.Helper()
	return machineWith(t, nil, options)
}

// machineWith returns a machine whose disks are behind the given RAID controller. If controller is nil, the machine
// has none.
func machineWith(t *testing.T, controller *machine.RAIDController, options machine.Options) *machine.Machine {
	t.Helper()
	options.Dir = t.TempDir()
	m, err := machine.New(machine.Spec{
		RAID: controller, Name: "m1", User: "admin", Password: "secret", CPUs: 8, MemoryMiB: 16384, Product: "R1",
		Disks: []machine.Disk{
			{Name: "/dev/sda", SizeBytes: 480e9, Model: "SSD 1", Vendor: "ACME", Serial: "S1", WWN: "0x5000c500a1b2c3d4", HCTL: "0:0:0:0"},
			{Name: "/dev/sdb", SizeBytes: 4e12, Model: "HDD 1", Rotational: true},
		},
		NICs: []machine.NIC{{Name: "eno1", MAC: "52:54:00:00:00:01", SpeedMbps: 25000}, {Name: "eno2", MAC: "52:54:00:00:00:02"}},
	}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// serveMachine serves the Redfish API of a machine and returns its URL.
func serveMachine(t *testing.T, m *machine.Machine, secure bool) string {
	t.Helper()
	rack, err := machine.NewRack(time.Now, m)
	if err != nil {
		t.Fatal(err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if !secure {
		go func() { ended <- rack.Serve(ctx, listener) }()
		return "http://" + listener.Addr().String()
	}
	certificate, err := machine.NewCertificate(time.Now(), "127.0.0.1", "localhost")
	if err != nil {
		t.Fatal(err)
	}
	go func() { ended <- rack.ServeTLS(ctx, listener, certificate) }()
	return "https://" + listener.Addr().String()
}
