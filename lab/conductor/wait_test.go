package conductor

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
	"ironworks/lab/machine"
)

// TestTimeouts checks that operations fail with Ironic's messages if they wait for too long.
func TestTimeouts(t *testing.T) {
	step := db.Dict{"interface": "deploy", "step": "erase_devices"}
	for name, c := range map[string]struct {
		node        func(*db.Node)
		state       string
		words, kind string
		fault       string
	}{
		"deploy": {func(n *db.Node) { n.ProvisionState = deployWait }, deployFail, "Timeout reached while waiting for callback for node %n", "deploying", ""},
		"clean": {
			func(n *db.Node) { n.ProvisionState, n.CleanStep, n.TargetProvisionState = cleanWait, step, manageable }, cleanFail,
			"Timeout reached while cleaning the node. Please check if the ramdisk responsible for the cleaning is running on the node. Failed on step {'interface': 'deploy', 'step': 'erase_devices'}.", "cleaning", faultClean,
		},
		"inspect": {
			func(n *db.Node) { n.ProvisionState = inspectWait }, inspectFail,
			"Timeout reached while inspecting the node. Please check if the ramdisk responsible for the inspection is running on the node.", "introspection", "",
		},
		"rescue": {func(n *db.Node) { n.ProvisionState = rescueWait }, rescueFail, "Timeout reached while waiting for rescue ramdisk callback for node", "rescue", ""},
		"service": {
			func(n *db.Node) { n.ProvisionState, n.ServiceStep = serviceWait, step }, serviceFail,
			"Timeout reached while servicing the node. Please check if the ramdisk responsible for the servicing is running on the node. Failed on step {'interface': 'deploy', 'step': 'erase_devices'}.", "servicing", faultService,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := db.New(time.Now)
				r := &rig{t: t, store: store}
				var err error
				r.c, err = New(Options{Tables: store, Speed: 1e9})
				r.must(err)
				defer r.c.Close()
				node := r.fake(enroll)
				_, err = store.Nodes.Update(node.UUID, func(n *db.Node) error {
					c.node(n)
					n.InspectionStartedAt = time.Now()
					return nil
				})
				r.must(err)
				late := func() {
					for _, p := range r.c.periodics()[:5] {
						p.do(t.Context())
					}
				}
				<-time.After(1799 * time.Second)
				late()
				if n := r.node(node.UUID); n.ProvisionState == c.state {
					t.Fatalf("failed too early: %q", n.LastError)
				}
				<-time.After(2 * time.Second)
				late()
				node = r.state(node.UUID, c.state)
				words := strings.ReplaceAll(c.words, "%n", node.UUID)
				if node.LastError != words || node.Fault != c.fault || node.Maintenance != (c.fault != "") {
					t.Errorf("error %q, want %q; fault %q", node.LastError, words, node.Fault)
				}
				if got := strings.Join(r.events(node.UUID), "\n"); got != c.kind+"/ERROR: "+words {
					t.Errorf("history %s", got)
				}
				if name == "clean" && node.TargetProvisionState != manageable {
					t.Errorf("target %q", node.TargetProvisionState)
				}
			})
		})
	}
}

// TestLocked checks that a request for a locked node is rejected after the usual number of attempts, and succeeds
// after the lock has been released.
func TestLocked(t *testing.T) {
	r := newRig(t)
	node := r.fake(manageable)
	_, err := r.store.Reserve(node.UUID, "localhost")
	r.must(err)
	want := "Node " + node.UUID + " is locked by host localhost, please retry after the current operation is completed."
	r.refused(r.c.Act(t.Context(), node.UUID, "provide"), 409, want)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.refused(r.c.SetPower(ctx, node.UUID, powerOn, 0), 409, want)
	r.must(r.store.Release(node.UUID, "localhost"))
	r.must(r.c.Act(t.Context(), node.UUID, "provide"))
	r.state(node.UUID, available)
}

// TestNoWorker checks that a request is rejected if no worker is free, and that only the node's last error changes.
func TestNoWorker(t *testing.T) {
	r := newRig(t)
	r.c.workers.SetLimit(0)
	r.c.reserved.SetLimit(0)
	node := r.fake(manageable)
	r.refused(r.c.Inspect(t.Context(), node.UUID), 503, "Requested action cannot be performed due to lack of free conductor workers.")
	if n := r.node(node.UUID); n.ProvisionState != manageable || n.LastError != "No free conductor workers available" || n.Reservation != "" {
		t.Errorf("%s, error %q, lock %q", n.ProvisionState, n.LastError, n.Reservation)
	}
}

// TestPowerSync checks that the expected power state is restored. If this fails repeatedly, the node goes into
// maintenance until its power can be read again.
func TestPowerSync(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Timeouts.PowerChange = 200 * time.Millisecond
		o.Limits.BMCConnections = 1
	})
	m, node := r.ready()
	r.must(r.c.SetPower(t.Context(), node.UUID, powerOn, 0))
	r.until(node.UUID, "power on", func(n *db.Node) bool { return n.PowerState == powerOn && n.Reservation == "" })
	r.must(m.Reset(machine.ForceOff))
	r.c.syncPower(t.Context())
	if node = r.node(node.UUID); m.Power() != machine.On || node.PowerState != powerOn || node.Health != "OK" {
		t.Errorf("power %s, node %s, health %q", m.Power(), node.PowerState, node.Health)
	}
	m.SetFaults(machine.Faults{PowerStuck: true})
	r.must(m.Reset(machine.ForceOff))
	for range 5 {
		r.c.syncPower(t.Context())
	}
	node = r.node(node.UUID)
	want := "During sync_power_state, max retries exceeded for node " + node.UUID + ", node state power off does not match expected state 'power on'. " +
		"Updating DB state to 'power off' Switching node to maintenance mode."
	if node.MaintenanceReason != want || node.LastError != want || node.Fault != faultPower || node.PowerState != powerOff {
		t.Errorf("maintenance %q, want %q; error %q, fault %q, power %q", node.MaintenanceReason, want, node.LastError, node.Fault, node.PowerState)
	}
	m.SetFaults(machine.Faults{})
	r.c.recoverPower(t.Context())
	if node = r.node(node.UUID); node.Maintenance || node.Fault != "" {
		t.Errorf("maintenance %t, fault %q", node.Maintenance, node.Fault)
	}
}

// TestVerifyFails checks that a node cannot be managed if its BMC rejects the password.
func TestVerifyFails(t *testing.T) {
	r := newRig(t)
	_, node := r.machine(func(n *db.Node) { n.DriverInfo["redfish_password"] = "wrong" })
	r.must(r.c.Act(t.Context(), node.UUID, "manage"))
	node = r.until(node.UUID, "enroll", func(n *db.Node) bool {
		return n.ProvisionState == enroll && n.LastError != "" && n.Reservation == ""
	})
	want := "Failed to get power state for node " + node.UUID + ". Error: Redfish exception occurred. Error: HTTP GET " + node.DriverInfo.Text("redfish_address") +
		"/redfish/v1/Systems/m1 returned code 401. Base.1.18.InsufficientPrivilege: The credentials are missing or wrong. Extended information: [{"
	if !strings.HasPrefix(node.LastError, want) || node.TargetProvisionState != "" {
		t.Errorf("error %q, want %q; target %q", node.LastError, want, node.TargetProvisionState)
	}
}

// TestSharedBMC checks that nodes sharing a BMC are not confused with each other.
func TestSharedBMC(t *testing.T) {
	r := newRig(t)
	_, node := r.ready()
	other := r.enroll(&db.Node{Driver: "redfish", DriverInfo: node.DriverInfo.Clone()})
	_, err := r.c.UpdateNode(t.Context(), other.UUID, false, func(n *db.Node) error {
		n.DriverInfo["redfish_system_id"] = "/redfish/v1/Systems/none"
		return nil
	})
	r.must(err)
	r.must(r.c.Act(t.Context(), other.UUID, "manage"))
	other = r.until(other.UUID, "enroll", func(n *db.Node) bool { return n.ProvisionState == enroll && n.LastError != "" })
	if !strings.HasSuffix(other.LastError, "/redfish/v1/Systems/none not found") {
		t.Errorf("error %q", other.LastError)
	}
	r.must(r.c.SetPower(t.Context(), node.UUID, powerOn, 0))
	r.until(node.UUID, "power on", func(n *db.Node) bool { return n.PowerState == powerOn })
}

// TestSessionsAreClosed checks that the conductor closes a BMC session when the number of sessions exceeds the
// configured limit.
func TestSessionsAreClosed(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits.BMCSessions = 1 })
	_, one := r.machine()
	_, other := r.machine(func(n *db.Node) { n.Name = "other" })
	address := one.DriverInfo.Text("redfish_address")
	sessions := func() int {
		m := (&redfish.Sessions{Limit: 1, Sleep: r.c.sleep}).Get(redfish.Settings{
			Base: address, Root: "/redfish/v1", User: "admin", Password: "secret", Auth: "basic",
		})
		var all struct{ Members []redfish.Link }
		r.must(m.Get(t.Context(), "/redfish/v1/SessionService/Sessions", &all))
		return len(all.Members)
	}
	for _, node := range []*db.Node{one, other} {
		r.must(r.c.Act(t.Context(), node.UUID, "manage"))
		r.state(node.UUID, manageable)
	}
	r.until(one.UUID, "the end of the session", func(*db.Node) bool { return sessions() == 0 })
}

// TestRestart checks that a starting conductor releases its old locks and fails interrupted operations.
func TestRestart(t *testing.T) {
	store := db.New(time.Now)
	first, err := New(Options{Tables: store})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, store: store, c: first}
	node := r.fake(deploying, func(n *db.Node) { n.Reservation, n.TargetProvisionState = "localhost", active })
	first.Close()
	second, err := New(Options{Tables: store})
	r.must(err)
	defer second.Close()
	node = r.node(node.UUID)
	if want := "The deploying state can't be resumed by conductor localhost. Moving to fail state."; node.LastError != want || node.ProvisionState != deployFail || node.Reservation != "" {
		t.Errorf("%s, error %q, lock %q", node.ProvisionState, node.LastError, node.Reservation)
	}
}

// TestAllocations checks that an allocation either gets a suitable node or fails with Ironic's error.
func TestAllocations(t *testing.T) {
	r := newRig(t)
	node := r.fake(available, func(n *db.Node) { n.ResourceClass = "big" })
	for _, c := range []struct {
		wish  db.Allocation
		error string
	}{
		{db.Allocation{ResourceClass: "huge"}, "Failed to process allocation %a: no available nodes match the resource class huge."},
		{db.Allocation{ResourceClass: "big", Traits: []string{"CUSTOM_X"}}, "Failed to process allocation %a: no suitable nodes have the requested traits CUSTOM_X."},
		{db.Allocation{ResourceClass: "big"}, ""},
		{db.Allocation{ResourceClass: "big"}, "Failed to process allocation %a: no available nodes match the resource class big."},
	} {
		made, err := r.c.CreateAllocation(t.Context(), &c.wish)
		r.must(err)
		var got *db.Allocation
		r.until(node.UUID, "the allocation", func(*db.Node) bool {
			got, err = r.store.Allocations.Get(made.UUID)
			return err == nil && got.State != "allocating"
		})
		if want := strings.ReplaceAll(c.error, "%a", made.UUID); got.LastError != want || (want == "") != (got.State == "active") {
			t.Errorf("%+v: %s %q, want %q", c.wish, got.State, got.LastError, want)
		}
	}
}

// TestValidate checks that validation reports everything that is missing, for each interface except vendor.
func TestValidate(t *testing.T) {
	r := newRig(t)
	node := r.enroll(&db.Node{Driver: "redfish", Interfaces: map[string]string{"boot": "redfish-virtual-media", "deploy": "custom-agent"}})
	results, err := r.c.Validate(t.Context(), node.UUID)
	r.must(err)
	address := "Missing the following Redfish properties in node " + node.UUID + " driver_info: ['redfish_address']"
	images := "Error validating Redfish virtual media. Some parameters were missing in node's driver_info. Missing are: ['deploy_kernel', 'deploy_ramdisk']"
	none := func(kind string) string {
		return "Driver redfish does not support " + kind + " (disabled or not implemented)."
	}
	for kind, want := range map[string]string{
		"power": address, "management": address, "inspect": address, "boot": images, "deploy": images, "network": "", "storage": "",
		"bios": none("bios"), "console": none("console"), "raid": none("raid"), "rescue": none("rescue"), "firmware": none("firmware"),
	} {
		got := results[kind]
		if got.Reason != want || got.Result == nil || *got.Result != (want == "") {
			t.Errorf("%s: %v %q, want %q", kind, got.Result, got.Reason, want)
		}
	}
	if _, there := results["vendor"]; there {
		t.Error("vendor is there")
	}
}
