package agent_test

import (
	"encoding/json"
	"net"
	"runtime"
	"strconv"
	"testing"

	"ironworks/test/agent"
	"ironworks/test/ironic"
)

// TestFunctionalTestsOfIronicPythonAgent runs the functional tests of both releases of ironic-python-agent against our
// program.
func TestFunctionalTestsOfIronicPythonAgent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("the agent runs on Linux, not on %s", runtime.GOOS)
		return
	}
	program := buildAgent(t, runtime.GOARCH)
	for _, release := range ironic.Releases(t) {
		server := newShortIronic(t)
		server.token = nil // so the token in the agent's configuration counts
		tests := 2         // the tests of commands and TLS
		if release.Name() != "newest" {
			server.version, tests = "1.82", 1
		}
		folder := ramdisk(t, server.URL)
		output := agent.RunFile(t, release, "functional.py", program, server.URL, folder, freePort(t), freePort(t))
		var result struct {
			Run               int
			Problems, Skipped []string
		}
		if err := json.Unmarshal(output, &result); err != nil {
			t.Fatalf("%v in %s", err, output)
		}
		for _, problem := range result.Problems {
			t.Errorf("%s: %s", release.Name(), problem)
		}
		if result.Run != tests || len(result.Skipped) != 0 {
			t.Errorf("%s: %d tests were run, skipped were %q", release.Name(), result.Run, result.Skipped)
		}
	}
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}
