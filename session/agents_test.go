package session

import (
	"testing"

	"ironworks/fleet"
	"ironworks/models"
)

func TestLastAgent(t *testing.T) {
	t.Parallel()
	if got := lastAgent(fleet.NewStore())(models.NodeRef{UUID: "u"}); got != "" {
		t.Errorf("a node that nobody knows is at %q", got)
	}
	x := newAgents([]models.Node{{UUID: "u", Internal: &models.Internal{AgentURL: "https://a"}}}, "")
	if got := x.Address(models.NodeRef{UUID: "u"}); got != "https://a" {
		t.Errorf("at %q", got)
	}
	x.given = "10.0.0.1"
	if got := x.Address(models.NodeRef{UUID: "u"}); got != "10.0.0.1" {
		t.Errorf("at %q", got)
	}
}
