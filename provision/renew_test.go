package provision_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
)

// steppedClock stands still until it is moved.
type steppedClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *steppedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *steppedClock) After(d time.Duration) <-chan time.Time {
	c.step(d)
	came := make(chan time.Time, 1)
	came <- c.Now()
	return came
}

func (c *steppedClock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// lockingAPI is a fake Ironic whose requests go over HTTP first, where each is turned down
// twice, for the node is locked.
type lockingAPI struct {
	*fakeAPI
	client *ironicclient.Client
}

func (a lockingAPI) Send(ctx context.Context, r request.Request) (string, error) {
	if _, err := a.client.Send(ctx, r); err != nil {
		return "", err
	}
	return a.fakeAPI.Send(ctx, r)
}

// TestRecordSaysWhenTheLastRequestWasSent: a process that is killed between two tries of a
// request leaves a record from which the next one can tell that a request may be on its way.
func TestRecordSaysWhenTheLastRequestWasSent(t *testing.T) {
	t.Parallel()
	const slow = 8 * time.Second // longer than a request whose sender is gone is waited for
	clock := &steppedClock{now: time.Now()}
	kept := &provision.Deployments{Dir: t.TempDir()}
	arrived := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		list, err := kept.List(clock.Now())
		if err != nil || len(list) != 1 {
			t.Errorf("on disk: %+v, %v", list, err)
		} else if age := clock.Now().Sub(list[0].At); age > time.Second {
			t.Errorf("request %d, %s: the record is %v old", arrived+1, r.Method, age)
		}
		arrived++
		clock.step(slow)
		w.Header().Set("X-OpenStack-Ironic-API-Maximum-Version", "1.115")
		w.Header().Set("X-OpenStack-Ironic-API-Version", r.Header.Get("X-OpenStack-Ironic-API-Version"))
		if arrived%3 != 0 {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"error_message": {"faultstring": "Node n1 is locked by host c1, please retry after the current operation is completed."}}`)
			return
		}
		_, _ = io.WriteString(w, `{"uuid": "`+recordableUUID+`"}`)
	}))
	t.Cleanup(server.Close)
	client, err := ironicclient.New(models.Connection{Endpoint: server.URL}, ironicclient.Options{Retry: ironicclient.RetryPolicy{Delay: time.Nanosecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	n := recordable(t)
	api := lockingAPI{newAPI(n), client}
	api.onLook = func(string) error { clock.step(slow); return nil }
	checks := &provision.Preflighter{Reader: &reader{inventory: oneDisk}, Clock: clock, Deployments: kept}
	action := provision.Deploy(checks, provision.DeployOptions{For: func(*models.Node) (provision.Deployment, error) { return deployment(t), nil }})
	action.Preflight(t.Context(), []models.Node{n})
	runner := &provision.Runner{API: api, Audit: &memAudit{}, Clock: clock, Context: "test"}
	res := runner.Run(t.Context(), runner.Plan(action, []models.Node{n}), provision.RunOptions{})[0]
	if res.Outcome != provision.OutcomeAccepted || arrived != 9 { // reserve, set and deploy, each three times
		t.Errorf("%d requests: %+v", arrived, res)
	}
}
