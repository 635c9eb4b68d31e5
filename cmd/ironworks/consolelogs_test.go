package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ironworks/config"
	"ironworks/models"
)

// TestConsoleTakesPushedJournals: while a context is open that says so, and not longer; a
// second console goes on without.
func TestConsoleTakesPushedJournals(t *testing.T) {
	t.Parallel()
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t, "127.0.0.1"))
	x := config.Context{
		Name: "x", Connection: models.Connection{Endpoint: "http://127.0.0.1:1", Auth: models.AuthNone}, Logs: config.Logs{Listen: address},
	}
	a := &app{process: process{options: config.Options{Env: func(string) string { return "" }}}}
	a.files.State = t.TempDir()
	opened := &cobra.Command{}
	opened.SetContext(t.Context())
	host := &consoleHost{app: a, cmd: opened, cfg: &config.Config{Current: x, Contexts: []config.Context{x}}}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // who answers is asked only
	}}
	ask := func() (int, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+address+"/v1/journal", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		return response.StatusCode, response.Body.Close()
	}
	first, err := host.open("x", func(text string) { t.Errorf("the first console is told: %s", text) })
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	second, err := host.open("x", func(text string) { told = append(told, text) })
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(told, "; "); !strings.Contains(got, "taking pushed journals") || !strings.Contains(got, "in use") || second.Logs == nil {
		t.Errorf("the second console is told %q", got)
	}
	second.Close()
	if code, err := ask(); err != nil || code != http.StatusUnauthorized {
		t.Errorf("a sender without a token gets %d, %v", code, err)
	}
	first.Close()
	if code, err := ask(); err == nil {
		t.Errorf("after the end somebody answers %d", code)
	}
}
