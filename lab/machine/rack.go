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

// odataVersion is the only version of OData that a request may ask for.
const odataVersion = "4.0"

// errTaken reports that a rack already has a machine of this name.
var errTaken = errors.New("the name is taken")

// Rack is a Redfish service for one machine, or thousands. Each has its own user and password; a
// client sees the machines that accept its credentials.
//
// A rack of one machine is its BMC: the machine's faults affect the whole service. With several,
// they affect only the machine's own resources.
type Rack struct {
	routes   *http.ServeMux
	allow    map[string][]string // the methods of a route
	sessions sessions

	mu       sync.RWMutex
	machines map[string]*Machine
	names    []string // sorted
}

// NewRack returns a service for some machines. now is the clock by which sessions expire; nil means time.Now.
func NewRack(now func() time.Time, machines ...*Machine) (*Rack, error) {
	if now == nil {
		now = time.Now
	}
	r := &Rack{machines: map[string]*Machine{}, sessions: sessions{now: now, open: map[string]session{}}}
	r.routes, r.allow = r.makeRoutes()
	for _, m := range machines {
		if err := r.Add(m); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Add adds a machine to the rack.
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

// Machines returns all machines, by name.
func (r *Rack) Machines() []*Machine {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]*Machine, len(r.names))
	for i, name := range r.names {
		all[i] = r.machines[name]
	}
	return all
}

// onlyMachine returns the machine of a rack with a single machine. Such a rack is the BMC of its machine.
func (r *Rack) onlyMachine() (*Machine, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.names) != 1 {
		return nil, false
	}
	return r.machines[r.names[0]], true
}

// ServeHTTP answers one request, as a Redfish service does.
func (r *Rack) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if m, ok := r.onlyMachine(); ok && !m.ready(w, request) {
		return
	}
	w.Header().Set("OData-Version", odataVersion)
	w.Header().Set("Cache-Control", "no-cache")
	if version := request.Header.Get("OData-Version"); version != "" && version != odataVersion {
		fail(w, http.StatusPreconditionFailed, preconditionFailed, "The OData-Version is "+odataVersion+", not "+version+".")
		return
	}
	request = canonical(request)
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
	if request.Method == http.MethodGet || request.Method == http.MethodHead {
		_, path, _ := strings.Cut(pattern, " ")
		w.Header().Set("Allow", strings.Join(r.allow[path], ", "))
	}
	r.routes.ServeHTTP(w, request)
}

// canonical returns a request with the path of a route. A service answers with and without a
// trailing slash (DSP0266, Redfish-defined URIs), and creates members of a collection at its
// property Members, too (DSP0266, POST (create)).
func canonical(request *http.Request) *http.Request {
	path := strings.TrimRight(request.URL.Path, "/")
	if path == "" {
		path = "/"
	}
	if above, ok := strings.CutSuffix(path, "/Members"); ok && request.Method == http.MethodPost {
		path = above
	}
	if path == request.URL.Path {
		return request
	}
	other, address := *request, *request.URL
	address.Path, address.RawPath = path, ""
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

// statusOnly is an [http.ResponseWriter] that keeps only the status and the header, and drops the body.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header            { return s.header }
func (s *statusOnly) Write(body []byte) (int, error) { return len(body), nil }
func (s *statusOnly) WriteHeader(status int)         { s.status = status }

// ready waits as long as the BMC stalls. While the BMC restarts, ready writes the response and returns false; if
// the client disconnects or the service ends meanwhile, it writes nothing.
func (m *Machine) ready(w http.ResponseWriter, request *http.Request) bool {
	m.mu.Lock()
	stall, restarting := m.faults.Stall, m.options.Now().Before(m.bmcUp)
	m.mu.Unlock()
	if !wait(request.Context(), stall) {
		panic(http.ErrAbortHandler) // makes net/http send no answer
	}
	if restarting {
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, temporarilyUnavailable, "The BMC is restarting.")
		return false
	}
	return true
}
