package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
	"ironworks/test/weather"
	"ironworks/ui/action"
)

// placeOfScope describes a screen on which the tests try the actions of a scope, except those that change nothing.
type placeOfScope struct {
	// open goes to the screen from the fleet; shows is text that the screen contains.
	open  func(s *screenConsole)
	shows string
	// closed is the reason why a viewer cannot open the screen, if there is one. The viewer then cannot reach the
	// screen's actions either.
	closed string
}

const (
	viewersText = "requires the operator role; your role is viewer"
	servedText  = "not available over SSH"
)

// placesOfScopes returns a screen for each scope with actions that change something.
func placesOfScopes(node string) map[action.Scope]placeOfScope {
	tab := func(name string) func(s *screenConsole) {
		return func(s *screenConsole) {
			s.press(terminal.Enter)
			s.until("› " + node)
			s.pick("?", helpTitle, name)
		}
	}
	named := func(name string) func(s *screenConsole) {
		return func(s *screenConsole) { s.pick(":", paletteTitle, name) }
	}
	try := func(key string) func(s *screenConsole) { return func(s *screenConsole) { s.press(key) } }
	return map[action.Scope]placeOfScope{
		action.Everywhere: {open: func(*screenConsole) {}, shows: "› fleet"},
		action.Nodes:      {open: func(*screenConsole) {}, shows: "› fleet"},
		action.Node:       {open: tab("overview"), shows: "[Overview]"},
		action.NodeDisks:  {open: tab("disks"), shows: "[Disks]"},
		action.NodeNet:    {open: tab("network"), shows: "[Network]"},
		action.NodeBMC:    {open: tab("bmc"), shows: "[BMC]"},
		action.Log:        {open: tab("log"), shows: "[Log]"},
		action.Rules:      {open: named("rules"), shows: "› rules"},
		action.StepFiles:  {open: named("runbooks"), shows: "› runbooks"},
		action.Hardware:   {open: named("bios"), shows: "› hardware"},
		action.Compare:    {open: named("compare"), shows: "› compare"},
		action.Ignition:   {open: try("6"), shows: "ignition: " + servedText, closed: servedText},
		action.Enroll:     {open: try("n"), shows: "enroll: " + viewersText, closed: viewersText},
		action.Review:     {open: try("d"), shows: "deploy-wizard: " + viewersText, closed: viewersText},
	}
}

// TestServeViewerKeys tries, as a viewer, every action that changes something or makes Ironic contact a BMC. It tries
// each action by its key and by its name. The screen must show the reason for each refusal, and nothing may be sent.
// A new scope with such actions fails the test.
func TestServeViewerKeys(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		p := weather.Start(t, server.URL)
		node, _, _ := redfishNode(t, server, "ok")
		v := servedAt(t, p.URL, "nobody")
		s := v.screen("vera")
		s.filterFor(node)
		tried := 0
		places := placesOfScopes(node)
		for _, a := range action.All() {
			if !a.Changes && a.ID != action.Validate {
				continue
			}
			at, known := places[a.Scope]
			if !known {
				t.Errorf("%s: the test has no screen for the scope %q", a.ID, a.Scope)
				continue
			}
			s.press("1")
			s.until("› fleet")
			at.open(s)
			s.until(at.shows)
			if at.closed == "" {
				s.refusesAction(&a)
			}
			tried++
		}
		if sent := slices.DeleteFunc(p.Requests(), harmless); len(sent) > 0 {
			t.Errorf("a viewer's console has sent %v", sent)
		}
		if tried < 50 || len(v.c.auditLines()) > 0 {
			t.Errorf("%d actions tried; the audit has %v", tried, v.c.auditLines())
		}
		s.quits()
	})
}

// harmless reports whether a request only reads what Ironic knows, without contacting the BMC. The list of vendor
// methods is part of the driver (get_node_vendor_passthru_methods in ironic/conductor/manager.py).
func harmless(r weather.Request) bool {
	vendor := strings.Contains(r.Path, "/vendor_passthru") && !strings.HasSuffix(r.Path, "/vendor_passthru/methods")
	reaches := strings.HasSuffix(r.Path, "/validate") || strings.Contains(r.Path, "/management/") || vendor
	return r.Method == http.MethodGet && !reaches
}

// refusesAction tries an action by its key and by its name, and checks that the reason for the refusal is shown.
func (s *screenConsole) refusesAction(a *action.Action) {
	s.t.Helper()
	why := viewersText
	if a.ID == action.Shell {
		why = servedText // for all roles
	}
	if key := a.Key(); key != "" {
		s.press(terminal.CtrlL, key)
		s.until(string(a.ID) + ": " + why)
	}
	s.list(":", paletteTitle)
	s.press(string(a.ID))
	s.until("│ " + string(a.ID) + ": " + why)
	s.press(terminal.Enter)
	s.until("╭─ " + paletteTitle) // a disabled action cannot be chosen
	s.press(terminal.Esc)
	s.gone("╭─ " + paletteTitle)
}
