package bmc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/stmcginnis/gofish"
	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
	"ironworks/wire"
)

const (
	asking    = "query the BMC"
	loggingIn = "log in to the BMC"
)

// session is a connection to a controller that is opened for one use and then closed.
type session struct {
	client *gofish.APIClient
	http   *http.Client
	guard  *guard
	target *Target
	limits limits
	url    string
	// location is the path of the session's own resource. It is empty if there is none.
	location string
	// renewed reports whether an expired session was replaced, which is done once: some controllers lock an account
	// that logs in too often.
	renewed bool
	secrets []string
	root    root
	// typeErrors lists the fields of the wrong type that were skipped.
	typeErrors []error
}

// root holds the fields of the Redfish service root.
type root struct {
	Systems, Managers, Chassis, Tasks, JobService, SessionService ref

	RedfishVersion, Vendor, Product string

	Links    struct{ Sessions ref }
	Features struct {
		TopSkipQuery bool
		ExpandQuery  struct{ NoLinks, ExpandAll bool }
	} `json:"ProtocolFeaturesSupported"`
}

// open connects and logs in. The caller must call close.
func open(ctx context.Context, t *Target) (*session, error) {
	base, err := t.endpoint()
	if err != nil {
		return nil, &models.Fault{Kind: models.FaultConfig, Op: asking, Message: err.Error(), Err: err}
	}
	limits := t.limits.withDefaults()
	client, err := wire.NewClient(wire.Options{
		TLS: t.TLS, Fingerprint: t.Fingerprint, Timeout: limits.silence, Largest: limits.largest, Connections: 1,
	})
	if err != nil {
		return nil, err
	}
	s := &session{http: client, target: t, limits: limits, url: base.String()}
	s.guard = &guard{
		next: client.Transport, base: base, limits: limits, remaining: limits.requests,
		user: t.Username, password: t.Password.Reveal(), basic: t.Basic,
	}
	client.Transport = s.guard
	s.addSecret(t.Username, t.Password.Reveal())
	op := asking
	if err = s.connect(ctx); err == nil {
		op, err = loggingIn, s.newSession(ctx)
	}
	if err != nil {
		client.CloseIdleConnections()
		return nil, s.fault(op, err)
	}
	return s, nil
}

// connect reads the service root. If this requires a password, every request is sent with the password.
func (s *session) connect(ctx context.Context) error {
	read := func() (err error) {
		s.client, err = gofish.ConnectContext(ctx, gofish.ClientConfig{
			Endpoint: s.url, HTTPClient: s.http, NoModifyTransport: true, ReuseConnections: true, MaxConcurrentRequests: 1,
		})
		return err
	}
	err := read()
	if status(err) == http.StatusUnauthorized && s.target.Username != "" && !s.guard.basic {
		s.guard.basic = true
		err = read()
	}
	if err != nil {
		return err
	}
	// Ignore unreadable fields: an error is reported where such a field is needed.
	if err := json.Unmarshal(s.guard.service, &s.root); err != nil {
		s.typeErrors = append(s.typeErrors, err)
	}
	return nil
}

// newSession creates a session on the controller and stores its token, unless the target has no user or Basic
// authentication is used. If the controller does not support sessions, Basic authentication is used instead.
func (s *session) newSession(ctx context.Context) error {
	if s.target.Username == "" || s.guard.basic {
		return nil
	}
	at := s.root.Links.Sessions.ID
	if at == "" && s.root.SessionService.ID != "" {
		at = s.root.SessionService.ID + "/Sessions"
	}
	if at == "" {
		s.guard.basic = true
		return nil
	}
	s.guard.token = ""
	resp, err := s.client.WithContext(ctx).Post(at, map[string]string{"UserName": s.target.Username, "Password": s.target.Password.Reveal()}) //nolint:bodyclose // the cleanup does
	defer schemas.DeferredCleanupHTTPResponse(resp)
	switch status(err) {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		s.guard.basic = true
		return nil
	}
	if err != nil {
		return err
	}
	var made ref
	_ = json.NewDecoder(resp.Body).Decode(&made) // some controllers send no body, or a different one
	if made.ID == "" {
		made.ID = resp.Header.Get("Location")
	}
	// Some controllers return an absolute URL with another host name.
	if u, err := url.Parse(made.ID); err == nil {
		s.location = u.EscapedPath()
	}
	s.guard.token = resp.Header.Get("X-Auth-Token")
	if s.guard.token == "" {
		s.guard.basic = true
	} else {
		s.addSecret("", s.guard.token)
	}
	return nil
}

// renew replaces a session that has expired according to err, but only once. It reports whether it succeeded.
func (s *session) renew(ctx context.Context, err error) bool {
	if status(err) != http.StatusUnauthorized || s.guard.token == "" || s.renewed {
		return false
	}
	s.renewed = true
	return s.newSession(ctx) == nil && s.guard.token != ""
}

// close logs out, even if the context was canceled. Controllers allow few sessions, so an open one may block others.
func (s *session) close(ctx context.Context) {
	defer s.http.CloseIdleConnections()
	if s.location == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.logout)
	defer cancel()
	s.guard.mu.Lock()
	s.guard.remaining = max(s.guard.remaining, 1) // allow this request even if the limit is reached
	s.guard.mu.Unlock()
	_, _ = s.client.WithContext(ctx).Delete(s.location) //nolint:bodyclose // gofish closes it
}

// status returns the HTTP status in a controller's error, or 0 if there is none.
func status(err error) int {
	if answer, ok := errors.AsType[*schemas.Error](err); ok {
		return answer.HTTPReturnedStatusCode
	}
	return 0
}

// limits restricts one use of a controller. A zero value selects the default.
type limits struct {
	silence   time.Duration // maximum time without receiving a byte of the response
	answer    time.Duration // maximum time for a whole response
	probePart time.Duration // maximum time for one part of a probe
	total     time.Duration // maximum time for a whole probe or, together with task, for an order
	task      time.Duration // maximum time until a task has ended
	pause     time.Duration // time between two attempts to read a task
	busy      time.Duration // maximum pause that a busy controller can request before a retry
	logout    time.Duration // time to end the session

	requests int   // maximum number of requests in one session
	largest  int64 // maximum size of a response in bytes
	values   int   // maximum number of objects, lists and values in a response
}

// withDefaults replaces zero values with the defaults. Slow controllers need many seconds for one response. The
// largest responses of real controllers are pages of logs and have one or two megabytes.
func (l limits) withDefaults() limits {
	l.silence = cmp.Or(l.silence, 30*time.Second)
	l.answer = cmp.Or(l.answer, 45*time.Second)
	l.probePart = cmp.Or(l.probePart, 40*time.Second)
	l.total = cmp.Or(l.total, 2*time.Minute)
	l.task = cmp.Or(l.task, time.Minute)
	l.pause = cmp.Or(l.pause, 2*time.Second)
	l.busy = cmp.Or(l.busy, 5*time.Second)
	l.logout = cmp.Or(l.logout, 5*time.Second)
	l.requests = cmp.Or(l.requests, 1500)
	l.largest = cmp.Or(l.largest, 8<<20)
	l.values = cmp.Or(l.values, 200_000)
	return l
}

// Maximum numbers of resources that are read. Real machines have fewer, or reading more would not be useful.
const (
	mostMembers = 256
	mostChassis = 8
	mostLogs    = 12
	mostPages   = 10
	// maxSingle is the maximum number of log entries that are read one by one.
	maxSingle = 25
)
