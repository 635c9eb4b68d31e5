package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/test/ironic"
)

// burst sends a request for each of burstNodes nodes, eight at a time. It repeats a request while the node is locked
// or the conductor has no free worker.
func burst(t *testing.T, server *ironic.Server, method, suffix string, body func(i int) any) {
	t.Helper()
	work := make(chan int)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range work {
				path := strings.ReplaceAll(suffix, "{}", fmt.Sprintf("%03d", i))
				for {
					status, answer, err := server.Do(t.Context(), method, path, body(i))
					if err == nil && (status == http.StatusConflict || status == http.StatusServiceUnavailable) {
						continue // the node is locked or the conductor has no free worker
					}
					if err != nil || status >= 300 {
						t.Errorf("%s %s: %d %v %s", method, path, status, err, answer)
					}
					break
				}
			}
		})
	}
	for i := range burstNodes {
		work <- i
	}
	close(work)
	all.Wait()
}

const burstNodes = 150

// TestScreenBursts creates, changes and deletes more nodes than fit on one page of the poll for changes. The list
// must show them all long before the next full sweep.
func TestScreenBursts(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, server *ironic.Server) {
		group := unique("burst")
		s := consoleAt(t, server).fleet(roomy)
		all := fmt.Sprintf(" %d of ", burstNodes)
		has := func(what, count string) {
			t.Helper()
			s.within(5*time.Minute, what, func() bool { return strings.Contains(s.Lines()[2], count) })
		}
		s.filter("name:" + group + "-")
		nothing := func(int) any { return nil }
		burst(t, server, http.MethodPost, "/v1/nodes", func(i int) any {
			return map[string]any{"driver": "fake-hardware", "name": fmt.Sprintf("%s-%03d", group, i)}
		})
		has("all came", all)
		s.filter("name:" + group + "- state:manageable")
		burst(t, server, http.MethodPut, "/v1/nodes/"+group+"-{}/states/provision", func(int) any {
			return map[string]any{"target": "manage"}
		})
		has("all are manageable", all)
		s.filter("name:" + group + "-")
		has("no other filter", all)
		burst(t, server, http.MethodDelete, "/v1/nodes/"+group+"-{}", nothing)
		has("all are gone", " 0 of ")
		s.until("updated ≤")
		s.quits()
	})
}
