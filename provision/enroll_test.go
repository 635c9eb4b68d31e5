package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/enroll"
	"ironworks/ironicclient"
	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
	"ironworks/test/embedded"
)

var errUnplugged = errors.New("unplugged")

// cut is a client whose connection breaks at one change, either before the change is sent or after Ironic has carried
// it out.
type cut struct {
	*ironicclient.Client
	mu    sync.Mutex
	sent  []string
	at    int // the number of the change, counted from 1; 0 means that no connection breaks
	after bool
	// lost is the payload of the change at which the connection broke. The connection breaks at the same payload
	// again, unless once is set.
	lost string
	once bool
	// targets reports whether the strings in sent include the verbs.
	targets bool
}

func (c *cut) Send(ctx context.Context, r request.Request) (request.Answer, error) {
	c.mu.Lock()
	sent := r.Method + " " + r.Path
	if body, is := r.Body.(map[string]any); is && c.targets {
		sent += fmt.Sprint(" ", body["target"])
	}
	c.sent = append(c.sent, sent)
	if len(c.sent) == c.at && !c.once {
		c.lost = string(r.Payload())
	}
	broken := c.at > 0 && (len(c.sent) == c.at || c.lost != "" && c.lost == string(r.Payload()))
	c.mu.Unlock()
	if broken && !c.after {
		return request.Answer{}, &models.Fault{Kind: models.FaultUnreachable, Op: r.Op, Sent: true, Err: errUnplugged}
	}
	answer, err := c.Client.Send(ctx, r)
	if broken {
		return request.Answer{}, &models.Fault{Kind: models.FaultUnreachable, Op: r.Op, Sent: true, Err: errUnplugged}
	}
	return answer, err
}

// rack returns an input of n machines. Each machine has a bond of two NICs, and a third NIC.
func rack(n int) []enroll.Node {
	nodes := make([]enroll.Node, n)
	for i := range nodes {
		mac := func(k int) map[string]any {
			return map[string]any{"address": fmt.Sprintf("52:54:00:00:%02x:%02x", i, k), "pxe_enabled": k == 2}
		}
		nodes[i] = enroll.Node{
			Fields: map[string]any{
				"name": fmt.Sprintf("r1-n%02d", i), "driver": "fake-hardware", "resource_class": "big", "owner": "team-a",
				"driver_info": map[string]any{"redfish_address": fmt.Sprintf("https://10.0.0.%d", i), "redfish_username": "admin", "redfish_password": "s3cret"},
				"properties":  map[string]any{"cpus": 8, "capabilities": "boot_mode:uefi"}, "extra": map[string]any{"rack": "r1"},
			},
			Traits:     []string{"CUSTOM_FAST"},
			Portgroups: []enroll.Portgroup{{Fields: map[string]any{"name": fmt.Sprintf("bond-%d", i)}, Ports: []enroll.Port{mac(0), mac(1)}}},
			Ports:      []enroll.Port{mac(2)},
		}
		nodes[i].Normalize()
	}
	return nodes
}

func compared(t *testing.T, api provision.EnrollAPI, nodes []enroll.Node, opts enroll.Options) enroll.Plan {
	t.Helper()
	have, err := provision.ReadExisting(t.Context(), api)
	if err != nil {
		t.Fatal(err)
	}
	return enroll.Compare(nodes, have, opts)
}

func enroller(api provision.EnrollAPI) *provision.Enroller {
	return &provision.Enroller{Runner: &provision.Runner{API: api, Audit: &memAudit{}}, API: api, Goal: provision.GoalEnroll}
}

// TestEnrollAfterEachInterruption loses each request of a first run in turn, either before or after Ironic has
// carried it out. It checks that a second run completes the nodes without creating anything twice, and that a third
// run finds nothing to do.
func TestEnrollAfterEachInterruption(t *testing.T) {
	const requests = 2 * 7 // for each of two nodes: node, owner, traits, group and three ports
	for at := range requests + 1 {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("request %d, carried out %v", at, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					client := embedded.New(t, time.Now).Client(t)
					api := &cut{Client: client, at: at, after: after}
					enroller(api).Run(t.Context(), compared(t, api, rack(2), enroll.Options{}))
					second := enroller(client).Run(t.Context(), compared(t, client, rack(2), enroll.Options{}))
					for _, r := range second {
						if r.Outcome != provision.OutcomeDone {
							t.Errorf("second run: %+v", r)
						}
					}
					for _, it := range compared(t, client, rack(2), enroll.Options{}) {
						if it.Kind != enroll.Unchanged || !slices.Equal(it.NotCompared, []string{"driver_info.redfish_password"}) {
							t.Errorf("third run: %s %s %v %+v", it.Kind, it.Reason, it.Changes, it.Parts)
						}
					}
					have, err := provision.ReadExisting(t.Context(), client)
					if err != nil || len(have.Nodes) != 2 || len(have.Ports) != 6 || len(have.Portgroups) != 2 {
						t.Errorf("%d nodes, %d ports, %d groups, %v", len(have.Nodes), len(have.Ports), len(have.Portgroups), err)
					}
				})
			})
		}
	}
}

// TestEnrollSendsLostCreationsAgain checks that a creation whose answer was lost is sent again only if nothing was
// created.
func TestEnrollSendsLostCreationsAgain(t *testing.T) {
	for at, what := range map[int]string{1: "POST /v1/nodes", 4: "POST /v1/portgroups", 5: "POST /v1/ports"} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, carried out %v", what, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := &cut{Client: embedded.New(t, time.Now).Client(t), at: at, after: after, once: true}
					r := enroller(api).Run(t.Context(), compared(t, api, rack(1), enroll.Options{}))[0]
					if r.Outcome != provision.OutcomeDone {
						t.Errorf("%+v", r)
					}
					want := map[bool]int{false: 8, true: 7}[after]
					if len(api.sent) != want || api.sent[at-1] != what {
						t.Errorf("sent %d: %q, want %d with %s lost", len(api.sent), api.sent, want, what)
					}
				})
			})
		}
	}
}

// TestEnrollByTwoOperatorsAtOnce checks that two operators can carry out the same plan at the same time.
func TestEnrollByTwoOperatorsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := embedded.New(t, time.Now).Client(t)
		plan := compared(t, client, rack(20), enroll.Options{})
		var results [2][]provision.Enrolled
		var wg sync.WaitGroup
		for i := range results {
			wg.Go(func() { results[i] = enroller(client).Run(t.Context(), plan) })
		}
		wg.Wait()
		for _, r := range slices.Concat(results[0], results[1]) {
			if r.Outcome != provision.OutcomeDone {
				t.Errorf("%s: %s %v", r.Node.Label(), r.Outcome, r.Err)
			}
		}
		have, err := provision.ReadExisting(t.Context(), client)
		if err != nil || len(have.Nodes) != 20 || len(have.Ports) != 60 || len(have.Portgroups) != 20 {
			t.Errorf("%d nodes, %d ports, %d groups, %v", len(have.Nodes), len(have.Ports), len(have.Portgroups), err)
		}
	})
}

// second is a client that sends each verb twice. To the run that uses it, an earlier run seems to have sent the verb
// already.
type second struct{ *ironicclient.Client }

func (s second) Send(ctx context.Context, r request.Request) (request.Answer, error) {
	if strings.HasSuffix(r.Path, "/states/provision") {
		if _, err := s.Client.Send(ctx, r); err != nil {
			return request.Answer{}, err
		}
	}
	return s.Client.Send(ctx, r)
}

// TestEnrollContinuesAfterTheVerbsOfAnotherRun checks that a run continues if Ironic rejects each verb because
// another run was faster.
func TestEnrollContinuesAfterTheVerbsOfAnotherRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := second{embedded.New(t, time.Now).Client(t)}
		e := enroller(client)
		e.Goal, e.NoInspect = provision.GoalAvailable, true
		for _, r := range e.Run(t.Context(), compared(t, client, rack(2), enroll.Options{})) {
			if r.Outcome != provision.OutcomeDone || r.State != string(models.StateAvailable) || r.Err != nil {
				t.Errorf("%s: %s in %s: %v", r.Node.Label(), r.Outcome, r.State, r.Err)
			}
		}
	})
}

// TestEnrollSendsLostVerbsAgain checks that a lost verb is sent again, at most three times, wherever it was lost.
// Ironic carries out each verb only once.
func TestEnrollSendsLostVerbsAgain(t *testing.T) {
	for _, verb := range []int{8, 9} { // numbers of the requests after those for the node and its parts
		for _, after := range []bool{false, true} {
			for _, once := range []bool{false, true} {
				t.Run(fmt.Sprintf("request %d, carried out %v, once %v", verb, after, once), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						client := &cut{Client: embedded.New(t, time.Now).Client(t), at: verb, after: after, once: once, targets: true}
						e := enroller(client)
						e.Goal, e.NoInspect = provision.GoalAvailable, true
						r := e.Run(t.Context(), compared(t, client, rack(1), enroll.Options{}))[0]
						want := provision.OutcomeDone
						if !after && !once {
							want = provision.OutcomeUnknown
						}
						sent := map[string]int{}
						most := 0
						for _, s := range client.sent[7:] {
							sent[s]++
							most = max(most, sent[s])
						}
						if r.Outcome != want || (r.Err == nil) != (want == provision.OutcomeDone) || (most == 3) != (want == provision.OutcomeUnknown) {
							t.Errorf("%s in %s: %v; sent %q", r.Outcome, r.State, r.Err, client.sent)
						}
					})
				})
			}
		}
	}
}

// TestEnrollSendsLostChangesAgain checks that a lost change is sent again, whether or not Ironic carried it out.
func TestEnrollSendsLostChangesAgain(t *testing.T) {
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("carried out %v", after), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := embedded.New(t, time.Now).Client(t)
				enroller(client).Run(t.Context(), compared(t, client, rack(1), enroll.Options{}))
				changed := rack(1)
				changed[0].Set("small", "resource_class")
				lossy := &cut{Client: client, at: 1, after: after, once: true}
				r := enroller(lossy).Run(t.Context(), compared(t, lossy, changed, enroll.Options{}))[0]
				if left := compared(t, client, changed, enroll.Options{}); r.Err != nil || len(lossy.sent) != 2 || left[0].Kind != enroll.Unchanged {
					t.Errorf("%+v; sent %q; left %v", r, lossy.sent, left[0].Differences())
				}
			})
		})
	}
}

// TestEnrollChangesAfterATransition checks that changes wait until a transition has ended. Another run starts
// cleaning after the comparison, and Ironic refuses changes during cleaning.
func TestEnrollChangesAfterATransition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ironic := embedded.New(t, time.Now)
		client := ironic.Client(t)
		enroller(client).Run(t.Context(), compared(t, client, rack(1), enroll.Options{}))
		changed := rack(1)
		changed[0].Set("small", "resource_class")
		plan := compared(t, client, changed, enroll.Options{})
		moves := func(to models.ProvisionState) {
			if _, err := ironic.Tables.Nodes.Update(plan[0].UUID, func(n *db.Node) error {
				n.ProvisionState = string(to)
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
		moves(models.StateCleaning)
		time.AfterFunc(time.Minute, func() { moves(models.StateAvailable) })
		e := enroller(client)
		e.Goal = provision.GoalAvailable
		if r := e.Run(t.Context(), plan)[0]; r.Outcome != provision.OutcomeDone || r.Err != nil {
			t.Errorf("%s in %s: %v", r.Outcome, r.State, r.Err)
		}
		if left := compared(t, client, changed, enroll.Options{}); left[0].Kind != enroll.Unchanged {
			t.Errorf("not changed: %v", left[0].Differences())
		}
	})
}

// TestEnrollChangesWhatDiffers checks that only the fields that differ are changed, and that credentials are changed
// only at the operator's request.
func TestEnrollChangesWhatDiffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := embedded.New(t, time.Now).Client(t)
		enroller(client).Run(t.Context(), compared(t, client, rack(1), enroll.Options{}))
		changed := rack(1)
		changed[0].Set("small", "resource_class")
		changed[0].Set("r2", "extra", "rack")
		changed[0].Set(true, "driver_info", "redfish_verify_ca")
		changed[0].Traits = []string{"CUSTOM_FAST", "CUSTOM_NEW"}
		changed[0].Ports[0]["physical_network"] = "storage"
		for update, want := range map[bool]string{
			false: "driver_info.redfish_verify_ca extra.rack resource_class",
			true:  "driver_info.redfish_verify_ca extra.rack resource_class driver_info.redfish_password",
		} {
			it := compared(t, client, changed, enroll.Options{UpdateCredentials: update})[0]
			var names []string
			for _, c := range it.Changes {
				names = append(names, c.Name())
			}
			if it.Kind != enroll.Change || strings.Join(names, " ") != want || !slices.Equal(it.AddTraits, []string{"CUSTOM_NEW"}) {
				t.Errorf("%s %v %v", it.Kind, names, it.AddTraits)
			}
		}
		api := &cut{Client: client}
		results := enroller(api).Run(t.Context(), compared(t, client, changed, enroll.Options{}))
		if results[0].Outcome != provision.OutcomeDone || len(api.sent) != 3 {
			t.Errorf("%+v, sent %q", results[0], api.sent)
		}
		if it := compared(t, client, changed, enroll.Options{})[0]; it.Kind != enroll.Unchanged {
			t.Errorf("then %s %v", it.Kind, it.Changes)
		}
	})
}

// TestEnrollSendsNothingForConflicts checks that conflicts and invalid nodes are refused, and that the other nodes
// are enrolled.
func TestEnrollSendsNothingForConflicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := embedded.New(t, time.Now).Client(t)
		nodes := rack(4)
		nodes[1].Fields["name"], nodes[1].Ports = nodes[0].Name(), nil
		nodes[2].Problems = []string{`port address "x" is not a MAC address`}
		api := &cut{Client: client}
		results := enroller(api).Run(t.Context(), compared(t, client, nodes, enroll.Options{}))
		for i, want := range []provision.Outcome{provision.OutcomeRefused, provision.OutcomeRefused, provision.OutcomeRefused, provision.OutcomeDone} {
			if results[i].Outcome != want {
				t.Errorf("node %d: %+v", i, results[i])
			}
		}
		if len(api.sent) != 7 {
			t.Errorf("sent %q", api.sent)
		}
	})
}

// TestExportAndEnrollAgain checks that nodes exported from one Ironic and enrolled in an empty one are the same,
// except for secrets.
func TestExportAndEnrollAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from, to := embedded.New(t, time.Now).Client(t), embedded.New(t, time.Now).Client(t)
		nodes := rack(5)
		nodes[3].Set(true, "protected")
		nodes[3].Set(false, "automated_clean")
		for _, r := range enroller(from).Run(t.Context(), compared(t, from, nodes, enroll.Options{})) {
			if r.Outcome != provision.OutcomeDone {
				t.Errorf("%+v", r)
			}
		}
		have, err := provision.ReadExisting(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		exported := enroll.FromIronic(have)
		for i := range exported {
			exported[i].SetSecret("redfish_password", "s3cret")
		}
		for _, r := range enroller(to).Run(t.Context(), compared(t, to, exported, enroll.Options{})) {
			if r.Outcome != provision.OutcomeDone {
				t.Errorf("%+v", r)
			}
		}
		got, err := provision.ReadExisting(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprintf("%+v", enroll.FromIronic(have)), fmt.Sprintf("%+v", enroll.FromIronic(got)); a != b {
			t.Errorf("exported\n%s\nthen\n%s", a, b)
		}
		for _, client := range []*ironicclient.Client{from, to} {
			for _, it := range compared(t, client, exported, enroll.Options{}) {
				if it.Kind != enroll.Unchanged {
					t.Errorf("%s %s %v", it.Node.Label(), it.Kind, it.Differences())
				}
			}
		}
	})
}

// TestEnrollNextVerbs checks which verbs lead an existing node from its state to the goal.
func TestEnrollNextVerbs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		state     models.ProvisionState
		goal      provision.Goal
		noInspect bool
		adopt     bool
		want      string
	}{
		{"nothing beyond enroll", models.StateInspectFailed, provision.GoalEnroll, false, false, ""},
		{"failed inspection again", models.StateInspectFailed, provision.GoalAvailable, false, false, "inspect provide"},
		{"failed inspection is left behind", models.StateInspectFailed, provision.GoalAvailable, true, false, "manage provide"},
		{"failed inspection of a node to adopt", models.StateInspectFailed, provision.GoalAvailable, false, true, "manage adopt"},
		{"failed inspection, manageable is enough", models.StateInspectFailed, provision.GoalManageable, false, false, "manage"},
		{"new node", models.StateEnroll, provision.GoalAvailable, false, false, "manage inspect provide"},
		{"new node without inspection", models.StateEnroll, provision.GoalAvailable, true, false, "manage provide"},
		{"new node to adopt", models.StateEnroll, provision.GoalAvailable, false, true, "manage adopt"},
		{"failed cleaning", models.StateCleanFailed, provision.GoalAvailable, true, false, "manage provide"},
		{"in use", models.StateActive, provision.GoalAvailable, false, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			it := enroll.Item{Kind: enroll.Unchanged, UUID: "u", Existing: &models.Node{UUID: "u", ProvisionState: test.state}, Node: enroll.Node{Adopt: test.adopt}}
			requests, _ := provision.EnrollRequests(&it, test.goal, test.noInspect)
			var verbs []string
			for _, r := range requests {
				var body struct{ Target string }
				if err := json.Unmarshal(r.Payload(), &body); err != nil {
					t.Fatal(err)
				}
				verbs = append(verbs, body.Target)
			}
			if got := strings.Join(verbs, " "); got != test.want {
				t.Errorf("verbs %q, want %q", got, test.want)
			}
		})
	}
}

// TestEnrollWarning checks that only requests to an existing node with a Metal3 name cause a warning.
func TestEnrollWarning(t *testing.T) {
	t.Parallel()
	change := []enroll.FieldChange{{Path: []string{"resource_class"}, After: "big"}}
	for _, test := range []struct {
		name string
		node string // "" for a new node
		kind enroll.Kind
		goal provision.Goal
		want bool
	}{
		{"changed", "metal3~worker-0", enroll.Change, provision.GoalEnroll, true},
		{"unchanged", "metal3~worker-0", enroll.Unchanged, provision.GoalEnroll, false},
		{"unchanged, but managed", "metal3~worker-0", enroll.Unchanged, provision.GoalManageable, true},
		{"refused", "metal3~worker-0", enroll.Conflict, provision.GoalManageable, false},
		{"another name", "worker~", enroll.Change, provision.GoalEnroll, false},
		{"new", "", enroll.Create, provision.GoalManageable, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			it := enroll.Item{Kind: test.kind, UUID: "u", Node: enroll.Node{Fields: map[string]any{"name": "metal3~worker-0"}}}
			if test.node != "" {
				it.Existing = &models.Node{UUID: "u", Name: test.node, ProvisionState: models.StateEnroll}
			}
			if test.kind == enroll.Change {
				it.Changes = change
			}
			warning := provision.EnrollWarning(&it, test.goal, false)
			names := provision.EnrollWarned(enroll.Plan{it}, test.goal, false)
			if (warning != "") != test.want || (len(names) == 1) != test.want || test.want && !strings.Contains(provision.EnrollDetails(&it, test.goal, false), test.node) {
				t.Errorf("%q, %q", warning, names)
			}
		})
	}
}

// TestEnrollDetailsKeepsText checks that the details are not cut at their ends, which may come from the input.
func TestEnrollDetailsKeepsText(t *testing.T) {
	t.Parallel()
	it := enroll.Item{Kind: enroll.Unchanged, Node: enroll.Node{Notes: []string{"a note;"}}}
	if got := provision.EnrollDetails(&it, provision.GoalEnroll, false); got != "a note;" {
		t.Errorf("%q", got)
	}
}
