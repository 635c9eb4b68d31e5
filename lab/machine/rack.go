package machine

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// errTaken says that a rack has a machine of that name.
var errTaken = errors.New("the name is taken")

// Rack is a Redfish service for machines: one, or thousands. Each has its own
// user and password, and who logs in sees those machines that accept them.
//
// A rack of one machine is its BMC: what is wrong with the machine is wrong
// with the whole service. Among several only the machine's own resources are
// touched by it.
type Rack struct {
	routes   *http.ServeMux
	sessions sessions

	mu       sync.RWMutex
	machines map[string]*Machine
	names    []string // sorted
}

// NewRack makes a service for some machines. The clock, time.Now if nil, ends
// its sessions.
func NewRack(now func() time.Time, machines ...*Machine) (*Rack, error) {
	if now == nil {
		now = time.Now
	}
	r := &Rack{machines: map[string]*Machine{}, sessions: sessions{now: now, open: map[string]session{}}}
	r.routes = r.makeRoutes()
	for _, m := range machines {
		if err := r.Add(m); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Add puts another machine into the rack.
func (r *Rack) Add(m *Machine) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.machines[m.Name()]; ok {
		return fmt.Errorf("adding machine %s to the rack: %w", m.Name(), errTaken)
	}
	r.machines[m.Name()] = m
	i, _ := slices.BinarySearch(r.names, m.Name())
	r.names = slices.Insert(r.names, i, m.Name())
	return nil
}

// Machine finds a machine by its name.
func (r *Rack) Machine(name string) (*Machine, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok := r.machines[name]
	return m, ok
}

// Machines are all machines, by name.
func (r *Rack) Machines() []*Machine {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]*Machine, len(r.names))
	for i, name := range r.names {
		all[i] = r.machines[name]
	}
	return all
}

// alone is the machine whose BMC this service is, if it is one.
func (r *Rack) alone() (*Machine, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.names) != 1 {
		return nil, false
	}
	return r.machines[r.names[0]], true
}

// ServeHTTP answers as a Redfish service does.
func (r *Rack) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if m, ok := r.alone(); ok && !m.ready(w, request) {
		return
	}
	w.Header().Set("OData-Version", "4.0")
	w.Header().Set("Cache-Control", "no-cache")
	request = withoutSlash(request)
	if !isPublic(request) {
		who, ok := r.identify(request)
		if !ok || !r.accepted(who) {
			unauthorized(w)
			return
		}
		request = withIdentity(request, who)
	}
	handler, pattern := r.routes.Handler(request)
	if pattern == "" {
		noRoute(handler, w, request)
		return
	}
	r.routes.ServeHTTP(w, request)
}

// withoutSlash takes the last slash away: a service answers with and without
// (DSP0266, Redfish-defined URIs).
func withoutSlash(request *http.Request) *http.Request {
	if !strings.HasSuffix(request.URL.Path, "/") {
		return request
	}
	other, address := *request, *request.URL
	address.Path, address.RawPath = strings.TrimRight(address.Path, "/"), ""
	if address.Path == "" {
		address.Path = "/"
	}
	other.URL = &address
	return &other
}

// noRoute answers 404 or 405, in Redfish's form.
func noRoute(handler http.Handler, w http.ResponseWriter, request *http.Request) {
	probe := statusOnly{header: http.Header{}}
	handler.ServeHTTP(&probe, request)
	if probe.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", probe.header.Get("Allow"))
		fail(w, http.StatusMethodNotAllowed, operationNotAllowed, request.Method+" is not allowed here.")
		return
	}
	notFound(w, request)
}

// statusOnly is a response of which only the head matters.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header            { return s.header }
func (s *statusOnly) Write(body []byte) (int, error) { return len(body), nil }
func (s *statusOnly) WriteHeader(status int)         { s.status = status }

// ready waits as long as the BMC stalls. It answers itself and reports false
// while the BMC restarts; if the client goes or the service ends meanwhile,
// nothing is answered.
func (m *Machine) ready(w http.ResponseWriter, request *http.Request) bool {
	m.mu.Lock()
	stall, restarting := m.faults.Stall, m.options.Now().Before(m.bmcUp)
	m.mu.Unlock()
	if !wait(request.Context(), stall) {
		panic(http.ErrAbortHandler) // the way of net/http to answer nothing
	}
	if restarting {
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, temporarilyUnavailable, "The BMC is restarting.")
		return false
	}
	return true
}
