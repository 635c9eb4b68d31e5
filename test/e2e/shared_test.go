package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"ironworks/lab"
	"ironworks/test/ironic"
)

// testsAtOnce is the number of tests that run at the same time. It may exceed the number of processors, because tests
// mostly wait for a conductor or a screen.
const testsAtOnce = 10

// serversOf returns the number of shared Ironics of a release. Each test has an Ironic to itself and should rarely
// have to wait for one: most tests use the newest release, and the embedded Ironics cost little.
func serversOf(release string) int {
	switch release {
	case embedded:
		return testsAtOnce
	case ironic.Newest.Name():
		return 5
	}
	return 2
}

// shared holds the Ironics without authentication that most tests use, one test at a time. Each test works on its own
// nodes.
var shared struct {
	sync.Mutex
	places map[string]chan *place
	stops  []func()

	// common holds the servers that concurrent tests share, keyed by name.
	starting sync.Mutex
	common   map[string]*ironic.Server
}

// place holds one server of a release; server is nil before the first test.
type place struct{ server *ironic.Server }

// reserve returns a free server for a test and its subtests, and starts it if needed.
func reserve(t *testing.T, name string, start func() (*ironic.Server, error)) *ironic.Server {
	t.Helper()
	shared.Lock()
	free, there := shared.places[name]
	if !there {
		if shared.places == nil {
			shared.places = map[string]chan *place{}
		}
		free = make(chan *place, serversOf(name))
		for range cap(free) {
			free <- &place{}
		}
		shared.places[name] = free
	}
	shared.Unlock()
	p := <-free
	t.Cleanup(func() {
		if p.server != nil {
			restMachines(p.server)
		}
		free <- p
	})
	if p.server == nil {
		server, err := start()
		if err != nil {
			t.Fatalf("start Ironic %s: %v", name, err)
		}
		p.server = server
	}
	return p.server
}

// restMachines puts a test's machines into maintenance when the test has ended. Otherwise, the conductor would poll
// their power state until the end of the run. Errors are ignored, because no test depends on this.
func restMachines(s *ironic.Server) {
	status, answer, err := s.Do(context.Background(), http.MethodGet, "/v1/nodes?driver=redfish&maintenance=false&fields=uuid", nil)
	var list struct{ Nodes []struct{ UUID string } }
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &list) != nil {
		return
	}
	for _, n := range list.Nodes {
		_, _, _ = s.Do(context.Background(), http.MethodPut, "/v1/nodes/"+n.UUID+"/maintenance", map[string]any{"reason": "the test has ended"})
	}
}

func takeIronic(t *testing.T, r ironic.Release) *ironic.Server {
	t.Helper()
	return reserve(t, r.Name(), func() (*ironic.Server, error) { return startReal(r) })
}

// startReal starts an Ironic that stops after all tests.
func startReal(r ironic.Release) (*ironic.Server, error) {
	s, err := ironic.Start(context.Background(), ironic.Options{Release: r})
	if err == nil {
		stopLater(s.Stop)
	}
	return s, err
}

// embedded selects the embedded Ironic where the name of a release is expected.
const embedded = "embedded"

func takeEmbedded(t *testing.T) *ironic.Server {
	t.Helper()
	return reserve(t, embedded, startEmbedded)
}

// startEmbedded starts an embedded Ironic, configured like the real ones.
func startEmbedded() (*ironic.Server, error) {
	i, err := lab.StartIronic(context.Background(), lab.IronicOptions{Speed: 10, NoCleaning: true})
	if err != nil {
		return nil, err
	}
	stopLater(func() { _ = i.Close() })
	return ironic.At(i.URL, ironic.Newest), nil
}

// common returns the server with the given name, and starts it if needed. Several tests use the server at the same
// time.
func common(t *testing.T, name string, start func() (*ironic.Server, error)) *ironic.Server {
	t.Helper()
	shared.starting.Lock()
	defer shared.starting.Unlock()
	if s, ok := shared.common[name]; ok {
		return s
	}
	s, err := start()
	if err != nil {
		t.Fatalf("start Ironic %s: %v", name, err)
	}
	if shared.common == nil {
		shared.common = map[string]*ironic.Server{}
	}
	shared.common[name] = s
	return s
}

// embeddedIronic returns the embedded Ironic that several tests use at the same time.
func embeddedIronic(t *testing.T) *ironic.Server {
	t.Helper()
	return common(t, embedded, startEmbedded)
}

func stopLater(stop func()) {
	shared.Lock()
	defer shared.Unlock()
	shared.stops = append(shared.stops, stop)
}

func stopShared() {
	shared.Lock()
	defer shared.Unlock()
	for _, stop := range shared.stops {
		stop()
	}
}
