package conductor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ironworks/python"
)

// sushyError is an exception of sushy, Ironic's Redfish library. It is not one of Ironic's own exceptions.
type sushyError struct {
	class  string
	status int
	text   string
}

func (e *sushyError) Error() string { return e.text }

// asSushy returns the sushyError that err wraps, or nil if there is none.
func asSushy(err error) *sushyError {
	s, _ := errors.AsType[*sushyError](err)
	return s
}

// isHTTP reports whether the BMC has responded with an error status.
func (e *sushyError) isHTTP() bool { return e != nil && e.status != 0 }

// bmcCache caches the sessions with BMCs (SessionCache). If it is full, it evicts the oldest session.
type bmcCache struct {
	c        *Conductor
	mu       sync.Mutex
	sessions []*bmc // the oldest first
}

// get returns the session for the given settings. A new session has to log in before its first request.
func (b *bmcCache) get(info redfishInfo) *bmc {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.IndexFunc(b.sessions, func(m *bmc) bool { return m.info == info }); i >= 0 {
		return b.sessions[i]
	}
	m := &bmc{c: b.c, info: info}
	b.sessions = append(b.sessions, m)
	if len(b.sessions) > b.c.options.Limits.BMCSessions {
		// If no worker is free, the evicted session remains open until the BMC ends it after a timeout.
		_ = b.c.spawn(false, b.sessions[0].logOut)
		b.sessions = slices.Delete(b.sessions, 0, 1)
	}
	return m
}

// forget removes a session from the cache because the BMC was unreachable or rejected the credentials.
func (b *bmcCache) forget(m *bmc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sessions = slices.DeleteFunc(b.sessions, func(known *bmc) bool { return known == m })
}

// bmc is a session with a BMC. It is shared by the nodes with the same Redfish settings.
type bmc struct {
	c    *Conductor
	info redfishInfo // without the system

	login sync.Mutex // held while logging in

	mu     sync.Mutex
	auth   auth
	vendor string // vendor named in the service root
	// registries holds the attribute registries that were read in this session, by ID.
	registries map[string][]registryAttribute
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

func (m *bmc) client() (*http.Client, error) {
	config := &tls.Config{InsecureSkipVerify: !m.info.verify, MinVersion: tls.VersionTLS12} //nolint:gosec // set by redfish_verify_ca
	if m.info.ca != "" {
		raw, err := os.ReadFile(m.info.ca) //nolint:gosec // the operator names a file
		if err != nil {
			return nil, fmt.Errorf("reading the certificates of BMCs: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(raw)
	}
	return newClient(config), nil
}

// send sends one request and tries again if the connection fails.
func (m *bmc) send(ctx context.Context, who auth, method, path string, body any) (answer, error) {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return answer{}, fmt.Errorf("writing the request: %w", err)
		}
	}
	client, err := m.client()
	if err != nil {
		return answer{}, err
	}
	address := m.info.base + path
	if scheme, _, _ := strings.Cut(address, "://"); scheme != "http" && scheme != "https" {
		// Python's HTTP library has no adapter for this scheme, so trying again would be useless.
		return answer{}, &sushyError{class: "ConnectionError", text: fmt.Sprintf("Unable to connect to %s. Error: No connection adapters were found for %s", address, python.Repr(address))}
	}
	for try := 1; ; try++ {
		got, err := m.sendOnce(ctx, client, who, method, address, raw)
		if err == nil {
			return got, nil
		}
		var unknown x509.UnknownAuthorityError
		certificate := errors.As(err, &unknown) || strings.Contains(err.Error(), "tls: ")
		if certificate || try == sushyTries || !m.c.sleep(ctx, sushyInterval) {
			return answer{}, &sushyError{class: "ConnectionError", text: fmt.Sprintf("Unable to connect to %s. Error: %v", address, err)}
		}
	}
}

func (m *bmc) sendOnce(ctx context.Context, client *http.Client, who auth, method, address string, raw []byte) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(raw)) //nolint:gosec // the operator configures the address
	if err != nil {
		return answer{}, fmt.Errorf("preparing the request: %w", err)
	}
	if raw != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("OData-Version", "4.0")
	switch {
	case who.basic:
		request.SetBasicAuth(m.info.user, m.info.password)
	case who.token != "":
		request.Header.Set("X-Auth-Token", who.token)
	}
	return exchange(client, request)
}

// pythonConnection converts a connection error to one with the message of Python's requests library.
func pythonConnection(err error, address *url.URL) error {
	class := "HTTPConnection"
	port := cmp.Or(address.Port(), map[string]string{"http": "80", "https": "443"}[address.Scheme])
	if address.Scheme == "https" {
		class = "HTTPSConnection"
	}
	pool := fmt.Sprintf("%sPool(host='%s', port=%s)", class, address.Hostname(), port)
	var network net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%s: Max retries exceeded with url: %s (Caused by NewConnectionError(\"%s(host='%s', port=%s): Failed to establish a new connection: [Errno 111] Connection refused\"))",
			pool, address.RequestURI(), class, address.Hostname(), port)
	case errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("%s: Read timed out. (read timeout=%d)", pool, int(answerTimeout.Seconds()))
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return errors.New("('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))")
	}
	if why := certificateFault(err); why != "" {
		return fmt.Errorf("%s: Max retries exceeded with url: %s (Caused by %s)", pool, address.RequestURI(), why)
	}
	return fmt.Errorf("%s: Max retries exceeded with url: %s (Caused by %w)", pool, address.RequestURI(), err)
}

// check implements raise_for_response.
func (m *bmc) check(method, path string, got answer) error {
	if got.status < http.StatusBadRequest {
		return nil
	}
	address := m.info.base + path
	e := &sushyError{class: "HTTPError", status: got.status}
	switch {
	case got.status == http.StatusNotFound:
		e.class, e.text = "ResourceNotFoundError", fmt.Sprintf("Resource %s not found", address)
		return e
	case got.status == http.StatusBadRequest:
		e.class = "BadRequestError"
	case got.status == http.StatusUnauthorized, got.status == http.StatusForbidden:
		e.class = "AccessError"
	case got.status == http.StatusNotAcceptable:
		e.class = "NotAcceptableError"
	case got.status >= http.StatusInternalServerError:
		e.class = "ServerSideError"
	}
	problem, extended := "unknown error", "None"
	var body struct {
		Error struct {
			Code     string          `json:"code"`
			Message  string          `json:"message"`
			Extended json.RawMessage `json:"@Message.ExtendedInfo"`
		} `json:"error"`
	}
	if json.Unmarshal(got.body, &body) == nil {
		detail := cmp.Or(mostSevere(body.Error.Extended), body.Error.Message, "unknown error.")
		problem, extended = cmp.Or(body.Error.Code, "Base.1.0.GeneralError")+": "+detail, python.ReprJSON(body.Error.Extended)
	}
	e.text = fmt.Sprintf("HTTP %s %s returned code %d. %s Extended information: %s", method, address, got.status, problem, extended)
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
func (m *bmc) enter(ctx context.Context, outdated auth) (auth, error) {
	m.login.Lock()
	defer m.login.Unlock()
	m.mu.Lock()
	now := m.auth
	m.mu.Unlock()
	if now.loggedIn && now != outdated {
		return now, nil
	}
	root, err := m.send(ctx, auth{}, http.MethodGet, m.info.root+"/", nil)
	if err == nil {
		err = m.check(http.MethodGet, m.info.root+"/", root)
	}
	if err != nil {
		return auth{}, err
	}
	var service struct {
		Vendor string
		Links  struct{ Sessions link }
	}
	_ = json.Unmarshal(root.body, &service)
	path := cmp.Or(service.Links.Sessions.ID, m.info.root+"/SessionService/Sessions")
	who := auth{loggedIn: true, basic: true}
	if m.info.auth != "basic" {
		session, err := m.openSession(ctx, path)
		switch e := asSushy(err); {
		case err == nil:
			who = session
		case m.info.auth == "session", e == nil, e.class == "ConnectionError":
			return auth{}, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.auth, m.vendor = who, service.Vendor
	return who, nil
}

func (m *bmc) openSession(ctx context.Context, path string) (auth, error) {
	made, err := m.send(ctx, auth{}, http.MethodPost, path, map[string]any{"UserName": m.info.user, "Password": m.info.password})
	if err != nil {
		return auth{}, err
	}
	if err := m.check(http.MethodPost, path, made); err != nil {
		return auth{}, err
	}
	who := auth{loggedIn: true, token: made.header.Get("X-Auth-Token")}
	if who.token == "" {
		return auth{}, &sushyError{class: "MissingXAuthToken", text: "No X-Auth-Token returned from remote host when attempting to establish a session. Error: unknown error"}
	}
	if at, err := url.Parse(made.header.Get("Location")); err == nil {
		who.session = at.Path
	}
	return who, nil
}

// logOut deletes the session on the BMC.
func (m *bmc) logOut(ctx context.Context) {
	m.mu.Lock()
	who := m.auth
	m.mu.Unlock()
	if who.session != "" {
		_, _ = m.send(ctx, who, http.MethodDelete, who.session, nil)
	}
}

// do sends an authenticated request. If the session has expired, do logs in again, but only once.
func (m *bmc) do(ctx context.Context, method, path string, body any) (answer, error) {
	m.mu.Lock()
	who := m.auth
	m.mu.Unlock()
	for renewed := false; ; renewed = true {
		if !who.loggedIn {
			var err error
			if who, err = m.enter(ctx, who); err != nil {
				return answer{}, err
			}
		}
		got, err := m.send(ctx, who, method, path, body)
		if err != nil {
			return answer{}, err
		}
		err = m.check(method, path, got)
		if e := asSushy(err); e == nil || e.class != "AccessError" || who.basic || renewed {
			return got, err
		}
		if who, err = m.enter(ctx, who); err != nil {
			return answer{}, err
		}
	}
}

// doWithBody is like do. If the BMC requires a body, it sends the request again with an empty object.
func (m *bmc) doWithBody(ctx context.Context, method, path string, body any) error {
	_, err := m.do(ctx, method, path, body)
	if e := asSushy(err); e.isHTTP() && (e.status == http.StatusUnsupportedMediaType || e.status == http.StatusBadRequest) {
		_, err = m.do(ctx, method, path, map[string]any{})
	}
	return err
}

// rootVendor returns the vendor named in the service root.
func (m *bmc) rootVendor() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.vendor
}

// get reads the resource at path and stores it in the value that into points to.
func (m *bmc) get(ctx context.Context, path string, into any) error {
	got, err := m.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(got.body, into); err != nil {
		return &sushyError{class: "MalformedAttributeError", text: fmt.Sprintf("The resource %s cannot be read: %v", path, err)}
	}
	return nil
}

// connect implements _get_connection. It calls do with the session, which the nodes of a BMC share, and the path of the
// node's system. If the BMC is unreachable, it tries again and finally returns Ironic's error.
func (t *task) connect(ctx context.Context, do func(m *bmc, system string) error) error {
	info, err := parseRedfish(t.node)
	if err != nil {
		return err
	}
	const interval = 4 * time.Second // [redfish]connection_retry_interval
	system := info.system
	info.system = ""
	for try := 1; ; try++ {
		m := t.c.bmcs.get(info)
		err := do(m, system)
		s := asSushy(err)
		switch {
		case s == nil:
			return err
		case s.class == "AccessError":
			t.c.bmcs.forget(m)
			return redfishFault("%s", s.text)
		case s.class != "ConnectionError":
			return err
		}
		t.c.bmcs.forget(m)
		if try == t.c.options.Limits.BMCConnections || !t.c.sleep(ctx, interval) {
			return failure(kindRedfishConnection, "Redfish connection failed for node %s: %s", t.node.UUID, s.text)
		}
	}
}
