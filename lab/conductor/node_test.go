package conductor

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ironworks/agent"
	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/lab/machine"
	"ironworks/python"
)

// TestDirectDeployment checks that a deployment with the direct interface requires a checksum and writes the image to
// the disk.
func TestDirectDeployment(t *testing.T) {
	const content = "an image of a whole disk"
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, content) }))
	defer images.Close()
	r := newRig(t)
	m, node := r.ready()
	sum := sha256.Sum256([]byte(content))
	_, err := r.c.UpdateNode(t.Context(), node.UUID, false, func(n *db.Node) error {
		n.Interfaces["deploy"] = "direct"
		n.InstanceInfo = db.Dict{"image_source": images.URL + "/disk.raw"}
		return nil
	})
	r.must(err)
	r.refused(r.c.Deploy(t.Context(), node.UUID, api.Deploy{}), 400, "image_source's \"image_checksum\", or \"image_os_hash_algo\" and \"image_os_hash_value\" must be provided in instance_info for node "+node.UUID)
	_, err = r.c.UpdateNode(t.Context(), node.UUID, false, func(n *db.Node) error {
		n.InstanceInfo["image_os_hash_algo"], n.InstanceInfo["image_os_hash_value"] = "sha256", hex.EncodeToString(sum[:])
		n.InstanceInfo["image_disk_format"] = "raw"
		return nil
	})
	r.must(err)
	r.must(r.c.Deploy(t.Context(), node.UUID, api.Deploy{}))
	node = r.until(node.UUID, "the end", func(n *db.Node) bool {
		return (n.ProvisionState == active || n.ProvisionState == deployFail) && n.Reservation == ""
	})
	if disk := m.Disks()[0]; node.ProvisionState != active || disk.Installed == nil || disk.Installed.What != "image disk.raw" {
		t.Errorf("%s, disk %+v, history %v", node.ProvisionState, disk.Installed, r.events(node.UUID))
	}
	if node.InstanceInfo["image_type"] != "whole-disk" || node.InstanceInfo["image_url"] != images.URL+"/disk.raw" {
		t.Errorf("instance_info %v", node.InstanceInfo)
	}
}

// TestRamdiskDeployment checks that a deployment with the ramdisk interface boots the instance's medium and needs no
// agent.
func TestRamdiskDeployment(t *testing.T) {
	r := newRig(t)
	r.agent.Faults = agent.Faults{NoRoute: true}
	m, node := r.ready()
	_, err := r.c.UpdateNode(t.Context(), node.UUID, false, func(n *db.Node) error {
		n.Interfaces["deploy"] = "ramdisk"
		n.InstanceInfo = db.Dict{"boot_iso": r.iso.URL + "/instance.iso"}
		return nil
	})
	r.must(err)
	r.must(r.c.Deploy(t.Context(), node.UUID, api.Deploy{}))
	r.state(node.UUID, active)
	if over := m.Override(); over.Target != machine.Cd || over.Enabled != machine.Continuous || !m.VirtualMedia().Inserted || m.Power() != machine.On {
		t.Errorf("override %+v, medium %+v, power %s", over, m.VirtualMedia(), m.Power())
	}
}

// TestServiceByAgent checks that servicing boots the agent, and that the instance is booted again after servicing has
// failed.
func TestServiceByAgent(t *testing.T) {
	r := newRig(t)
	m, node := r.ready()
	r.must(m.Install("/dev/sda", machine.Installation{What: "the instance"}))
	_, err := r.store.Nodes.Update(node.UUID, func(n *db.Node) error {
		n.ProvisionState = active
		return nil
	})
	r.must(err)
	steps := []db.Dict{{"interface": "deploy", "step": "write_image", "args": map[string]any{"image_info": map[string]any{}}}}
	r.must(r.c.Service(t.Context(), node.UUID, steps, false))
	r.state(node.UUID, serviceWait)
	node = r.state(node.UUID, serviceFail)
	want := "Node failed to start the first service step: service step {'interface': 'deploy', 'step': 'write_image', 'args': {'image_info': {}}} has these unexpected arguments: image_info"
	if node.LastError != want || node.Maintenance || node.TargetProvisionState != active {
		t.Errorf("error %q, want %q; maintenance %t, target %q", node.LastError, want, node.Maintenance, node.TargetProvisionState)
	}
	if m.Power() != machine.On || m.VirtualMedia().Inserted || m.Override().Target != machine.Hdd {
		t.Errorf("power %s, medium %+v, override %+v", m.Power(), m.VirtualMedia(), m.Override())
	}
	r.must(r.c.Act(t.Context(), node.UUID, "abort"))
	r.state(node.UUID, active)
}

// TestAbortDeployment checks that an abort takes effect immediately while the deployment waits for its agent.
func TestAbortDeployment(t *testing.T) {
	r := newRig(t)
	r.agent.Faults = agent.Faults{NoRoute: true}
	m, node := r.ready()
	r.must(r.c.Deploy(t.Context(), node.UUID, api.Deploy{}))
	r.state(node.UUID, deployWait)
	r.must(r.c.Act(t.Context(), node.UUID, "abort"))
	node = r.state(node.UUID, deployFail)
	if want := `By request, the deploy operation was aborted during or after the completion of step "deploy.deploy"`; node.LastError != want || m.Power() != machine.Off {
		t.Errorf("error %q, want %q; power %s", node.LastError, want, m.Power())
	}
}

// TestImagesAreSharedAndServed checks that an image is downloaded only once for several deployments. It also checks
// that the image is no longer served after the last deployment.
func TestImagesAreSharedAndServed(t *testing.T) {
	r := newRig(t)
	_, node := r.ready()
	for range 2 {
		r.must(r.c.Deploy(t.Context(), node.UUID, api.Deploy{}))
		r.state(node.UUID, active)
		r.must(r.c.TearDown(t.Context(), node.UUID))
		r.state(node.UUID, available)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fetched != 1 {
		t.Errorf("the image was fetched %d times", r.fetched)
	}
	response, err := http.Get(r.publish.URL + "/redfish/boot-" + node.UUID + ".iso")
	r.must(err)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("the image is still served: %s", response.Status)
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestHeartbeatRefused checks that a heartbeat is rejected if it lacks a version, the right token or TLS, or if the
// node is locked.
func TestHeartbeatRefused(t *testing.T) {
	r := newRig(t)
	node := r.fake(deployWait, func(n *db.Node) { n.DriverInternalInfo = db.Dict{"agent_secret_token": "right"} })
	for words, h := range map[string]api.Heartbeat{
		"Agent did not transmit a version":         {CallbackURL: "https://a", Token: "right"},
		"Invalid or missing agent token received.": {CallbackURL: "https://a", Token: "wrong", AgentVersion: "1"},
		"TLS is required by configuration":         {CallbackURL: "http://a", Token: "right", AgentVersion: "1"},
	} {
		r.refused(r.c.Heartbeat(t.Context(), node.UUID, h), 400, words)
	}
	locked := r.fake(deploying, func(n *db.Node) {
		n.DriverInternalInfo, n.Reservation = db.Dict{"agent_secret_token": "right"}, "localhost"
	})
	r.refused(r.c.Heartbeat(t.Context(), locked.UUID, api.Heartbeat{CallbackURL: "https://a", Token: "right", AgentVersion: "1"}), 409, "is locked by host localhost")
}

// TestToken checks that a token is returned only once, and masked afterwards.
func TestToken(t *testing.T) {
	r := newRig(t)
	node := r.fake(deployWait)
	first, err := r.c.NodeWithToken(t.Context(), node.UUID)
	r.must(err)
	second, err := r.c.NodeWithToken(t.Context(), node.UUID)
	r.must(err)
	if token, _ := first.DriverInternalInfo["agent_secret_token"].(string); len(token) < 32 || second.DriverInternalInfo["agent_secret_token"] != python.Masked {
		t.Errorf("tokens %q and %v", token, second.DriverInternalInfo["agent_secret_token"])
	}
}

// TestUpdateNode checks that invalid changes to nodes are rejected with Ironic's messages.
func TestUpdateNode(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		node   func(*db.Node)
		change func(*db.Node)
		status int
		words  string
	}{
		"protected too early": {nil, func(n *db.Node) { n.Protected = true }, 409, "Node %n can only be made protected in provision states 'active' or 'rescue', the current state is 'available'"},
		"retired available":   {nil, func(n *db.Node) { n.Retired = true }, 409, "Node %n can not have 'retired' set in provision state 'available', the current state is 'available'"},
		"interface active": {
			func(n *db.Node) { n.ProvisionState = active }, func(n *db.Node) { n.Interfaces["deploy"] = "direct" }, 409,
			"Node %n can not have deploy_interface updated unless it is in one of allowed (enroll, inspecting, inspect wait, manageable, available) states or in maintenance mode. Current state is 'active'.",
		},
		"unknown interface": {nil, func(n *db.Node) { n.Interfaces["deploy"] = "ansible" }, 400, "Could not find the following interface in the 'ironic.hardware.interfaces.deploy' entrypoint: ansible. Valid interfaces are ['autodetect', 'bootc', 'custom-agent', 'direct', 'fake', 'ramdisk']."},
		"incompatible":      {nil, func(n *db.Node) { n.Driver = "redfish" }, 400, "is not supported by hardware type RedfishHardware."},
		"another instance": {
			func(n *db.Node) { n.InstanceUUID = "11111111-1111-1111-1111-111111111111" }, func(n *db.Node) { n.InstanceUUID = "22222222-2222-2222-2222-222222222222" },
			409, "Node %n is associated with instance 11111111-1111-1111-1111-111111111111.",
		},
		"bad memory": {nil, func(n *db.Node) { n.Properties = db.Dict{"memory_mb": "much"} }, 400, "The following properties for node %n should be non-negative integers, but provided values are: memory_mb=much"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.node == nil {
				c.node = func(*db.Node) {}
			}
			node := r.fake(available, c.node)
			_, err := r.c.UpdateNode(t.Context(), node.UUID, false, func(n *db.Node) error {
				c.change(n)
				return nil
			})
			r.refused(err, c.status, strings.ReplaceAll(c.words, "%n", node.UUID))
			_ = r.c.SetMaintenance(t.Context(), node.UUID, true, "")
			r.must(r.c.DestroyNode(t.Context(), node.UUID))
		})
	}
	node := r.fake(active)
	r.refused(r.c.DestroyNode(t.Context(), node.UUID), 409, `Valid provision states to perform deletion are: "('manageable', 'enroll', 'adopt failed', 'available')", or set the node into maintenance mode`)
}

// TestIllegalVerbs checks that each verb is rejected in every state that has no transition for the verb, and that the
// node remains unchanged.
func TestIllegalVerbs(t *testing.T) {
	r := newRig(t)
	for state := range fsmStates {
		node := r.fake(state)
		for _, verb := range []string{"manage", "provide", "abort", "adopt", "unhold"} {
			if actionable(state, event(verb)) {
				continue
			}
			r.refused(r.c.Act(t.Context(), node.UUID, verb), 400, `The requested action "`+verb+`" can not be performed on node "`+node.UUID+`" while it is in state "`+state+`".`)
		}
		if n := r.node(node.UUID); n.ProvisionState != state || n.Reservation != "" {
			t.Errorf("%s became %s", state, n.ProvisionState)
		}
	}
}

// BenchmarkIdle measures the periodic tasks with ten thousand idle nodes, which should be checked without being
// copied.
func BenchmarkIdle(b *testing.B) {
	store := db.New(time.Now)
	c, err := New(Options{Tables: store})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for range 10_000 {
		if _, err := c.CreateNode(b.Context(), &db.Node{Driver: "fake-hardware", ProvisionState: available, PowerState: powerOff}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		for _, p := range c.periodics() {
			p.do(b.Context())
		}
	}
}
