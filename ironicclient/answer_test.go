package ironicclient

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

func TestErrorShapes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"JSON in a string":       {`{"error_message":"{\"faultcode\":\"Client\",\"faultstring\":\"no such node\",\"debuginfo\":null}"}`, "no such node"},
		"not encoded twice":      {`{"error_message":{"faultstring":"no such node"}}`, "no such node"},
		"pecan's, with a code":   {`{"error_message":"{\"code\":404,\"title\":\"Not Found\",\"description\":\"no such route\"}"}`, "no such route"},
		"pecan's, with a status": {`{"error_message":"{\"status\":406,\"title\":\"Not Acceptable\",\"description\":\"\"}"}`, "Not Acceptable"},
		"text in it":             {`{"error_message":"just text"}`, "just text"},
		"HTML in it":             {`{"error_message":"<html><body>404</body></html>"}`, ""},
		"http_basic":             {`{"error":{"message":"Authorization required","code":401}}`, "Authorization required"},
		"Keystone's":             {`{"error":{"code":401,"title":"Unauthorized","message":"expired"}}`, "expired"},
		"error is a text":        {`{"error":"gone"}`, "gone"},
		"outside the wrapper":    {`{"faultcode":"Client","faultstring":"too deep"}`, "too deep"},
		"empty object":           {`{}`, ""},
		"null":                   {`{"error_message":null}`, ""},
		"a number":               {`{"error_message":5}`, ""},
		"a list":                 {`[]`, ""},
		"plain text":             {`Bad Gateway`, ""},
		"HTML":                   {`<html>`, ""},
		"nothing":                {``, ""},
		"truncated":              {`{"error_message":"{\"faults`, ""},
	}
	for name, tt := range tests {
		if got := errorText([]byte(tt.body)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestFaultKinds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer handler
		bare   bool
		kind   models.FaultKind
		says   []string
	}{
		"bad request":     {ironicError(400, "Invalid\x1b[2J"), false, models.FaultBadRequest, []string{`get node n: Invalid\x1b[2J (HTTP 400)`, "[req-7]"}},
		"forbidden":       {ironicError(403, "Access denied"), false, models.FaultForbidden, []string{"your role does not allow it"}},
		"not found":       {ironicError(404, "Node n could not be found."), false, models.FaultNotFound, []string{"could not be found"}},
		"no conductor":    {ironicError(404, "No valid host was found. Reason: x"), false, models.FaultNoConductor, []string{"ironworks conductors"}},
		"conflict":        {ironicError(409, "Node is associated with an instance"), false, models.FaultConflict, []string{"associated"}},
		"server error":    {ironicError(500, "boom"), false, models.FaultServer, []string{"boom (HTTP 500)"}},
		"empty":           {reply(500, ""), false, models.FaultServer, []string{"Internal Server Error (HTTP 500)"}},
		"plain text":      {reply(500, "boom"), false, models.FaultServer, []string{"Internal Server Error"}},
		"HTML of a proxy": {served(reply(502, "<html>bad gateway"), "nginx"), true, models.FaultServer, []string{"Bad Gateway, an HTML page (Server: nginx)", "a proxy in front of Ironic"}},
		"forbidden by a proxy": {
			served(reply(403, "<html>"), "squid"), true, models.FaultForbidden, []string{"a proxy in front of Ironic (Server: squid)"},
		},
		"another server":   {reply(404, "<html>"), true, models.FaultNotIronic, []string{"port 6385"}},
		"redirect":         {moved("https://user:pw@elsewhere/login?ticket=pw"), true, models.FaultNotIronic, []string{"redirects to https://user@elsewhere/login?******"}},
		"HTML with 200":    {served(reply(200, "<html>"), "Apache"), true, models.FaultNotIronic, []string{"has no API version and is HTML (Server: Apache)"}},
		"text with 200":    {reply(200, "hello"), true, models.FaultNotIronic, []string{"and is not JSON"}},
		"JSON of another":  {reply(200, `{"versions":[]}`), true, models.FaultNotIronic, []string{"has no API version"}},
		"truncated JSON":   {reply(200, `{"uuid":"n","na`), false, models.FaultBadAnswer, []string{"incomplete or wrong JSON", "[req-7]"}},
		"no node":          {reply(200, `{}`), false, models.FaultBadAnswer, []string{"node without uuid"}},
		"too many headers": {reply(431, ""), false, models.FaultBadRequest, []string{"HTTP 431"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, tt.answer)
			f.bare = tt.bare
			_, err := client(t, f.URL, Options{}).Node(t.Context(), "n")
			fault := mustFault(t, err, tt.kind)
			mustSay(t, fault, tt.says...)
			if fault.Method != http.MethodGet || !strings.HasSuffix(fault.URL, "/v1/nodes/n") || strings.ContainsRune(fault.Error(), 0x1b) {
				t.Errorf("%q %q %q", fault.Method, fault.URL, fault)
			}
			if len(f.all()) != 1 {
				t.Errorf("%d requests", len(f.all()))
			}
		})
	}
}

func served(h handler, by string) handler {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", by)
		h(w, r)
	}
}

func moved(to string) handler {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		challenge string
		conn      models.Connection
		says      string
	}{
		"wants basic, has none":  {`Basic realm="Baremetal API"`, models.Connection{}, "the server requires http_basic (username and password); this connection uses auth none"},
		"wants Keystone":         {`Keystone uri="http://k"`, models.Connection{}, "the server requires a Keystone token"},
		"wrong password":         {`Basic realm="x"`, models.Connection{Auth: models.AuthHTTPBasic, Username: "u", Password: "p"}, "the http_basic credentials were refused"},
		"basic against Keystone": {`Keystone uri="x"`, models.Connection{Auth: models.AuthHTTPBasic}, "this connection uses auth http_basic"},
		"something else":         {"Bearer\x1b x", models.Connection{}, `the server requires Bearer\x1b`},
		"it does not say":        {"", models.Connection{}, "does not name an authentication method"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Www-Authenticate"] = []string{strings.ReplaceAll(tt.challenge, "\x1b", "\u009b")}
				w.WriteHeader(http.StatusUnauthorized)
			})
			f.bare = true
			tt.conn.Endpoint = f.URL
			fault := mustFault(t, list(t.Context(), connect(t, tt.conn, Options{})), models.FaultUnauthorized)
			mustSay(t, fault, strings.ReplaceAll(tt.says, `\x1b`, `\u009b`))
		})
	}
}

func TestBasicAuthentication(t *testing.T) {
	t.Parallel()
	f := newIronic(t, nodes("a"))
	c := connect(t, models.Connection{
		Endpoint: f.URL + "/v1/", Auth: models.AuthHTTPBasic, Username: "admin", Password: "pa:ss wörd",
	}, Options{UserAgent: "ironworks/1"})
	if err := list(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	got := f.all()[0]
	r := http.Request{Header: got.header}
	if user, pass, ok := r.BasicAuth(); user != "admin" || pass != "pa:ss wörd" || !ok {
		t.Errorf("%q %q %v", user, pass, ok)
	}
	if got.path != "/v1/nodes" || !strings.HasPrefix(got.header.Get("User-Agent"), "ironworks/1 ") || got.header.Get("Accept") != "application/json" {
		t.Errorf("%+v", got)
	}
}

func TestCredentialsDoNotFollowRedirects(t *testing.T) {
	t.Parallel()
	elsewhere := newIronic(t, nodes("a"))
	f := newIronic(t, moved(elsewhere.URL))
	c := connect(t, models.Connection{Endpoint: f.URL, Auth: models.AuthHTTPBasic, Username: "u", Password: "p"}, Options{})
	wantFault(t, list(t.Context(), c), models.FaultNotIronic)
	if len(elsewhere.all()) != 0 {
		t.Errorf("sent on: %q", elsewhere.all())
	}
}

func TestLockedFault(t *testing.T) {
	t.Parallel()
	for text, by := range map[string]string{
		"Node n is locked by host conductor-1.example, please retry after the current operation is completed.":        "conductor-1.example",
		"Node n parent_node p is presently locked and we are unable to perform any action on it at this time. Please": "",
	} {
		f := newIronic(t, ironicError(http.StatusConflict, text))
		c := client(t, f.URL, Options{Retry: RetryPolicy{Tries: 1}})
		_, err := c.Send(t.Context(), request.Power("n", models.TargetOff))
		if fault := mustFault(t, err, models.FaultLocked); fault.LockedBy != by || fault.RequestID != "req-7" {
			t.Errorf("%q locked by %q, want %q", text, fault.LockedBy, by)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "": 0, "-1": 0, "soon": 0} {
		f := newIronic(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		c := client(t, f.URL, Options{Retry: RetryPolicy{Tries: 1}})
		if fault := mustFault(t, list(t.Context(), c), models.FaultUnavailable); fault.RetryAfter != want {
			t.Errorf("%q: %v", header, fault.RetryAfter)
		}
	}
}

// TestRequestID checks that the request ID is found under both header names. The newest Ironic sends both headers,
// older versions only the second.
func TestRequestID(t *testing.T) {
	t.Parallel()
	for want, h := range map[string]http.Header{
		"req-1": {"X-Openstack-Request-Id": {"req-1"}, "Openstack-Request-Id": {"req-2"}},
		"req-2": {"Openstack-Request-Id": {"req-2"}},
		`\x1b`:  {"Openstack-Request-Id": {"\x1b"}},
		"":      {},
	} {
		if got := requestIDOf(h); got != want {
			t.Errorf("%v: %q", h, got)
		}
	}
}

// TestHeadersDroppedLater checks that a proxy may drop Ironic's headers after the first response, but that an HTML
// page is still a fault.
func TestHeadersDroppedLater(t *testing.T) {
	t.Parallel()
	f := newIronic(t, replies(nodes("a"), nodes("a"), reply(http.StatusOK, "<html>log in</html>")))
	c := client(t, f.URL, Options{})
	if err := list(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.bare = true
	f.mu.Unlock()
	if err := list(t.Context(), c); err != nil {
		t.Errorf("%v", err)
	}
	wantFault(t, list(t.Context(), c), models.FaultNotIronic)
}

func FuzzErrorText(f *testing.F) {
	for _, seed := range []string{
		`{"error_message":"{\"faultstring\":\"x\"}"}`, `{"error":{"message":"x"}}`, `{"error":"x"}`, "<html>", "", "[", `{"faultstring":"\u001b"}`,
	} {
		f.Add(409, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		fault := &models.Fault{URL: "http://h/"}
		client(t, "http://h", Options{}).decodeFault(fault, gophercloud.ErrUnexpectedResponseCode{
			Actual: status, Body: []byte(body), ResponseHeader: http.Header{"Server": {body}, "Location": {body}, "Www-Authenticate": {body}},
		})
		if text := fault.Error(); text != printable.Line(text) || fault.Kind == "" {
			t.Errorf("%q %q", fault.Kind, text)
		}
	})
}
