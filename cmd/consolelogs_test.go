package cmd

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/models"
)

// TestConsoleReceivesPushedJournals checks that a console receives pushed journals while a context with a receiver is
// open, and that a second console takes over when the first one ends.
func TestConsoleReceivesPushedJournals(t *testing.T) {
	t.Parallel()
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t, "127.0.0.1"))
	x := config.Context{
		Name: "x", Connection: models.Connection{Endpoint: "http://127.0.0.1:1", Auth: models.AuthNone}, Logs: config.Logs{Listen: address},
	}
	y := x
	y.Name = "y"
	a := newApp(cli.Process{Options: config.Options{Env: func(string) string { return "" }}})
	a.Files.State = t.TempDir()
	opened := &cobra.Command{}
	opened.SetContext(t.Context())
	host := &consoleHost{app: a, cmd: opened, cfg: &config.Config{Current: x, Contexts: []config.Context{x, y}}}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // only checks that the receiver answers
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
	// answers waits until the receiver answers or, if want is false, until it no longer answers.
	answers := func(want bool) {
		t.Helper()
		deadline := time.After(20 * time.Second)
		for {
			code, err := ask()
			if want && err == nil && code != http.StatusUnauthorized {
				t.Fatalf("a sender without a token gets %d", code)
			}
			if (err == nil) == want {
				return
			}
			select {
			case <-deadline:
				t.Fatalf("answers: %v, want %v", err, want)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	first, err := host.open("x", func(text string) { t.Errorf("the first console is told: %s", text) })
	if err != nil {
		t.Fatal(err)
	}
	answers(true)
	lines := make(chan string, 10)
	second, err := host.open("x", func(text string) { lines <- text })
	if err != nil {
		t.Fatal(err)
	}
	if second.Logs == nil {
		t.Error("the second console has no logs")
	}
	if got := <-lines; !strings.Contains(got, "cannot receive pushed journals at "+address) || !strings.Contains(got, "in use") {
		t.Errorf("the second console is told %q", got)
	}
	first.Close()
	answers(true) // the second console took over
	// Context y uses the same address. When the console switches contexts, it opens the new session before it closes
	// the old one.
	third, err := host.open("y", func(text string) { t.Errorf("the third console is told: %s", text) })
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	answers(true)
	third.Close()
	answers(false)
}
