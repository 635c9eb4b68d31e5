package fleet_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/test/embedded"
	"ironworks/test/seeds"
)

// TestFakeAnswersLikeIronic makes random changes. It checks that the fake Ironic of these tests responds in the same
// way as the embedded Ironic, which test/contract compares with real ones.
func TestFakeAnswersLikeIronic(t *testing.T) {
	for _, seed := range seeds.For(t, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &pair{fake: newFake(), random: rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // no secret
				p.fake.seconds = true
				ironic := embedded.New(t, func() time.Time { return time.Now().Truncate(time.Second) })
				p.tables, p.client = ironic.Tables, ironic.Client(t)
				for range 150 {
					p.change(t)
					<-time.After(time.Duration(p.random.IntN(700)) * time.Millisecond)
					p.compare(t)
				}
			})
		})
	}
}

// pair holds the fake Ironic and the embedded one, with the same nodes.
type pair struct {
	fake   *fakeIronic
	tables *db.Store
	client *ironicclient.Client
	random *rand.Rand
}

// any returns the UUID of a node that exists or existed.
func (p *pair) any() string { return uuidOf(1 + p.random.IntN(max(p.fake.lastID, 1))) }

// change makes the same random change in the fake Ironic and in the embedded one.
func (p *pair) change(t *testing.T) {
	t.Helper()
	id := p.any()
	_, there := p.fake.nodes[id]
	var err error
	switch what := p.random.IntN(10); {
	case what < 3 || !there:
		id = p.fake.add(models.StateAvailable)
		n := p.fake.nodes[id]
		_, err = p.tables.Nodes.Create(&db.Node{UUID: id, Name: n.Name, Driver: "fake-hardware", ProvisionState: string(n.ProvisionState), PowerState: string(n.PowerState)})
	case what < 4:
		p.fake.remove(id)
		err = p.tables.Nodes.Destroy(id)
	case what < 5:
		event := fmt.Sprint("event ", p.random.Int())
		p.fake.record(id, event)
		p.tables.AddHistory(db.History{NodeUUID: id, Event: event, Severity: "ERROR"})
	default:
		p.fake.state(id, models.StateActive)
		_, err = p.tables.Nodes.Update(id, func(n *db.Node) error {
			n.ProvisionState = string(models.StateActive)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compare sends the same requests to the fake and the embedded API, and compares the results.
func (p *pair) compare(t *testing.T) {
	t.Helper()
	id := p.any()
	q := ironicclient.NodeQuery{
		Fields: []string{"uuid", "name", "provision_state", "power_state"}, Limit: 1 + p.random.IntN(6),
		SortKey: []string{"", "updated_at", "created_at"}[p.random.IntN(3)],
	}
	// The poller uses the default order only in ascending direction.
	q.Descending = q.SortKey != "" && p.random.IntN(2) == 0
	if p.random.IntN(2) == 0 {
		q.Marker = id
	}
	for what, ask := range map[string]func(api fleet.API) (string, error){
		fmt.Sprintf("page %+v", q): func(api fleet.API) (string, error) {
			page, err := api.NodePage(t.Context(), q)
			if err != nil {
				return "", err
			}
			var rows []string
			for i := range page.Nodes {
				n := &page.Nodes[i]
				rows = append(rows, fmt.Sprint(n.UUID, n.Name, n.ProvisionState, n.PowerState))
			}
			return fmt.Sprint(rows, page.More), nil
		},
		"node " + id: func(api fleet.API) (string, error) {
			n, _, err := api.NodeAt(t.Context(), id, "uuid", "name")
			if err != nil {
				return "", err
			}
			return n.UUID + n.Name, nil
		},
		"number of nodes": func(api fleet.API) (string, error) {
			n, _, err := api.CountNodes(t.Context())
			return fmt.Sprint(n), err
		},
		"history of " + id: func(api fleet.API) (string, error) {
			entries, err := api.History(t.Context(), id)
			var events []string
			for _, e := range entries {
				events = append(events, e.Event)
			}
			return fmt.Sprint(events), err
		},
	} {
		got, err := ask(p.fake)
		want, wantErr := ask(p.client)
		if got != want || kindOf(err) != kindOf(wantErr) {
			t.Fatalf("%s: the fake says\n%s %v\nIronic says\n%s %v", what, got, err, want, wantErr)
		}
	}
}

// kindOf returns the kind of the fault in err, or "" if there is none.
func kindOf(err error) models.FaultKind {
	var f *models.Fault
	if errors.As(err, &f) {
		return f.Kind
	}
	return ""
}
