// Package redfish is the Redfish client of the embedded Ironic's conductor. It sends the same requests as sushy,
// Ironic's Redfish library, and reports its exceptions. It has none of sushy's fallbacks for BMCs that differ from those
// of package machine. It knows neither nodes nor tasks.
package redfish

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"ironworks/lab/conductor/requests"
	"ironworks/python"
)

// Error is an exception of sushy. It is not one of Ironic's own exceptions.
type Error struct {
	Class string
	// Status is the HTTP status, or 0 if the BMC has not responded with an error status.
	Status int
	Text   string
}

// Error returns the message of the exception.
func (e *Error) Error() string { return e.Text }

// AsError returns the [Error] that err wraps, or nil if there is none.
func AsError(err error) *Error {
	s, _ := errors.AsType[*Error](err)
	return s
}

// IsHTTP reports whether the BMC has responded with an error status.
func (e *Error) IsHTTP() bool { return e != nil && e.Status != 0 }

// NotFound reports whether a resource does not exist.
func (e *Error) NotFound() bool { return e != nil && e.Class == "ResourceNotFoundError" }

// Settings are the settings of a session with a BMC.
type Settings struct {
	Base           string // scheme and host
	Root           string // path of the service root
	User, Password string
	Verify         bool
	CA             string // path of a file with trusted certificates
	Auth           string // basic, session or auto
}

// Sessions caches the sessions with BMCs (SessionCache). If it is full, it evicts the oldest session.
type Sessions struct {
	// Limit is the maximum number of sessions.
	Limit int
	// Sleep waits between the attempts to connect. It reports whether the wait ended before the context was done.
	Sleep func(context.Context, time.Duration) bool
	// Spawn runs a function in the background, unless it is busy.
	Spawn func(func(context.Context))

	mu   sync.Mutex
	open []*BMC // the oldest first
}

// Get returns the session for the given settings. A new session has to log in before its first request.
func (s *Sessions) Get(settings Settings) *BMC {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.open, func(m *BMC) bool { return m.settings == settings }); i >= 0 {
		return s.open[i]
	}
	m := &BMC{sleep: s.Sleep, settings: settings}
	s.open = append(s.open, m)
	if len(s.open) > s.Limit {
		// If Spawn is busy, the evicted session remains open until the BMC ends it after a timeout.
		s.Spawn(s.open[0].logOut)
		s.open = slices.Delete(s.open, 0, 1)
	}
	return m
}

// Forget removes a session from the cache because the BMC was unreachable or rejected the credentials.
func (s *Sessions) Forget(m *BMC) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(known *BMC) bool { return known == m })
}

// BMC is a session with a BMC. It is shared by the nodes with the same Redfish settings.
type BMC struct {
	sleep    func(context.Context, time.Duration) bool
	settings Settings

	login sync.Mutex // held while logging in

	mu     sync.Mutex
	auth   auth
	vendor string // vendor named in the service root
	// registries holds the attribute registries that were read in this session, by ID.
	registries map[string][]RegistryAttribute
}

// auth holds the data that authenticates the requests of a session.
type auth struct {
	loggedIn bool // the login has succeeded
	basic    bool
	token    string
	session  string // path of the session
}

// Number of attempts that sushy makes if a connection fails, and the interval between them.
const (
	sushyTries    = 10
	sushyInterval = 3 * time.Second
)

func (m *BMC) client() (*http.Client, error) {
	config := &tls.Config{InsecureSkipVerify: !m.settings.Verify, MinVersion: tls.VersionTLS12} //nolint:gosec // set by redfish_verify_ca
	if m.settings.CA != "" {
		raw, err := os.ReadFile(m.settings.CA) //nolint:gosec // the operator names a file
		if err != nil {
			return nil, fmt.Errorf("reading the certificates of BMCs: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(raw)
	}
	return requests.NewClient(config), nil
}

// send sends one request and tries again if the connection fails.
func (m *BMC) send(ctx context.Context, who auth, method, path string, body any) (requests.Response, error) {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return requests.Response{}, fmt.Errorf("writing the request: %w", err)
		}
	}
	client, err := m.client()
	if err != nil {
		return requests.Response{}, err
	}
	address := m.settings.Base + path
	if scheme, _, _ := strings.Cut(address, "://"); scheme != "http" && scheme != "https" {
		// Python's HTTP library has no adapter for this scheme, so trying again would be useless.
		return requests.Response{}, &Error{Class: "ConnectionError", Text: fmt.Sprintf("Unable to connect to %s. Error: No connection adapters were found for %s", address, python.Repr(address))}
	}
	for try := 1; ; try++ {
		got, err := m.sendOnce(ctx, client, who, method, address, raw)
		if err == nil {
			return got, nil
		}
		var unknown x509.UnknownAuthorityError
		certificate := errors.As(err, &unknown) || strings.Contains(err.Error(), "tls: ")
		if certificate || try == sushyTries || !m.sleep(ctx, sushyInterval) {
			return requests.Response{}, &Error{Class: "ConnectionError", Text: fmt.Sprintf("Unable to connect to %s. Error: %v", address, err)}
		}
	}
}

func (m *BMC) sendOnce(ctx context.Context, client *http.Client, who auth, method, address string, raw []byte) (requests.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(raw)) //nolint:gosec // the operator configures the address
	if err != nil {
		return requests.Response{}, fmt.Errorf("preparing the request: %w", err)
	}
	if raw != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("OData-Version", "4.0")
	switch {
	case who.basic:
		request.SetBasicAuth(m.settings.User, m.settings.Password)
	case who.token != "":
		request.Header.Set("X-Auth-Token", who.token)
	}
	return requests.Do(client, request)
}

// check implements raise_for_response.
func (m *BMC) check(method, path string, got requests.Response) error {
	if got.Status < http.StatusBadRequest {
		return nil
	}
	address := m.settings.Base + path
	e := &Error{Class: "HTTPError", Status: got.Status}
	switch {
	case got.Status == http.StatusNotFound:
		e.Class, e.Text = "ResourceNotFoundError", fmt.Sprintf("Resource %s not found", address)
		return e
	case got.Status == http.StatusBadRequest:
		e.Class = "BadRequestError"
	case got.Status == http.StatusUnauthorized, got.Status == http.StatusForbidden:
		e.Class = "AccessError"
	case got.Status == http.StatusNotAcceptable:
		e.Class = "NotAcceptableError"
	case got.Status >= http.StatusInternalServerError:
		e.Class = "ServerSideError"
	}
	problem, extended := "unknown error", "None"
	var body struct {
		Error struct {
			Code     string          `json:"code"`
			Message  string          `json:"message"`
			Extended json.RawMessage `json:"@Message.ExtendedInfo"`
		} `json:"error"`
	}
	if json.Unmarshal(got.Body, &body) == nil {
		detail := cmp.Or(mostSevere(body.Error.Extended), body.Error.Message, "unknown error.")
		problem, extended = cmp.Or(body.Error.Code, "Base.1.0.GeneralError")+": "+detail, python.ReprJSON(body.Error.Extended)
	}
	e.Text = fmt.Sprintf("HTTP %s %s returned code %d. %s Extended information: %s", method, address, got.Status, problem, extended)
	return e
}

func mostSevere(raw json.RawMessage) string {
	var all []struct{ Severity, Message string }
	if json.Unmarshal(raw, &all) != nil {
		return ""
	}
	for _, severity := range []string{"Critical", "Warning"} {
		for _, m := range all {
			if m.Severity == severity {
				return m.Message
			}
		}
	}
	return ""
}

// enter reads the service root and logs in. It creates a session. It uses basic authentication instead if that is
// configured, or if the BMC refuses to create a session and the settings allow both. If another caller has already
// replaced the outdated authentication, enter only returns the new one.
func (m *BMC) enter(ctx context.Context, outdated auth) (auth, error) {
	m.login.Lock()
	defer m.login.Unlock()
	m.mu.Lock()
	now := m.auth
	m.mu.Unlock()
	if now.loggedIn && now != outdated {
		return now, nil
	}
	root, err := m.send(ctx, auth{}, http.MethodGet, m.settings.Root+"/", nil)
	if err == nil {
		err = m.check(http.MethodGet, m.settings.Root+"/", root)
	}
	if err != nil {
		return auth{}, err
	}
	var service struct {
		Vendor string
		Links  struct{ Sessions Link }
	}
	_ = json.Unmarshal(root.Body, &service)
	path := cmp.Or(service.Links.Sessions.ID, m.settings.Root+"/SessionService/Sessions")
	who := auth{loggedIn: true, basic: true}
	if m.settings.Auth != "basic" {
		session, err := m.openSession(ctx, path)
		switch e := AsError(err); {
		case err == nil:
			who = session
		case m.settings.Auth == "session", e == nil, e.Class == "ConnectionError":
			return auth{}, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.auth, m.vendor = who, service.Vendor
	return who, nil
}

func (m *BMC) openSession(ctx context.Context, path string) (auth, error) {
	made, err := m.send(ctx, auth{}, http.MethodPost, path, map[string]any{"UserName": m.settings.User, "Password": m.settings.Password})
	if err != nil {
		return auth{}, err
	}
	if err := m.check(http.MethodPost, path, made); err != nil {
		return auth{}, err
	}
	who := auth{loggedIn: true, token: made.Header.Get("X-Auth-Token")}
	if who.token == "" {
		return auth{}, &Error{Class: "MissingXAuthToken", Text: "No X-Auth-Token returned from remote host when attempting to establish a session. Error: unknown error"}
	}
	if at, err := url.Parse(made.Header.Get("Location")); err == nil {
		who.session = at.Path
	}
	return who, nil
}

// logOut deletes the session on the BMC.
func (m *BMC) logOut(ctx context.Context) {
	m.mu.Lock()
	who := m.auth
	m.mu.Unlock()
	if who.session != "" {
		_, _ = m.send(ctx, who, http.MethodDelete, who.session, nil)
	}
}

// Do sends an authenticated request. If the session has expired, Do logs in again, but only once.
func (m *BMC) Do(ctx context.Context, method, path string, body any) (requests.Response, error) {
	m.mu.Lock()
	who := m.auth
	m.mu.Unlock()
	for renewed := false; ; renewed = true {
		if !who.loggedIn {
			var err error
			if who, err = m.enter(ctx, who); err != nil {
				return requests.Response{}, err
			}
		}
		got, err := m.send(ctx, who, method, path, body)
		if err != nil {
			return requests.Response{}, err
		}
		err = m.check(method, path, got)
		if e := AsError(err); e == nil || e.Class != "AccessError" || who.basic || renewed {
			return got, err
		}
		if who, err = m.enter(ctx, who); err != nil {
			return requests.Response{}, err
		}
	}
}

// Vendor returns the vendor named in the service root.
func (m *BMC) Vendor() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.vendor
}

// Get reads the resource at path and stores it in the value that into points to.
func (m *BMC) Get(ctx context.Context, path string, into any) error {
	got, err := m.Do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(got.Body, into); err != nil {
		return &Error{Class: "MalformedAttributeError", Text: fmt.Sprintf("The resource %s cannot be read: %v", path, err)}
	}
	return nil
}
