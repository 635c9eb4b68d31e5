package machine

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// checkHeaders checks that the headers of a resource match its type, and that the type's schema is in the metadata
// document.
func checkHeaders(t *testing.T, path string, kind any, header http.Header) {
	t.Helper()
	name, _ := kind.(string)
	namespace := strings.TrimPrefix(name[:max(strings.LastIndexByte(name, '.'), 0)], "#")
	schema, version, _ := strings.Cut(namespace, ".")
	if known, ok := schemaVersions[schema]; !ok || known != version {
		t.Errorf("%s: the type %q is not in the metadata document", path, name)
	}
	if got, want := header.Get("Link"), "<"+schemasURL+namespace+".json>; rel=describedby"; got != want {
		t.Errorf("%s: Link %q, want %q", path, got, want)
	}
	if allow := header.Get("Allow"); !strings.Contains(allow, "GET, HEAD") {
		t.Errorf("%s: Allow %q", path, allow)
	}
}

// TestODataDocuments checks that the service's OData documents are complete and can be read without credentials.
func TestODataDocuments(t *testing.T) {
	r := rackT(t, machineT(t, spec(), Options{}))
	get := func(path, kind string) []byte {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != kind {
			t.Fatalf("%s: status %d, %v: %s", path, w.Code, w.Header(), w.Body)
		}
		return w.Body.Bytes()
	}
	var service struct {
		Context string `json:"@odata.context"`
		Value   []struct{ Name, Kind, URL string }
	}
	if err := json.Unmarshal(get(odataPath, "application/json"), &service); err != nil || service.Context != metadataPath {
		t.Errorf("error %v, %+v", err, service)
	}
	var paths []string
	for _, entry := range service.Value {
		paths = append(paths, entry.URL)
	}
	for _, path := range []string{root + "/", root + "/Systems", accountsPath, sessionsPath} {
		if !slices.Contains(paths, path) {
			t.Errorf("%s is not in %q", path, paths)
		}
	}
	body := string(get(metadataPath, "application/xml"))
	if err := xml.Unmarshal([]byte(body), new(struct{})); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		`<edmx:Reference Uri="http://redfish.dmtf.org/schemas/v1/ChassisCollection_v1.xml">`,
		`<edmx:Include Namespace="Chassis.` + schemaVersions["Chassis"] + `">`,
		`<EntityContainer Name="Service" Extends="ServiceRoot.` + schemaVersions["ServiceRoot"] + `.ServiceContainer">`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

// TestODataVersion checks that requests for an OData version that the service does not support are rejected.
func TestODataVersion(t *testing.T) {
	r := rackT(t, machineT(t, spec(), Options{}))
	for version, want := range map[string]int{"": 200, "4.0": 200, "4.1": 412} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, root, http.NoBody)
		if version != "" {
			request.Header.Set("OData-Version", version)
		}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, request)
		if w.Code != want {
			t.Errorf("version %q: status %d, want %d", version, w.Code, want)
		}
	}
}

// TestAllow checks that the Allow header names the methods that a resource supports, also in responses to HEAD.
func TestAllow(t *testing.T) {
	r := rackT(t, machineT(t, spec(), Options{}))
	for path, want := range map[string]string{
		root + "/": "GET, HEAD", sessionsPath: "GET, HEAD, POST", root + "/Systems/m1": "GET, HEAD, PATCH",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if got := call(t, r, method, path, "").Header().Get("Allow"); got != want {
				t.Errorf("%s %s: %q, want %q", method, path, got, want)
			}
		}
	}
}

// TestDurableName checks that WWNs in Linux's form are converted to the formats of DSP0266.
func TestDurableName(t *testing.T) {
	for wwn, want := range map[string][2]string{
		"0x5000c500a1b2c3d4":                        {"NAA", "5000c500a1b2c3d4"},
		"0x600508b1001c4d5e600508b1001c4d5e":        {"NAA", "600508b1001c4d5e600508b1001c4d5e"},
		"eui.0025388b91d2a1b3":                      {"EUI", "00:25:38:8b:91:d2:a1:b3"},
		"eui.0025388b91d2a1b30025388b91d2a1b3":      {"NGUID", "0025388b91d2a1b30025388b91d2a1b3"},
		"uuid.9e0a1c4e-6f0f-4b8e-9d3c-2f0d6c1f7a55": {"UUID", "9e0a1c4e-6f0f-4b8e-9d3c-2f0d6c1f7a55"},
	} {
		if got := durableName(wwn); got["DurableNameFormat"] != want[0] || got["DurableName"] != want[1] {
			t.Errorf("%s: %v, want %q", wwn, got, want)
		}
	}
	for _, wwn := range []string{"", "nvme.1af4-31-51454d55-00000001"} {
		if got := durableName(wwn); got != nil {
			t.Errorf("%q: %v, want none", wwn, got)
		}
	}
}
