package machine

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// odataVersion is the only OData version that the service supports.
const odataVersion = "4.0"

// Rack is a Redfish service for one machine or for thousands of them. Each machine has a user and a password. A
// client can see the machines that accept its credentials.
//
// A rack with a single machine acts as the BMC of that machine, so the machine's faults affect the whole service.
// With several machines, the faults of a machine affect only its resources.
type Rack struct {
	routes   *http.ServeMux
	allow    map[string][]string // allowed methods, by the path of a route
	sessions sessions

	machines []*Machine // sorted by name
	byName   map[string]*Machine
}

// NewRack returns a service for the given machines, whose names must differ. Sessions expire by the time that now
// returns. If now is nil, time.Now is used.
func NewRack(now func() time.Time, machines ...*Machine) (*Rack, error) {
	if now == nil {
		now = time.Now
	}
	r := &Rack{
		machines: slices.Clone(machines), byName: map[string]*Machine{}, sessions: sessions{now: now, open: map[string]session{}},
	}
	slices.SortFunc(r.machines, func(a, b *Machine) int { return strings.Compare(a.Name(), b.Name()) })
	for _, m := range r.machines {
		if r.byName[m.Name()] != nil {
			return nil, fmt.Errorf("adding machine %s to the rack: the name is taken", m.Name())
		}
		r.byName[m.Name()] = m
	}
	r.routes, r.allow = r.makeRoutes()
	return r, nil
}

// onlyMachine returns the machine of a rack that contains a single machine, and is its BMC, or nil.
func (r *Rack) onlyMachine() *Machine {
	if len(r.machines) != 1 {
		return nil
	}
	return r.machines[0]
}

// ServeHTTP responds to a request as a Redfish service does.
func (r *Rack) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if m := r.onlyMachine(); m != nil && !m.ready(w, request) {
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

// canonical returns a request whose path is the path of a route. A Redfish service accepts paths with and without a
// trailing slash (DSP0266, Redfish-defined URIs). To create a member of a collection, a client may also send the
// request to the collection's Members property (DSP0266, POST (create)).
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

// noRoute responds to a request without a route. The response has the status 404 or 405, in Redfish's format.
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

// statusOnly is an [http.ResponseWriter] that keeps the status and the header, but discards the body.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header            { return s.header }
func (s *statusOnly) Write(body []byte) (int, error) { return len(body), nil }
func (s *statusOnly) WriteHeader(status int)         { s.status = status }

// ready waits while the BMC stalls, and reports whether the BMC answers; if it is restarting, ready writes an error
// response. If the client disconnects meanwhile, it aborts the request without a response.
func (m *Machine) ready(w http.ResponseWriter, request *http.Request) bool {
	m.mu.Lock()
	stall, restarting := m.faults.Stall, m.options.Now().Before(m.bmcUp)
	m.mu.Unlock()
	if !wait(request.Context(), stall) {
		panic(http.ErrAbortHandler) // makes net/http close the connection without a response
	}
	if restarting {
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, temporarilyUnavailable, "The BMC is restarting.")
		return false
	}
	return true
}
