package models_test

import (
	"testing"
	"time"

	"ironworks/models"
)

func TestTypedNameIsTypeable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"r7-n01": "r7-n01", "节点": "u1", "r7\u202en01": "u1", "two words": "u1", "": "u1",
	} {
		n := models.Node{UUID: "u1", Name: name}
		if got := n.TypedName(); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestConsentByDanger(t *testing.T) {
	t.Parallel()
	for danger, want := range map[models.Danger]models.Consent{
		models.DangerNone: models.ConsentNone, models.DangerInterrupts: models.ConsentYes,
		models.DangerMayErase: models.ConsentTyped, models.DangerErases: models.ConsentTyped, 99: models.ConsentTyped,
	} {
		if got := danger.Consent(); got != want {
			t.Errorf("danger %d: consent %d, want %d", danger, got, want)
		}
	}
}

func TestErasedByCleaning(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 11, 25, 4, 0, 0, 0, time.UTC)
	work := func(change func(*models.Work)) models.Work {
		w := models.Work{
			Node: models.NodeRef{UUID: "u1"}, Kind: models.StateCleaning, End: end, Outcome: models.OutcomeDone,
			Phases: []models.Phase{{Kind: models.PhaseStep, Step: "deploy.erase_devices_metadata", Outcome: models.OutcomeDone}},
		}
		change(&w)
		return w
	}
	at := func(change func(*models.Node)) models.Node {
		n := models.Node{UUID: "u1", ProvisionState: models.StateAvailable, ProvisionUpdatedAt: models.Time{Time: end}}
		change(&n)
		return n
	}
	same, asCleaned := func(*models.Node) {}, func(*models.Work) {}
	for name, c := range map[string]struct {
		work models.Work
		node models.Node
		want bool
	}{
		"cleaned and at rest":        {work(asCleaned), at(same), true},
		"changed since":              {work(asCleaned), at(func(n *models.Node) { n.ProvisionUpdatedAt.Time = end.Add(time.Minute) }), false},
		"another node":               {work(asCleaned), at(func(n *models.Node) { n.UUID = "u2" }), false},
		"active":                     {work(asCleaned), at(func(n *models.Node) { n.ProvisionState = models.StateActive }), false},
		"reserved by an instance":    {work(asCleaned), at(func(n *models.Node) { n.InstanceUUID = "i1" }), false},
		"cleaning failed":            {work(func(w *models.Work) { w.Outcome = models.OutcomeFailed }), at(same), false},
		"a deployment":               {work(func(w *models.Work) { w.Kind = models.StateDeploying }), at(same), false},
		"cleaning without an erase":  {work(func(w *models.Work) { w.Phases[0].Step = "bios.apply_configuration" }), at(same), false},
		"erase step did not succeed": {work(func(w *models.Work) { w.Phases[0].Outcome = models.OutcomeFailed }), at(same), false},
		"no phase was observed":      {work(func(w *models.Work) { w.Phases = nil }), at(same), false},
	} {
		if got := c.work.Erased(&c.node); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
