package machine

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// sessionTimeout is the time after which an unused session expires.
const sessionTimeout = 30 * time.Minute

// identity holds a client's user name and password.
type identity struct{ user, password string }

type identityKey struct{}

func withIdentity(request *http.Request, who identity) *http.Request {
	return request.WithContext(context.WithValue(request.Context(), identityKey{}, who))
}

// identityOf returns the identity of the client that sent the request. It is empty if the path is public.
func identityOf(request *http.Request) identity {
	who, _ := request.Context().Value(identityKey{}).(identity)
	return who
}

// accepts reports whether the machine's BMC accepts the client's credentials.
func (m *Machine) accepts(who identity) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	given, right := who.user+"\x00"+who.password, m.spec.User+"\x00"+m.spec.Password
	return subtle.ConstantTimeCompare([]byte(given), []byte(right)) == 1 && !m.faults.RefusePassword
}

// accepted reports whether at least one machine accepts the client's credentials.
func (r *Rack) accepted(who identity) bool {
	return slices.ContainsFunc(r.machines, func(m *Machine) bool { return m.accepts(who) })
}

// visible returns the machines that accept the credentials of the request.
func (r *Rack) visible(request *http.Request) []*Machine {
	who := identityOf(request)
	return slices.DeleteFunc(slices.Clone(r.machines), func(m *Machine) bool { return !m.accepts(who) })
}

// isPublic reports whether a request needs no authentication (DSP0266, Authentication requirements). This applies to
// reading the roots and OData's documents, and to opening a session.
func isPublic(request *http.Request) bool {
	switch request.URL.Path {
	case "/redfish", root, odataPath, metadataPath:
		return request.Method == http.MethodGet || request.Method == http.MethodHead
	case sessionsPath:
		return request.Method == http.MethodPost
	default:
		return false
	}
}

// identify returns the identity of the client, which comes from its session token or from basic authentication. The
// second result is false if the session does not exist or has expired, or if the request contains no credentials.
func (r *Rack) identify(request *http.Request) (identity, bool) {
	if token := request.Header.Get("X-Auth-Token"); token != "" {
		return r.sessions.find(token)
	}
	user, password, ok := request.BasicAuth()
	return identity{user: user, password: password}, ok
}

// session is an open session of a Redfish client.
type session struct {
	id   string
	who  identity
	used time.Time
}

// sessions holds the open sessions of a rack, by token.
type sessions struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[string]session
}

func (s *sessions) add(who identity) (token, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	maps.DeleteFunc(s.open, func(_ string, old session) bool { return now.Sub(old.used) > sessionTimeout })
	token, id = rand.Text(), rand.Text()
	s.open[token] = session{id: id, who: who, used: now}
	return token, id
}

func (s *sessions) find(token string) (identity, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	found, ok := s.open[token]
	if !ok || now.Sub(found.used) > sessionTimeout {
		delete(s.open, token)
		return identity{}, false
	}
	found.used = now
	s.open[token] = found
	return found.who, true
}

// list returns the IDs of the client's sessions, sorted.
func (s *sessions) list(who identity) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, open := range s.open {
		if open.who == who {
			ids = append(ids, open.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// remove ends the client's session with the given ID, and reports whether it existed.
func (s *sessions) remove(id string, who identity) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.open)
	maps.DeleteFunc(s.open, func(_ string, open session) bool { return open.id == id && open.who == who })
	return len(s.open) < before
}
