package node_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"ironworks/models"
	"ironworks/ui/screen/node"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
)

func TestHostileNames(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := deploying(t)
				n.Name, n.Owner, n.Description, n.LastError, n.MaintenanceReason, n.Maintenance = text, text, text, text, text, true
				n.InstanceUUID, n.Driver, n.ResourceClass = text, text, text
				n.Internal.AgentURL = text
				n.DeployStep.Step = text
				n.Internal.DeploySteps[0].Step = text
				n.Internal.DeploySteps[0].Args = map[string]any{text: text}
				n.Raw = nil
				r := screentest.New(t, n)
				r.API.PortList, r.API.Groups = ports()
				r.API.PortList[0].Name, r.API.PortList[0].Address, r.API.Groups[0].Name, r.API.Groups[0].Mode = text, text, text, text
				r.API.PortList[0].LocalLink = map[string]any{"switch_info": text, "port_id": []any{text}}
				r.API.Entries = history()
				r.API.Entries[0].Event, r.API.Entries[0].State, r.API.Entries[0].User, r.API.Entries[0].Severity = text, text, text, text
				r.Env.Session.Journal = &kept{works: []models.Work{{
					Kind: models.ProvisionState(text), Reason: text, Outcome: models.OutcomeFailed, ResourceClass: text,
					Phases: []models.Phase{{Kind: models.PhaseStep, Step: text}, {Kind: models.PhaseKind(text)}},
				}}}
				r.Sync()
				s := node.New(r.Env, n.UUID)
				r.Open(s)
				r.Deliver(s, r.Change(n.UUID, func(n *models.Node) { n.PowerState, n.Fault = models.PowerError, text }))
				for range 9 {
					screentest.CheckSizes(t, s)
					tab(t, r, s, 1)
				}
			})
		})
	}
}

func TestPlainError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t, deploying(t))
		r.Sync()
		r.API.Err = errors.New("boom\x1b[2J")
		s := node.New(r.Env, screentest.UUID(1))
		r.Open(s)
		screentest.Shows(t, s, 80, 20, `boom\x1b[2J`)
	})
}

func BenchmarkDraw(b *testing.B) {
	n := deploying(b)
	r := screentest.New(b, n)
	r.Sync()
	s := node.New(r.Env, n.UUID)
	r.Open(s)
	th := theme.New(theme.Options{})
	for b.Loop() {
		s.Draw(th, 200, 46)
	}
}
