package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/test/ironic"
)

// metered is a client that counts its requests and measures the time that the API takes for them.
type metered struct {
	*ironicclient.Client
	mu    sync.Mutex
	spent time.Duration
	calls int
	pages []pageRequest
}

func (m *metered) add(began time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent += time.Since(began)
	m.calls++
}

func (m *metered) takeCounters() (time.Duration, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	spent, calls := m.spent, m.calls
	m.spent, m.calls, m.pages = 0, 0, nil
	return spent, calls
}

// pagesSince returns the page requests that started at the given time or later.
func (m *metered) pagesSince(began time.Time) (pages []pageRequest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pages {
		if !p.began.Before(began) {
			pages = append(pages, p)
		}
	}
	return pages
}

func (m *metered) NodePage(ctx context.Context, q ironicclient.NodeQuery) (*ironicclient.NodePage, error) {
	began := time.Now()
	defer m.add(began)
	m.mu.Lock()
	m.pages = append(m.pages, pageRequest{began, q})
	m.mu.Unlock()
	return m.Client.NodePage(ctx, q)
}

func (m *metered) NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error) {
	defer m.add(time.Now())
	return m.Client.NodeAt(ctx, id, fields...)
}

func (m *metered) CountNodes(ctx context.Context) (int, time.Time, error) {
	defer m.add(time.Now())
	return m.Client.CountNodes(ctx)
}

func (m *metered) History(ctx context.Context, node string) ([]models.HistoryEntry, error) {
	defer m.add(time.Now())
	return m.Client.History(ctx, node)
}

// polling runs the console's poller while nodes change. It compares the time that the poller's API requests take with
// the time that listing all nodes just as often would take.
func polling(ctx context.Context, s *ironic.Server, _ string, rounds int) error {
	client, err := ironicclient.New(models.Connection{Endpoint: s.URL}, ironicclient.Options{})
	if err != nil {
		return err
	}
	defer client.Close()
	api := &metered{Client: client}
	store := fleet.NewStore()
	events := make(chan models.Event, 10*burstNodes)
	complete := make(chan struct{})
	var once sync.Once
	poller := fleet.NewPoller(api, store, fleet.Options{})
	count := func(u fleet.Update) {
		for _, e := range u.Events {
			events <- e
		}
		if u.Status.Complete {
			once.Do(func() { close(complete) })
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- poller.Run(ctx, count) }()
	select {
	case <-complete:
	case err := <-ended:
		return err
	}
	listed, calls := api.takeCounters()
	fmt.Printf("  first listing through the store %s in %d requests\n", listed.Round(time.Millisecond), calls)

	began := time.Now()
	lags, err := transitions(ctx, s, events, 4*rounds)
	if err != nil {
		return err
	}
	took := time.Since(began)
	spent, calls := api.takeCounters()
	// While nodes change, the poller's period is 1 s. If the poller did not limit its requests to the changes, it
	// would list all nodes in every period.
	periods := took.Seconds()
	relist := time.Duration(periods * float64(listed))
	fmt.Printf("  steady polling for %s: %d requests, API time %s; re-listing each second %s; ratio (≤ 0.05) %.3f\n",
		took.Round(time.Second), calls, spent.Round(time.Millisecond), relist.Round(time.Second), float64(spent)/float64(relist))
	fmt.Printf("  transition → event (≤ period 1 s + 0.2 s): %s\n", spread(lags))
	if err := quiet(ctx, api); err != nil {
		return err
	}
	if err := bursts(ctx, s, api, events); err != nil {
		return err
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// transitions brings n nodes, one after another, from enroll to manageable. For each node, it returns the time from
// the state change in the API to the event.
func transitions(ctx context.Context, s *ironic.Server, events <-chan models.Event, n int) ([]time.Duration, error) {
	var lags []time.Duration
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("bulk-%05d", i*7)
		status, body, err := s.Do(ctx, http.MethodPut, "/v1/nodes/"+name+"/states/provision", map[string]string{"target": "manage"})
		if err != nil || status != http.StatusAccepted {
			return nil, fmt.Errorf("manage %s: %d %w %s", name, status, err, body)
		}
		if err := untilManageable(ctx, s, name); err != nil {
			return nil, err
		}
		has := time.Now()
		for done := false; !done; {
			select {
			case e := <-events:
				done = e.Node.Name == name && e.To == string(models.StateManageable)
			case <-time.After(30 * time.Second):
				return nil, fmt.Errorf("no event for %s", name)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		lags = append(lags, max(time.Since(has), 0))
	}
	return lags, nil
}

func untilManageable(ctx context.Context, s *ironic.Server, name string) error {
	return ironic.Poll(ctx, 20*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, body, err := s.Do(ctx, http.MethodGet, "/v1/nodes/"+name+"?fields=provision_state", nil)
		if err != nil {
			return false, err
		}
		var n struct {
			ProvisionState models.ProvisionState `json:"provision_state"`
		}
		return json.Unmarshal(body, &n) == nil && n.ProvisionState == models.StateManageable, nil
	})
}
