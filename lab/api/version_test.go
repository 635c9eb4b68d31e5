package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ironworks/lab/db"
)

const served = "The supported version range is: [1.1, 1.115]."

func TestVersions(t *testing.T) {
	for name, test := range map[string]struct {
		own, common string
		status      int
		version     string // the API version in the response
		text        string
	}{
		"none is the oldest":  {"", "", 200, "1.1", ""},
		"newest":              {"1.115", "", 200, "1.115", ""},
		"latest":              {"Latest", "", 200, "1.115", ""},
		"the common header":   {"", "baremetal 1.50", 200, "1.50", ""},
		"another service's":   {"", "compute 1.50", 200, "1.1", ""},
		"of both, the common": {"1.20", "compute 2.1, baremetal 1.50", 200, "1.50", ""},
		"too old":             {"1.0", "", 406, "", "Version 1.0 was requested but the minor version is not supported by this service. " + served},
		"too new":             {"1.116", "", 406, "", "Version 1.116 was requested but the minor version is not supported by this service. " + served},
		"another major":       {"2.1", "", 406, "", "Mutually exclusive versions requested. Version 2.1 requested but not supported by this service. " + served},
		"no version":          {"foo", "", 406, "", "Invalid value for X-OpenStack-Ironic-API-Version header"},
		"three numbers":       {"1.1.1", "", 406, "", "Invalid value for X-OpenStack-Ironic-API-Version header"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://lab/v1/nodes", nil)
			if test.own != "" {
				request.Header.Set("X-OpenStack-Ironic-API-Version", test.own)
			}
			if test.common != "" {
				request.Header.Set("OpenStack-API-Version", test.common)
			}
			answer := httptest.NewRecorder()
			r.handler.ServeHTTP(answer, request)
			if answer.Code != test.status || answer.Header().Get("X-OpenStack-Ironic-API-Version") != test.version {
				t.Errorf("%d %v", answer.Code, answer.Header())
			}
			if test.status != http.StatusOK {
				if text := refusal(t, answer.Body.Bytes()); text != test.text {
					t.Errorf("got %q", text)
				}
			}
			if test.own != "foo" && test.own != "1.1.1" &&
				(answer.Header().Get("X-OpenStack-Ironic-API-Minimum-Version") != "1.1" ||
					answer.Header().Get("X-OpenStack-Ironic-API-Maximum-Version") != "1.115") {
				t.Errorf("limits: %v", answer.Header())
			}
		})
	}
}

func TestErrorShapes(t *testing.T) {
	r := newRig(t)
	for name, test := range map[string]struct {
		path, body string
		want       string
		versioned  bool
	}{
		"Ironic's own": {
			"/v1/nodes/nope", "",
			`{"error_message":"{\"faultcode\":\"Client\",\"faultstring\":\"Node nope could not be found.\",\"debuginfo\":null}"}`, true,
		},
		"the framework's": {
			"/v1/nope", "", `{"error_message":"{\"code\":404,\"title\":\"Not Found\",\"description\":\"\"}"}`, false,
		},
		"an accident": {
			"/v1/nodes/nope/states/foo", "",
			`{"error_message":"{\"faultcode\":\"Server\",\"faultstring\":\"NodeStatesController.get() takes 2 positional ` +
				`arguments but 3 were given\",\"debuginfo\":null}"}`, true,
		},
		"not wrapped": {
			"/v1/nodes", strings.Repeat("[", 26),
			`{"faultcode":"Client","faultstring":"Request body JSON is nested too deeply. Please contact the service administrator."}`,
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := r.do(http.MethodGet, test.path, latest, test.body)
			if answer.Body.String() != test.want {
				t.Errorf("got %s\nwant %s", answer.Body, test.want)
			}
			if versioned := answer.Header().Get("X-OpenStack-Ironic-API-Version") != ""; versioned != test.versioned {
				t.Errorf("headers %v", answer.Header())
			}
		})
	}
}

func TestLimitsOfBodies(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	large := `{"x":"` + strings.Repeat("x", 1<<20) + `"}`
	r.check(n, []exchange{
		{"POST", "/v1/nodes", "", large, 413, "Request body is too large. Please contact the service administrator."},
		{"PUT", "/v1/nodes/{N}/states/provision", "", large, 400, "Unexpected arguments: x"},
		{"POST", "/v1/nodes", "", strings.Repeat("[", 25) + strings.Repeat("]", 25), 400, "Schema error for node: " +
			strings.Repeat("[", 25) + strings.Repeat("]", 25) + " is not of type 'object'"},
		{"POST", "/v1/nodes", "", `{"driver": "` + strings.Repeat("[", 30) + `"}`, 400, "No valid host was found. Reason: No " +
			"conductor service registered which supports driver " + strings.Repeat("[", 30) + ` for conductor group "". ` +
			"Ensure the driver is valid and enabled."},
	})
}

func TestRoutes(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	for _, path := range []string{"/", "/v1", "/v1/", "/nodes", "/v1/nodes/", "/v1/ports", "/v1/drivers", "/v1/shards"} {
		r.get(path)
	}
	r.check(n, []exchange{
		{"GET", "/v2", "", "", 404, ""},
		{"GET", "/v1/runbooks", "1.91", "", 404, "The API version does not allow runbooks"},
		{"GET", "/v1/chassis", "", "", 200, ""},
		{"GET", "/v1/chassis/" + uuid1, "", "", 404, "Chassis " + uuid1 + " could not be found."},
		{"POST", "/v1/runbooks", "", "{}", 400, "Schema error for runbook: 'steps' is a required property"},
		{"GET", "/v1/nodes/{N}/volume/targets", "", "", 200, ""},
		{"POST", "/v1/nodes", "", `{"driver"`, 500, "Expecting ':' delimiter: line 1 column 10 (char 9)"},
		{"POST", "/v1/nodes", "", `{`, 500, "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"},
		{"POST", "/v1/nodes", "", `{"a": [1 2]}`, 500, "Expecting ',' delimiter: line 1 column 10 (char 9)"},
		{"POST", "/v1/nodes", "", "{\n\"a", 500, "Unterminated string starting at: line 2 column 1 (char 2)"},
		{"POST", "/v1/nodes", "", "{} x", 500, "Extra data: line 1 column 4 (char 3)"},
		{"POST", "/v1/nodes", "", "x", 500, "Expecting value: line 1 column 1 (char 0)"},
		{"GET", "/v1/nodes/ports", "", "", 404, ""},
		{"GET", "/v1/nodes/a%20b", "", "", 400, "Expected UUID or name for node: a b"},
		{"GET", "/v1/nodes/{N}/foo", "", "", 400, "Field foo is not a valid field."},
		{"GET", "/v1/nodes/{N}/vifs", "1.27", "", 404, ""},
		{"GET", "/v1/nodes/{N}/history", "1.77", "", 404, ""},
		{"GET", "/v1/nodes/{N}/traits", "1.36", "", 406, "Request not acceptable."},
		{"GET", "/v1/conductors", "1.48", "", 404, "The API is not supported for this version"},
		{"GET", "/v1/shards", "1.81", "", 404, "The API version does not allow shards"},
		{"POST", "/v1/allocations", "1.51", "{}", 405, "The API version does not allow allocations"},
		{"GET", "/v1/deploy_templates", "1.54", "", 404, "The API version does not allow deploy templates"},
		{"GET", "/v1/nodes?foo=1&bar=2", "", "", 400, "Unexpected arguments: bar, foo"},
		{"DELETE", "/v1/nodes", "", "", 400, "Missing mandatory parameter: node_ident"},
		{"DELETE", "/v1/nodes/{N}/foo", "", "", 404, "Resource could not be found."},
		{"PUT", "/v1", "", "", 405, "The server could not comply with the request since it is either malformed or otherwise incorrect."},
	})
	for path, allow := range map[string]string{
		"/v1/nodes": "DELETE, GET, PATCH, POST", "/v1/nodes/" + n.UUID + "/states": "GET",
		"/v1/nodes/" + n.UUID + "/maintenance": "DELETE, PUT", "/v1/nodes/" + n.UUID + "/management": "",
		"/v1/nodes/" + n.UUID + "/vmedia": "DELETE, GET, POST", "/v1/lookup": "GET", "/v1/heartbeat": "POST",
	} {
		answer := r.do("QUERY", path, latest, "")
		if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != allow {
			t.Errorf("%s: %d %v", path, answer.Code, answer.Header())
		}
	}
}

// TestFieldsByVersion checks that a field exists from the version that introduced it. In older versions, it can
// neither be requested nor set.
func TestFieldsByVersion(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.Name = "one" })
	for field, minor := range map[string]int{
		"driver_internal_info": 3, "resource_class": 21, "deploy_interface": 31, "traits": 37, "fault": 42,
		"conductor_group": 46, "owner": 50, "lessee": 65, "boot_mode": 75, "shard": 82, "service_step": 87,
		"instance_name": 104, "health": 109,
	} {
		before, from := versionText(minor-1), versionText(minor)
		if body := r.do("GET", "/v1/nodes/"+n.UUID, before, "").Body.String(); strings.Contains(body, `"`+field+`"`) {
			t.Errorf("%s is shown in %s", field, before)
		}
		if body := r.do("GET", "/v1/nodes/"+n.UUID, from, "").Body.String(); !strings.Contains(body, `"`+field+`"`) {
			t.Errorf("%s is not shown in %s", field, from)
		}
		if minor > 8 {
			if code := r.do("GET", "/v1/nodes?fields="+field, before, "").Code; code != http.StatusNotAcceptable {
				t.Errorf("%s can be asked for in %s: %d", field, before, code)
			}
		}
	}
	if code := r.do("PATCH", "/v1/nodes/"+n.UUID, "1.49", `[{"op": "replace", "path": "/owner", "value": "x"}]`).Code; code != 406 {
		t.Errorf("owner can be set too early: %d", code)
	}
}

func versionText(minor int) string {
	digits := ""
	for ; minor > 0; minor /= 10 {
		digits = string(rune('0'+minor%10)) + digits
	}
	return "1." + digits
}

func TestAccept(t *testing.T) {
	r := newRig(t)
	for accept, want := range map[string]int{
		"": 200, "*/*": 200, "application/json": 200, "text/html, application/*;q=0.5": 200, "application/xml": 406, "text/html": 406,
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://lab/v1/nodes", nil)
		request.Header.Set("Accept", accept)
		answer := httptest.NewRecorder()
		r.handler.ServeHTTP(answer, request)
		if answer.Code != want || answer.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", accept, answer.Code, answer.Body)
		}
	}
}
