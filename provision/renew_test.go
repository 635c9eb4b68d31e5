package provision_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
	"ironworks/test/memnet"
)

// lockingAPI is a fake Ironic behind HTTP that rejects each request twice because the node is locked.
type lockingAPI struct {
	*fakeAPI
	client *ironicclient.Client
}

func (a lockingAPI) Send(ctx context.Context, r request.Request) (request.Answer, error) {
	if _, err := a.client.Send(ctx, r); err != nil {
		return request.Answer{}, err
	}
	return a.fakeAPI.Send(ctx, r)
}

// TestRecordHasTheTimeOfTheLastRequest checks that each attempt to send a request renews the record. If the process
// is killed between two attempts, the record then shows that the request may be in transit.
func TestRecordHasTheTimeOfTheLastRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const slow = 8 * time.Second // longer than settleTime
		kept := &provision.Deployments{Dir: t.TempDir()}
		arrived := 0
		network := memnet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			list, err := kept.List(time.Now())
			if err != nil || len(list) != 1 {
				t.Errorf("on disk: %+v, %v", list, err)
			} else if age := time.Since(list[0].At); age > time.Second {
				t.Errorf("request %d, %s: the record is %v old", arrived+1, r.Method, age)
			}
			arrived++
			<-time.After(slow)
			w.Header().Set("X-OpenStack-Ironic-API-Maximum-Version", "1.115")
			w.Header().Set("X-OpenStack-Ironic-API-Version", r.Header.Get("X-OpenStack-Ironic-API-Version"))
			if arrived%3 != 0 {
				w.WriteHeader(http.StatusConflict)
				_, _ = io.WriteString(w, `{"error_message": {"faultstring": "Node n1 is locked by host c1, please retry after the current operation is completed."}}`)
				return
			}
			_, _ = io.WriteString(w, `{"uuid": "`+recordableUUID+`"}`)
		}))
		client, err := ironicclient.New(models.Connection{Endpoint: memnet.URL}, ironicclient.Options{Dial: network.Dial})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		n := recordable(t)
		api := lockingAPI{newAPI(n), client}
		api.onLook = func(string) error { <-time.After(slow); return nil }
		checks := &provision.Preflighter{Reader: &reader{inventory: oneDisk}, Deployments: kept}
		action := provision.Deploy(checks, sameFor(deployment(t)))
		action.Preflight(t.Context(), []models.Node{n})
		runner := &provision.Runner{API: api, Audit: &memAudit{}, Context: "test"}
		res := runner.Run(t.Context(), runner.Plan(action, []models.Node{n}), provision.RunOptions{})[0]
		if res.Outcome != provision.OutcomeAccepted || arrived != 9 { // three attempts each to reserve, set and deploy
			t.Errorf("%d requests: %+v", arrived, res)
		}
	})
}
