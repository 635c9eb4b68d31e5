package contract

import (
	"fmt"
	"strings"
	"testing"
)

// provisionState is a provision state that a client can see.
type provisionState struct {
	name string
	// target is the target provision state that a node in this state usually has.
	target string
	// since is the minor API version that introduced the state.
	since int
	// updatable and deletable report whether a node in this state can be patched and deleted.
	updatable, deletable bool
}

var states = []provisionState{
	{name: "enroll", updatable: true, deletable: true},
	{name: "verifying", target: "manageable", updatable: true},
	{name: "manageable", updatable: true, deletable: true},
	{name: "available", updatable: true, deletable: true},
	{name: "active", updatable: true},
	{name: "error", target: "available", updatable: true},
	{name: "deploying", target: "active"},
	{name: "wait call-back", target: "active"},
	{name: "deploy hold", target: "active", since: 85},
	{name: "deploy failed", target: "active", updatable: true},
	{name: "deleting", target: "available"},
	{name: "cleaning", target: "available"},
	{name: "clean wait", target: "available"},
	{name: "clean hold", target: "manageable", since: 85},
	{name: "clean failed", target: "available", updatable: true},
	{name: "inspecting", target: "manageable"},
	{name: "inspect wait", target: "manageable", updatable: true},
	{name: "inspect failed", target: "manageable", updatable: true},
	{name: "adopting", target: "active"},
	{name: "adopt failed", target: "active", updatable: true, deletable: true},
	{name: "rescuing", target: "rescue"},
	{name: "rescue wait", target: "rescue"},
	{name: "rescue failed", target: "rescue", updatable: true},
	{name: "rescue", updatable: true},
	{name: "unrescuing", target: "active"},
	{name: "unrescue failed", target: "active", updatable: true},
	{name: "servicing", target: "active", since: 87},
	{name: "service wait", target: "active", since: 87},
	{name: "service hold", target: "active", since: 87, updatable: true},
	{name: "service failed", target: "active", since: 87, updatable: true},
}

// verb is a target of PUT states/provision.
type verb struct {
	name string
	// since is the minor API version that introduced the verb.
	since int
	// more holds additional members of the request body, with a leading comma.
	more string
}

var verbs = []verb{
	{name: "active"},
	{name: "deploy"},
	{name: "rebuild"},
	{name: "deleted"},
	{name: "undeploy"},
	{name: "manage"},
	{name: "provide"},
	{name: "inspect"},
	{name: "abort"},
	{name: "clean", more: `, "clean_steps": [{"interface": "bios", "step": "factory_reset"}]`},
	{name: "adopt"},
	{name: "rescue", more: `, "rescue_password": "secret"`},
	{name: "unrescue"},
	{name: "unhold", since: 85},
	{name: "service", since: 87, more: `, "service_steps": [{"interface": "vendor", "step": "log_passthrough"}]`},
}

// matrix sends every verb to a node in every state. outcomes lists the legal combinations and the states in which the
// node ends up. Ironic must reject all other combinations.
func matrix(t *testing.T, s *Subject, count *tally) {
	t.Helper()
	t.Run("provision", func(t *testing.T) {
		for _, from := range states {
			for _, v := range verbs {
				if !s.has(from.since) || !s.has(v.since) {
					count.tooNew.Add(1)
					continue
				}
				t.Run(strings.ReplaceAll(from.name, " ", "-")+"/"+v.name, func(t *testing.T) {
					t.Parallel()
					count.ran.Add(1)
					cell(t, s, from, v)
				})
			}
		}
	})
}

// cell sends a verb to a node in the given provision state. It checks the response, and the state in which the node
// ends up.
func cell(t *testing.T, s *Subject, from provisionState, v verb) {
	t.Helper()
	c := newSession(t, s)
	c.set(from.name + " > " + from.target)
	want := expected(from.name, v, s.Kind)
	ask := step{call: "PUT /v1/nodes/{node}/states/provision", body: fmt.Sprintf(`{"target": %q%s}`, v.name, v.more), want: want}
	a := c.send(ask)
	got := c.render(a, "")
	if a.status == 202 {
		got = "202 > " + c.settled(strings.TrimPrefix(want, "202 > "))
	}
	if got != want {
		t.Errorf("%s of a node in %s\n want: %s\n  got: %s", v.name, from.name, want, got)
	}
}

// settled waits until the node is unlocked and in the wanted state, or until patience has passed, and returns its
// state.
func (c *session) settled(want string) string {
	c.t.Helper()
	s := step{call: "GET /v1/nodes/{node}?fields=provision_state,reservation"}
	last := c.poll(s, func(a answer) bool {
		return lookUp(a.body, "reservation") == nil && lookUp(a.body, "provision_state") == want
	})
	state, _ := lookUp(last.body, "provision_state").(string)
	if lookUp(last.body, "reservation") != nil {
		return state + ", but locked"
	}
	return state
}

// expected returns the required outcome of a verb in a state: "202 > " and the state in which the node ends up, or an
// error.
func expected(state string, v verb, kind Kind) string {
	outcome, legal := outcomes[state][v.name]
	if kind == Old && v.name == "abort" && state == "wait call-back" {
		legal = false // Ironic has allowed this since API 1.110
	}
	switch {
	case !legal:
		return fmt.Sprintf(`400 The requested action "%s" can not be performed on node "{node}" while it is in state "%s".`, v.name, state)
	case v.name == "rebuild" && kind != Old:
		// 39.0.0 cannot rebuild a node without an image.
		return "500 cannot access local variable 'auto_lessee' where it is not associated with a value"
	case strings.HasPrefix(outcome, "Driver "):
		return "400 " + outcome
	default:
		return "202 > " + outcome
	}
}

// outcomes maps the legal combinations of state and verb to the state that a node of fake hardware ends in.
var outcomes = map[string]map[string]string{
	"enroll": {
		"manage": "manageable",
	},
	"manageable": {
		"provide": "available",
		"inspect": "manageable",
		"clean":   "manageable",
		"adopt":   "active",
	},
	"available": {
		"active": "active",
		"deploy": "active",
		"manage": "manageable",
	},
	"active": {
		"rebuild":  "active",
		"deleted":  "available",
		"undeploy": "available",
		"rescue":   "rescue",
		"service":  "active",
	},
	"error": {
		"rebuild":  "active",
		"deleted":  "available",
		"undeploy": "available",
	},
	"wait call-back": {
		"deleted":  "available",
		"undeploy": "available",
		"abort":    "deploy failed",
	},
	"deploy hold": {
		"abort":  "deploy failed",
		"unhold": "wait call-back",
	},
	"deploy failed": {
		"active":   "active",
		"deploy":   "active",
		"rebuild":  "active",
		"deleted":  "available",
		"undeploy": "available",
	},
	"deleting": {
		"clean": "manageable",
	},
	"cleaning": {
		"manage": "manageable",
	},
	"clean wait": {
		"abort": "clean failed",
	},
	"clean hold": {
		"abort":  "clean failed",
		"unhold": "clean wait",
	},
	"clean failed": {
		"manage": "manageable",
	},
	"inspect wait": {
		"abort": "Driver fake-hardware does not support abort (disabled or not implemented).",
	},
	"inspect failed": {
		"manage":  "manageable",
		"inspect": "manageable",
	},
	"adopt failed": {
		"manage": "manageable",
		"adopt":  "active",
	},
	"rescue wait": {
		"deleted":  "available",
		"undeploy": "available",
		"abort":    "rescue failed",
	},
	"rescue failed": {
		"deleted":  "available",
		"undeploy": "available",
		"rescue":   "rescue",
		"unrescue": "active",
	},
	"rescue": {
		"deleted":  "available",
		"undeploy": "available",
		"rescue":   "rescue",
		"unrescue": "active",
	},
	"unrescue failed": {
		"deleted":  "available",
		"undeploy": "available",
		"rescue":   "rescue",
		"unrescue": "active",
	},
	"service wait": {
		"deleted":  "available",
		"undeploy": "available",
		"abort":    "active",
	},
	"service hold": {
		"abort":   "active",
		"unhold":  "service failed",
		"service": "active",
	},
	"service failed": {
		"deleted":  "available",
		"undeploy": "available",
		"abort":    "active",
		"rescue":   "rescue",
		"service":  "active",
	},
}
