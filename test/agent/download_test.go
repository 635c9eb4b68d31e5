package agent_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"ironworks/test/agent"
	"ironworks/test/imagehost"
	"ironworks/test/ironic"
)

// TestDownloads lets the real agents download from good, broken and hostile servers, and checks that the results
// match the recording that our agent is tested against. It compares the errors, and the requests with their
// credentials.
func TestDownloads(t *testing.T) {
	path := filepath.Join("..", "..", "agent", "testdata", "downloads.json")
	recorded := map[string]map[string]imagehost.Result{}
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, &recorded)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	for _, release := range ironic.Releases(t) {
		real := downloads(t, release)
		want := recorded[release.Name()]
		if *update {
			recorded[release.Name()] = real
			continue
		}
		if len(real) != len(want) {
			t.Errorf("%s: %d cases, %d recorded", release.Name(), len(real), len(want))
		}
		for key, got := range real {
			if !reflect.DeepEqual(got, want[key]) {
				t.Errorf("%s, %s: the agent has %+v, recorded %+v", release.Name(), key, got, want[key])
			}
		}
	}
	if !*update {
		return
	}
	if content, err = json.MarshalIndent(recorded, "", " "); err == nil {
		err = os.WriteFile(path, append(content, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// downloads lets the agent of the given release download from the servers of all cases, and returns the results,
// keyed by case.
func downloads(t *testing.T, release ironic.Release) map[string]imagehost.Result {
	t.Helper()
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	var servers []*imagehost.Server
	var keys []string
	for _, c := range imagehost.Cases() {
		for _, streams := range []bool{true, false} {
			server := imagehost.Start(c)
			defer server.Close()
			servers, keys = append(servers, server), append(keys, c.Key(streams))
			tries, silence := c.Limits()
			if err := encoder.Encode(map[string]any{"info": server.Info, "streams": streams, "tries": tries, "silence": silence}); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "cases")
	if err := os.WriteFile(file, input.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(bytes.NewReader(agent.RunFile(t, release, "downloads.py", file)))
	all := map[string]imagehost.Result{}
	for i, server := range servers {
		var answer struct {
			Error, Details, Place string
			Bytes                 int
		}
		if err := answers.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		result := imagehost.Result{Error: answer.Error, Details: imagehost.Normal(answer.Details, answer.Place), Requests: server.Requests()}
		if answer.Error == "" {
			result.Bytes = answer.Bytes
		}
		all[keys[i]] = result
	}
	return all
}
