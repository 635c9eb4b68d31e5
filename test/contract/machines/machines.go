// Package machines runs the behaviours of nodes that have a machine, on machines of the lab.
// It stands apart from the others: the answers of real Ironics to those do not depend on
// the lab, and stay in Go's cache when the lab changes.
package machines

import (
	"sync/atomic"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/lab/agent"
	"ironworks/test/contract"
)

// speed is how many times faster than in life the machines are.
const speed = 12

// stepDelay is what each step of a long-step machine takes in its own time.
const stepDelay = 4 * speed * time.Second

// Run runs behaviours against a subject and returns how many ran.
func Run(t *testing.T, s *contract.Subject, behaviours []contract.MachineBehaviour) int {
	t.Helper()
	var ran atomic.Int64
	t.Run("machines", func(t *testing.T) {
		var members []lab.Member
		for _, b := range behaviours {
			scenario := lab.Scenario{Name: b.Scenario, Agent: agent.Faults{StepDelay: stepDelay}}
			if b.Scenario != "long-step" {
				var err error
				if scenario, err = lab.FindScenario(b.Scenario); err != nil {
					t.Fatal(err)
				}
			}
			members = append(members, lab.Member{Name: b.Name(), Scenario: scenario})
		}
		options := lab.Options{IronicURL: s.URL, Speed: speed, PlainAgents: true, OneBMC: true, Agent: lab.NewestAgent, Dir: t.TempDir()}
		if s.Kind == contract.Old {
			options.Agent = lab.OldAgent
		}
		l, err := lab.Start(t.Context(), options, members)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		for i, b := range behaviours {
			if !b.In(s) {
				continue
			}
			t.Run(b.Name(), func(t *testing.T) {
				t.Parallel()
				ran.Add(1)
				e := l.Machines()[i].Enrollment("contract", map[string]string{"deploy": "custom-agent", "inspect": "redfish", "rescue": "agent"})
				b.Run(t, s, e.Node, e.Ports)
			})
		}
	})
	return int(ran.Load())
}
