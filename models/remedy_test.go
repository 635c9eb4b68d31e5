package models

import (
	"errors"
	"fmt"
	"testing"
)

func TestOnScreenNamesKeysWhereErrorNamesCommands(t *testing.T) {
	t.Parallel()
	refused := &Refusal{Action: "deploy", Node: "n1", Why: "no disks", Hint: "run ironworks inspect n1", ScreenHint: "inspect the node (I)"}
	noRedfish, ipmiOnly := &NoRedfishError{Node: "n1"}, &NoRedfishError{Node: "n1", IPMI: "10.0.0.1"}
	for name, c := range map[string]struct {
		err    error
		screen string
	}{
		"nothing":         {nil, ""},
		"no remedy":       {errors.New("timeout"), "timeout"},
		"refusal":         {refused, "deploy n1: no disks; inspect the node (I)"},
		"no key":          {&Refusal{Action: "set", Why: "no name", Hint: "name the node"}, "set: no name; name the node"},
		"other reason":    {&Refusal{Action: "deploy", Why: "see ironworks node", ScreenWhy: "open the node"}, "deploy: open the node"},
		"no Redfish":      {noRedfish, "node n1 has no redfish_address in driver_info; run :set on the node: driver_info.redfish_address=https://HOST"},
		"wrapped":         {fmt.Errorf("read: %w, twice", refused), "read: deploy n1: no disks; inspect the node (I), twice"},
		"joined":          {errors.Join(errors.New("timeout"), refused), "timeout\ndeploy n1: no disks; inspect the node (I)"},
		"remedy":          {&RemedyError{Err: errors.New("stopped"), Hint: "ironworks unhold n1", ScreenHint: "unhold (H)"}, "stopped (unhold (H))"},
		"remedy of both":  {&RemedyError{Err: refused, Hint: "ironworks x", ScreenHint: "x"}, "deploy n1: no disks; inspect the node (I) (x)"},
		"empty inner":     {fmt.Errorf("read%w", errors.New("")), "read"},
		"IPMI in wrapper": {fmt.Errorf("query: %w", ipmiOnly), "query: " + ipmiOnly.OnScreen()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := OnScreen(c.err); got != c.screen {
				t.Errorf("said  %s\nwant  %s", got, c.screen)
			}
		})
	}
	for _, err := range []*RemedyError{{Err: refused, Hint: "ironworks x", ScreenHint: "x"}} {
		if want := "deploy n1: no disks; run ironworks inspect n1 (ironworks x)"; err.Error() != want {
			t.Errorf("the command line says %q, want %q", err.Error(), want)
		}
	}
}
