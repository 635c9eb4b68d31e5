package ironicclient

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
)

// fakeKeystone issues the tokens token-1, token-2 and so on, together with a catalog.
type fakeKeystone struct {
	*httptest.Server
	// before may respond to a request, and reports whether it has done so. number counts the requests from 1.
	before func(w http.ResponseWriter, r *http.Request, number int) bool

	mu       sync.Mutex
	requests []seen
	catalog  []map[string]any
}

func newKeystone(t *testing.T, catalog ...map[string]any) *fakeKeystone {
	t.Helper()
	k := &fakeKeystone{catalog: catalog}
	k.Server = httptest.NewServer(http.HandlerFunc(k.serve))
	t.Cleanup(k.Close)
	return k
}

func (k *fakeKeystone) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	k.mu.Lock()
	k.requests = append(k.requests, seen{method: r.Method, path: r.URL.EscapedPath(), header: r.Header.Clone(), body: string(body)})
	number := len(k.requests)
	before := k.before
	k.mu.Unlock()
	w.Header().Set("X-Openstack-Request-Id", "req-k")
	if before != nil && before(w, r, number) {
		return
	}
	if r.URL.Path != "/v3/auth/tokens" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	status := http.StatusCreated
	if r.Method == http.MethodGet {
		status = http.StatusOK
	}
	w.Header().Set("X-Subject-Token", fmt.Sprintf("token-%d", number))
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
		"expires_at": "2030-01-01T00:00:00.000000Z", "methods": []string{"password"},
		"catalog": []any{
			map[string]any{"type": "compute", "endpoints": []any{endpointOf("public", "R1", "http://nova")}},
			map[string]any{"type": "baremetal", "endpoints": k.catalog},
		},
	}})
}

func (k *fakeKeystone) all() []seen {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]seen(nil), k.requests...)
}

func endpointOf(iface, region, url string) map[string]any {
	return map[string]any{"interface": iface, "region": region, "region_id": region, "url": url}
}

func password(k *fakeKeystone) models.Connection {
	return models.Connection{
		Auth: models.AuthPassword, Username: "admin", Password: "secret",
		Keystone: models.Keystone{AuthURL: k.URL + "/v3", UserDomainName: "Users", ProjectName: "p", ProjectDomainName: "Projects"},
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		conn models.Connection
		want string
	}{
		"password, domains by name": {
			models.Connection{Auth: models.AuthPassword, Username: "admin", Password: "secret", Keystone: models.Keystone{
				UserDomainName: "Users", ProjectName: "p", ProjectDomainName: "Projects",
			}},
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"admin","password":"secret","domain":{"name":"Users"}}}},` +
				`"scope":{"project":{"name":"p","domain":{"name":"Projects"}}}}}`,
		},
		"password, domains by id and name": {
			models.Connection{Auth: models.AuthPassword, Username: "admin", Password: "secret", Keystone: models.Keystone{
				UserDomainID: "u1", UserDomainName: "Users", ProjectName: "p", ProjectDomainID: "d1", ProjectDomainName: "Projects",
			}},
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"admin","password":"secret","domain":{"id":"u1"}}}},` +
				`"scope":{"project":{"name":"p","domain":{"id":"d1"}}}}}`,
		},
		"user by id, project by id": {
			models.Connection{Auth: models.AuthPassword, Username: "admin", Password: "secret", Keystone: models.Keystone{
				UserID: "u", UserDomainName: "Users", ProjectID: "p1", ProjectName: "p",
			}},
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"u","password":"secret"}}},"scope":{"project":{"id":"p1"}}}}`,
		},
		"system scope": {
			models.Connection{Auth: models.AuthPassword, Password: "secret", Keystone: models.Keystone{UserID: "u", SystemScope: "all", ProjectID: "p"}},
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"u","password":"secret"}}},"scope":{"system":{"all":true}}}}`,
		},
		"domain scope by id": {
			models.Connection{Auth: models.AuthPassword, Password: "secret", Keystone: models.Keystone{UserID: "u", DomainID: "d", DomainName: "D"}},
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"u","password":"secret"}}},"scope":{"domain":{"id":"d"}}}}`,
		},
		"domain scope by name": {
			models.Connection{Auth: models.AuthPassword, Password: "secret", Keystone: models.Keystone{UserID: "u", DomainName: "D"}},
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"u","password":"secret"}}},"scope":{"domain":{"name":"D"}}}}`,
		},
		"no scope": {
			models.Connection{Auth: models.AuthPassword, Password: "secret", Keystone: models.Keystone{UserID: "u"}},
			`{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"u","password":"secret"}}}}}`,
		},
		"application credential by id": {
			models.Connection{Auth: models.AuthApplicationCredential, Username: "admin", Keystone: models.Keystone{
				ApplicationCredentialID: "ac", ApplicationCredentialSecret: "secret", ProjectID: "p",
			}},
			`{"auth":{"identity":{"methods":["application_credential"],"application_credential":{"id":"ac","secret":"secret"}}}}`,
		},
		"application credential by name": {
			models.Connection{Auth: models.AuthApplicationCredential, Username: "admin", Keystone: models.Keystone{
				ApplicationCredentialName: "ci", ApplicationCredentialSecret: "secret", UserDomainName: "Users",
			}},
			`{"auth":{"identity":{"methods":["application_credential"],"application_credential":{"name":"ci","secret":"secret",` +
				`"user":{"name":"admin","domain":{"name":"Users"}}}}}}`,
		},
		"application credential by name, user by id": {
			models.Connection{Auth: models.AuthApplicationCredential, Keystone: models.Keystone{
				ApplicationCredentialName: "ci", ApplicationCredentialSecret: "secret", UserID: "u",
			}},
			`{"auth":{"identity":{"methods":["application_credential"],"application_credential":{"name":"ci","secret":"secret","user":{"id":"u"}}}}}`,
		},
		"token with a scope": {
			models.Connection{Auth: models.AuthToken, Keystone: models.Keystone{Token: "secret", ProjectID: "p"}},
			`{"auth":{"identity":{"methods":["token"],"token":{"id":"secret"}},"scope":{"project":{"id":"p"}}}}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, nodes("a"))
			k := newKeystone(t, endpointOf("public", "R1", f.URL+"/v1"))
			tt.conn.Keystone.AuthURL = k.URL + "/v3"
			if err := list(t.Context(), connect(t, tt.conn, Options{})); err != nil {
				t.Fatal(err)
			}
			all := k.all()
			if len(all) != 1 || all[0].String() != "POST /v3/auth/tokens" || !sameJSON(t, all[0].body, tt.want) {
				t.Errorf("sent %q %s\nwant %s", all, all[0].body, tt.want)
			}
			if got := f.all(); len(got) != 1 || got[0].header.Get("X-Auth-Token") != "token-1" || got[0].path != "/v1/nodes" {
				t.Errorf("Ironic got %q with %q", got, got[0].header.Get("X-Auth-Token"))
			}
		})
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		t.Fatalf("no JSON: %s, %s", a, b)
	}
	one, _ := json.Marshal(x)
	two, _ := json.Marshal(y)
	return string(one) == string(two)
}

// TestTokenAsItIs checks that a token is used unchanged if no scope is configured.
func TestTokenAsItIs(t *testing.T) {
	t.Parallel()
	f := newIronic(t, nodes("a"))
	k := newKeystone(t, endpointOf("public", "R1", f.URL))
	conn := models.Connection{Auth: models.AuthToken, Keystone: models.Keystone{AuthURL: k.URL, Token: "mine"}}
	if err := list(t.Context(), connect(t, conn, Options{})); err != nil {
		t.Fatal(err)
	}
	if got := k.all(); len(got) != 1 || got[0].String() != "GET /v3/auth/tokens" || got[0].header.Get("X-Subject-Token") != "mine" {
		t.Errorf("Keystone got %q", got)
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	f := newIronic(t, nodes("a"))
	wrong := "http://wrong.invalid"
	k := newKeystone(t,
		endpointOf("admin", "R1", wrong), endpointOf("public", "R1", wrong), endpointOf("internal", "R2", wrong),
		endpointOf("public", "R2", f.URL+"/baremetal/v1/"), endpointOf("internal", "R1", f.URL+"/inside"),
	)
	tests := map[string]struct{ region, iface, path, missing string }{
		"public by default":  {"R2", "", "/baremetal/v1/nodes", ""},
		"internal":           {"R1", "internal", "/inside/v1/nodes", ""},
		"no such region":     {"R3", "", "", "no baremetal endpoint (interface public, region R3)"},
		"no such interface":  {"", "sideways\x1b", "", `no baremetal endpoint (interface sideways\x1b)`},
		"not in that region": {"R2", "admin", "", "no baremetal endpoint (interface admin, region R2)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			conn := password(k)
			conn.Keystone.Region, conn.Keystone.Interface = tt.region, tt.iface
			c := connect(t, conn, Options{})
			err := list(t.Context(), c)
			if tt.missing != "" {
				mustSay(t, mustFault(t, err, models.FaultConfig), tt.missing, "check region and interface")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			all := f.all()
			if got := all[len(all)-1].path; got != tt.path || c.Endpoint() != f.URL+strings.TrimSuffix(tt.path, "v1/nodes") {
				t.Errorf("%s, %s", got, c.Endpoint())
			}
		})
	}
}

// TestEndpointOverride checks that an endpoint configured in the connection is used even if the catalog contains no
// endpoint.
func TestEndpointOverride(t *testing.T) {
	t.Parallel()
	f := newIronic(t, nodes("a"))
	conn := password(newKeystone(t))
	conn.Endpoint = f.URL
	if err := list(t.Context(), connect(t, conn, Options{})); err != nil {
		t.Error(err)
	}
}

func TestKeystoneFaults(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, _ int) bool { reply(status, body)(w, r); return true }
	}
	tests := map[string]struct {
		before func(http.ResponseWriter, *http.Request, int) bool
		change func(c *models.Connection)
		kind   models.FaultKind
		says   string
	}{
		"wrong password": {answer(401, `{"error":{"code":401,"message":"Invalid username or password"}}`), nil, models.FaultUnauthorized, "check user, domain, project and password"},
		"expired token": {answer(401, ""), func(c *models.Connection) {
			c.Auth, c.Username, c.Password, c.Keystone.Token = models.AuthToken, "", "", "t"
		}, models.FaultUnauthorized, "the token is invalid or expired"},
		"another service": {answer(404, ""), nil, models.FaultConfig, "check that auth_url is the URL of Keystone"},
		"a redirect":      {answer(302, ""), nil, models.FaultConfig, "check that auth_url is the URL of Keystone"},
		"a web page":      {answer(200, "<html>"), nil, models.FaultConfig, "the server is not Keystone"},
		"broken":          {answer(500, "<html>"), nil, models.FaultServer, "the response is from Keystone"},
		"forbidden":       {answer(403, ""), nil, models.FaultForbidden, "the response is from Keystone"},
		"no URL":          {nil, func(c *models.Connection) { c.Keystone.AuthURL = "" }, models.FaultConfig, `auth_url "" is not a URL`},
		"not a URL":       {nil, func(c *models.Connection) { c.Keystone.AuthURL = "http://a:hunter2@b c:x" }, models.FaultConfig, "is not a URL"},
		"no user":         {nil, func(c *models.Connection) { c.Username = "" }, models.FaultConfig, ""},
		"no user domain":  {nil, func(c *models.Connection) { c.Keystone.UserDomainName = "" }, models.FaultConfig, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, nodes("a"))
			k := newKeystone(t, endpointOf("public", "R1", f.URL))
			k.before = tt.before
			conn := password(k)
			if tt.change != nil {
				tt.change(&conn)
			}
			_, err := connect(t, conn, Options{}).Send(t.Context(), request.Power("n", models.TargetOn))
			fault := mustFault(t, err, tt.kind)
			mustSay(t, fault, tt.says)
			if fault.Sent || len(f.all()) != 0 || strings.Contains(fault.Error(), "hunter2") || strings.Contains(fault.Error(), "secret") {
				t.Errorf("%v", fault)
			}
		})
	}
}
