// Package machines runs the behaviors of nodes that have a machine, on machines of the lab. It is a separate package
// because the other behaviors do not depend on the lab: their results with real Ironics stay in Go's test cache when
// the lab changes.
package machines

import (
	"sync/atomic"
	"testing"
	"time"

	"ironworks/agent"
	"ironworks/lab"
	"ironworks/test/contract"
)

// speed is the factor by which the machines run faster than real time.
const speed = 12

// stepDelay is the time that a step of a long-step machine takes, in machine time.
const stepDelay = 4 * speed * time.Second

// Run runs the behaviors that the subject's API version supports, and returns their number.
func Run(t *testing.T, s *contract.Subject, behaviors []contract.MachineBehavior) int {
	t.Helper()
	var ran atomic.Int64
	t.Run("machines", func(t *testing.T) {
		var members []lab.Member
		for _, b := range behaviors {
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
		for i, b := range behaviors {
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
