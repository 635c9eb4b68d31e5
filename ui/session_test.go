package ui

import (
	"slices"
	"testing"

	"ironworks/fleet"
	"ironworks/mailbox"
	"ironworks/models"
)

func TestReportsOfASessionAreMerged(t *testing.T) {
	t.Parallel()
	m := mailbox.New[sessionReport]()
	push(m)(fleet.Update{Revision: 1, Events: []models.Event{{To: "a"}}})
	notice(m)("slow")
	push(m)(fleet.Update{Revision: 2, Events: []models.Event{{To: "b"}}})
	n, _ := m.Take(t.Context())
	if n.update.Revision != 2 || len(n.update.Events) != 2 || n.update.Events[0].To != "a" || !slices.Equal(n.notices, []string{"slow"}) {
		t.Errorf("%+v", n)
	}
}
