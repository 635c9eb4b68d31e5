package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"ironworks/lab"
)

// callAPI sends a request and returns the decoded body of the response.
func callAPI(ctx context.Context, t *testing.T, method, url, body string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-OpenStack-Ironic-API-Version", "1.115")
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %s %v", method, url, response.StatusCode, raw, err)
	}
	var answer map[string]any
	_ = json.Unmarshal(raw, &answer)
	return answer
}

// TestFailedDemoMachinesAreRepaired repairs the demo's failed machines as Explain proposes, and checks that they stay
// repaired after a restart of the lab.
func TestFailedDemoMachinesAreRepaired(t *testing.T) {
	t.Parallel()
	refused, err := lab.FindScenario("bmc-password")
	if err != nil {
		t.Fatal(err)
	}
	broken, err := lab.FindScenario("clean-fails")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	members := []lab.Member{{Name: "refused", Scenario: refused}, {Name: "broken", Scenario: broken}}
	s := site(t, lab.SiteOptions{Members: members, Dir: dir})
	node := func(name string) string { return s.Ironic.URL + "/v1/nodes/" + name }
	verb := func(name, target, ends string) {
		t.Helper()
		callAPI(t.Context(), t, http.MethodPut, node(name)+"/states/provision", `{"target": "`+target+`"}`)
		untilStates(t, s.Ironic.URL, map[string]string{name: ends})
	}
	verb("refused", "manage", "enroll")
	verb("broken", "manage", "manageable")
	verb("broken", "provide", "clean failed")

	callAPI(t.Context(), t, http.MethodPatch, node("refused"), `[{"op": "add", "path": "/driver_info/redfish_password", "value": "`+lab.BMCPassword+`"}]`)
	verb("refused", "manage", "manageable")
	callAPI(t.Context(), t, http.MethodPatch, node("broken"), `[{"op": "add", "path": "/properties/skip_block_devices", "value": [{"name": "/dev/sda"}]}]`)
	callAPI(t.Context(), t, http.MethodDelete, node("broken")+"/maintenance", "")
	verb("broken", "manage", "manageable")
	verb("broken", "provide", "available")
	if n := callAPI(t.Context(), t, http.MethodGet, node("broken"), ""); n["maintenance"] != false || n["last_error"] != nil {
		t.Errorf("after the repair the node is %v, %v", n["maintenance"], n["last_error"])
	}

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = site(t, lab.SiteOptions{Members: members, Dir: dir})
	verb("refused", "provide", "available")
}
