package cmd

import (
	"testing"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/session"
)

// TestCommandsAndConsoleUseThePoliciesOfTheContext checks that commands and the console apply the context's policies
// for checks, even after the console has switched to another context.
func TestCommandsAndConsoleUseThePoliciesOfTheContext(t *testing.T) {
	t.Parallel()
	strict := config.Context{
		Name: "strict", Connection: models.Connection{Endpoint: "http://127.0.0.1:1", Auth: models.AuthNone},
		Checks: map[plan.CheckID]plan.CheckPolicy{plan.CheckSingleDisk: plan.PolicyRefuse},
	}
	lax := strict
	lax.Name, lax.Checks = "lax", nil
	a := newApp(cli.Process{Options: config.Options{Env: func(string) string { return "" }}})
	a.Files.State = t.TempDir()
	opened := &cobra.Command{}
	opened.SetContext(t.Context())
	host := &consoleHost{app: a, cmd: opened, cfg: &config.Config{Current: strict, Contexts: []config.Context{strict, lax}}}
	for name, want := range map[string]plan.CheckPolicy{"strict": plan.PolicyRefuse, "lax": ""} {
		s, err := host.open(name, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Checks.Policy[plan.CheckSingleDisk]; got != want || s.Checks.Images == nil {
			t.Errorf("the console's %s has %q, want %q", name, got, want)
		}
		s.Close()
	}
	s, err := session.Open(a.Host(), strict, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Preflighter().Policy[plan.CheckSingleDisk]; got != plan.PolicyRefuse {
		t.Errorf("a command has %q", got)
	}
}
