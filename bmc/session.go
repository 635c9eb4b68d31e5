package bmc

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/stmcginnis/gofish"
	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
	"ironworks/wire"
)

const (
	asking    = "ask the BMC"
	loggingIn = "log in to the BMC"
)

// session is a connection to a controller, for one use.
type session struct {
	client *gofish.APIClient
	http   *http.Client
	guard  *guard
	target *Target
	limits limits
	url    string
	// place is the session's own resource, "" without one.
	place string
	// renewed says that a session that the controller had forgotten was made again; once
	// is enough, for some controllers lock an account that comes too often.
	renewed bool
	secrets []string
	root    root
	// wrong are the fields that are not of the type that they have to be. They are left out.
	wrong []error
}

// root is the service's root: where the rest begins.
type root struct {
	Systems, Managers, Chassis, Tasks, JobService, SessionService ref

	RedfishVersion, Vendor, Product string

	Links    struct{ Sessions ref }
	Features struct {
		TopSkipQuery bool
		ExpandQuery  struct{ NoLinks, ExpandAll bool }
	} `json:"ProtocolFeaturesSupported"`
}

// open connects and logs in. close has to be called.
func open(ctx context.Context, t *Target) (*session, error) {
	address, err := t.endpoint()
	if err != nil {
		return nil, &models.Fault{Kind: models.FaultConfig, Op: asking, Message: err.Error(), Err: err}
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, &models.Fault{Kind: models.FaultConfig, Op: asking, Message: models.Printable(err.Error()), Err: err}
	}
	limits := t.limits.or()
	client, err := wire.NewClient(wire.Options{
		TLS: t.TLS, Fingerprint: t.Fingerprint, Timeout: limits.silence, Largest: limits.largest, Connections: 1,
	})
	if err != nil {
		return nil, err
	}
	s := &session{http: client, target: t, limits: limits, url: address}
	s.guard = &guard{
		next: client.Transport, base: base, limits: limits, left: limits.requests,
		user: t.Username, password: t.Password.Reveal(), basic: t.Basic,
	}
	client.Transport = s.guard
	s.keepSecret(t.Username, t.Password.Reveal())
	op := asking
	if err = s.connect(ctx); err == nil {
		op, err = loggingIn, s.login(ctx)
	}
	if err != nil {
		client.CloseIdleConnections()
		return nil, s.fault(op, err)
	}
	return s, nil
}

// connect reads the root. Where that wants the password already, each request gets it.
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
	// What cannot be read of it is missing where it is needed.
	if err := json.Unmarshal(s.guard.service, &s.root); err != nil {
		s.wrong = append(s.wrong, err)
	}
	return nil
}

// login makes a session, where the controller has sessions and they are wanted.
func (s *session) login(ctx context.Context) error {
	if s.target.Username == "" || s.guard.basic {
		return nil
	}
	return s.newSession(ctx)
}

// newSession logs in.
func (s *session) newSession(ctx context.Context) error {
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
	_ = json.NewDecoder(resp.Body).Decode(&made) // some send no body, or another
	if made.ID == "" {
		made.ID = resp.Header.Get("Location")
	}
	// Some write the whole address, with a name that they have for themselves.
	if u, err := url.Parse(made.ID); err == nil {
		s.place = u.EscapedPath()
	}
	s.guard.token = resp.Header.Get("X-Auth-Token")
	if s.guard.token == "" {
		s.guard.basic = true
	} else {
		s.keepSecret("", s.guard.token)
	}
	return nil
}

// renew makes a session again that the controller has forgotten, once.
func (s *session) renew(ctx context.Context, err error) bool {
	if status(err) != http.StatusUnauthorized || s.guard.token == "" || s.renewed {
		return false
	}
	s.renewed = true
	return s.newSession(ctx) == nil && s.guard.token != ""
}

// close logs out, also where the caller does not want to wait any more: a session that is
// left open blocks others, for controllers have few.
func (s *session) close(ctx context.Context) {
	defer s.http.CloseIdleConnections()
	if s.place == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.goodbye)
	defer cancel()
	s.guard.mu.Lock()
	s.guard.left = max(s.guard.left, 1) // this one is always left
	s.guard.mu.Unlock()
	_, _ = s.client.WithContext(ctx).Delete(s.place) //nolint:bodyclose // it closes it itself
}

// status is what a controller answered with an error, 0 if it did not.
func status(err error) int {
	var answer *schemas.Error
	if errors.As(err, &answer) {
		return answer.HTTPReturnedStatusCode
	}
	return 0
}
