package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

const recordableUUID = "7d5f1a2b-0d6e-4a43-9f2c-000000000001"

// recordable returns a node with a valid UUID, which is required to record its deployment.
func recordable(t *testing.T) models.Node {
	t.Helper()
	n, err := models.DecodeNode([]byte(strings.Replace(string(deployable(t).Raw), "uuid-n1", recordableUUID, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return *n
}

// nodeReader is a reader for the checks that can also read nodes from the fake Ironic.
type nodeReader struct {
	*reader
	api *fakeAPI
}

func (r nodeReader) Node(ctx context.Context, id string, fields ...string) (*models.Node, error) {
	return r.api.Node(ctx, id, fields...)
}

// invalid returns a reader whose second validation fails. The second validation takes place after the plan has been
// written to the node.
func invalid() *reader {
	return &reader{inventory: oneDisk, valid: func(n int) []models.Validation {
		ok := n < 2
		return []models.Validation{{Interface: "deploy", Result: &ok, Reason: "no"}}
	}}
}

// giveBackRig is a deployment that is reverted, and whose record is stored on disk.
type giveBackRig struct {
	*testing.T
	dir  string
	api  *fakeAPI
	node models.Node
	// request counts the requests to Ironic's nodes, starting at 1. at is the number of one of these requests. There,
	// either a fault is injected, or the state of the disk and of Ironic is saved before or after the request.
	request, at int
	fault       giveBackFault
	// kept and was hold the files and the node as a process leaves them when it is killed at that request.
	kept map[string][]byte
	was  models.Node
}

type giveBackFault string

const (
	faultNone       giveBackFault = "none"
	faultRefused    giveBackFault = "refused"
	faultLostBefore giveBackFault = "lost before Ironic had it"
	faultLostAfter  giveBackFault = "lost after Ironic had it"
	killBefore      giveBackFault = "killed before"
	killAfter       giveBackFault = "killed after"
)

func newGiveBackRig(t *testing.T, at int, fault giveBackFault) *giveBackRig {
	t.Helper()
	n := recordable(t)
	rig := &giveBackRig{T: t, dir: t.TempDir(), api: newAPI(n), node: n, at: at, fault: fault}
	rig.api.onLook = func(string) error { return rig.before() }
	rig.api.onCall = func(call, _ string) error {
		rig.noUndoTwice(call)
		return rig.before()
	}
	rig.api.onApplied = func(string, string) error { return rig.after() }
	return rig
}

func (rig *giveBackRig) before() error {
	rig.request++
	if rig.request != rig.at {
		return nil
	}
	switch rig.fault {
	case faultRefused:
		return &models.Fault{Kind: models.FaultConflict, Status: 409, Message: "no"}
	case faultLostBefore:
		return &models.Fault{Kind: models.FaultReset, Sent: true, Message: "reset"}
	case killBefore:
		rig.keep()
	case faultNone, faultLostAfter, killAfter:
	}
	return nil
}

func (rig *giveBackRig) after() error {
	if rig.request != rig.at {
		return nil
	}
	switch rig.fault {
	case faultLostAfter:
		return &models.Fault{Kind: models.FaultReset, Sent: true, Message: "reset"}
	case killAfter:
		rig.keep()
	case faultNone, faultRefused, faultLostBefore, killBefore:
	}
	return nil
}

// noUndoTwice fails the test when a change sets a path to the value that it already has.
func (rig *giveBackRig) noUndoTwice(call string) {
	var ops []models.PatchOp
	if err := json.Unmarshal([]byte(strings.TrimPrefix(call, "patch ")), &ops); err != nil {
		return
	}
	rig.api.mu.Lock()
	defer rig.api.mu.Unlock()
	var now map[string]any
	if err := json.Unmarshal(rig.api.nodes[recordableUUID].Raw, &now); err != nil {
		rig.Error(err)
	}
	for _, op := range ops {
		object, parts := now, strings.Split(strings.TrimPrefix(op.Path, "/"), "/")
		for _, part := range parts[:len(parts)-1] {
			object, _ = object[part].(map[string]any)
		}
		if value, there := object[parts[len(parts)-1]]; there && reflect.DeepEqual(value, op.Value) || !there && op.Op == "remove" {
			rig.Errorf("request %d changes nothing: %s", rig.request+1, call)
		}
	}
}

// keep saves the files and the node as a process leaves them if it is killed now.
func (rig *giveBackRig) keep() {
	rig.kept = map[string][]byte{}
	entries, err := os.ReadDir(rig.dir)
	if err != nil {
		rig.Error(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(rig.dir + "/" + e.Name())
		if err != nil {
			rig.Error(err)
		}
		rig.kept[e.Name()] = data
	}
	rig.api.mu.Lock()
	defer rig.api.mu.Unlock()
	rig.was = rig.api.nodes[recordableUUID]
}

// killed resets the disk and Ironic to the saved state.
func (rig *giveBackRig) killed() {
	if rig.kept == nil {
		return
	}
	if err := os.RemoveAll(rig.dir); err != nil {
		rig.Fatal(err)
	}
	if err := os.MkdirAll(rig.dir, 0o700); err != nil {
		rig.Fatal(err)
	}
	for name, data := range rig.kept {
		if err := os.WriteFile(rig.dir+"/"+name, data, 0o600); err != nil {
			rig.Fatal(err)
		}
	}
	rig.api.set("n1", func(n *models.Node) { *n = rig.was })
	rig.kept = nil
}

func (rig *giveBackRig) run(make func(*provision.Preflighter) *provision.DeployAction) provision.Result {
	checks := &provision.Preflighter{
		Reader: nodeReader{invalid(), rig.api}, Deployments: &provision.Deployments{Dir: rig.dir},
	}
	nodes := []models.Node{rig.api.nodes[recordableUUID]}
	action := make(checks)
	action.Preflight(rig.Context(), nodes)
	runner := &provision.Runner{API: rig.api, Audit: &memAudit{}, Context: "test"}
	return runner.Run(rig.Context(), runner.Plan(action, nodes), provision.RunOptions{})[0]
}

func (rig *giveBackRig) deploy() provision.Result {
	return rig.run(func(checks *provision.Preflighter) *provision.DeployAction {
		return provision.Deploy(checks, sameFor(deployment(rig.T)))
	})
}

// recorded reports whether there is still a record. restored reports whether the node has its original values again.
func (rig *giveBackRig) recorded() bool {
	list, err := (&provision.Deployments{Dir: rig.dir}).List(time.Now())
	if err != nil {
		rig.Error(err)
	}
	return len(list) > 0
}

func (rig *giveBackRig) restored() bool {
	var was, now map[string]any
	if err := errors.Join(json.Unmarshal(rig.node.Raw, &was), json.Unmarshal(rig.api.nodes[recordableUUID].Raw, &now)); err != nil {
		rig.Error(err)
	}
	return reflect.DeepEqual(was, now)
}

// TestGiveBackSurvivesEachFault injects each possible fault into each request of a deployment that is reverted. Some
// of the faults kill the process. The test checks that no old value is lost, that nothing is reverted twice, and that
// the record is kept until everything is restored.
func TestGiveBackSurvivesEachFault(t *testing.T) {
	var requests int
	synctest.Test(t, func(t *testing.T) {
		rig := newGiveBackRig(t, 0, faultNone)
		if res := rig.deploy(); res.Outcome != provision.OutcomeFailed || !rig.restored() || rig.recorded() {
			t.Errorf("without a fault: %+v, restored %v, recorded %v", res, rig.restored(), rig.recorded())
		}
		requests = rig.request
	})
	if requests < 5 {
		t.Fatalf("%d requests", requests)
	}
	for name, again := range map[string]func(*provision.Preflighter) *provision.DeployAction{"give back": provision.GiveBack, "resume": provision.Resume} {
		for _, fault := range []giveBackFault{faultRefused, faultLostBefore, faultLostAfter, killBefore, killAfter} {
			for at := 1; at <= requests; at++ {
				t.Run(fmt.Sprintf("%s/%s/%d", name, fault, at), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { testGiveBackFault(t, at, fault, again) })
				})
			}
		}
	}
}

func testGiveBackFault(t *testing.T, at int, fault giveBackFault, again func(*provision.Preflighter) *provision.DeployAction) {
	t.Helper()
	rig := newGiveBackRig(t, at, fault)
	if res := rig.deploy(); res.Err == nil {
		t.Errorf("%+v", res)
	}
	rig.killed()
	rig.at = 0
	if !rig.recorded() && !rig.restored() {
		t.Fatalf("the record is dropped, and the node is %s", rig.api.nodes[recordableUUID].Raw)
	}
	for try := 0; rig.recorded() && try < 3; try++ {
		res := rig.run(again)
		if try > 0 {
			t.Logf("try %d: %+v", try, res)
		}
	}
	if rig.recorded() || !rig.restored() {
		t.Errorf("recorded %v, the node is %s", rig.recorded(), rig.api.nodes[recordableUUID].Raw)
	}
}

// TestGiveBackOfAReleasedNode checks the case where another client has removed the instance_uuid before the fields
// are restored. The fields are then restored unless the node has been reserved again.
func TestGiveBackOfAReleasedNode(t *testing.T) {
	for name, c := range map[string]struct {
		instance string
		changed  bool
	}{"free": {"", false}, "somebody else's": {"i2", true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rig := newGiveBackRig(t, 4, faultRefused)
				rig.deploy()
				rig.at = 0
				ops := [][]models.PatchOp{{{Op: "remove", Path: "/instance_uuid"}}}
				if c.instance != "" { // Ironic refuses to replace a reservation
					ops = append(ops, []models.PatchOp{{Op: "add", Path: "/instance_uuid", Value: c.instance}})
				}
				for _, op := range ops {
					if err := rig.api.patch(recordableUUID, op); err != nil || !rig.recorded() || rig.restored() {
						t.Fatalf("%v, recorded %v, restored %v", err, rig.recorded(), rig.restored())
					}
				}
				for range 2 {
					rig.run(provision.GiveBack)
				}
				if rig.recorded() || rig.restored() == c.changed {
					t.Errorf("recorded %v, the node is %s", rig.recorded(), rig.api.nodes[recordableUUID].Raw)
				}
			})
		})
	}
}
