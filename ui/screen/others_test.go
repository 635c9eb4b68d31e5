package screen

import (
	"slices"
	"sync"
	"testing"

	"ironworks/models"
	"ironworks/presence"
	"ironworks/provision"
)

// cleanAction is an action that implements only Name, because the tested messages mention only the name of an action.
type cleanAction struct{ provision.Action }

func (cleanAction) Name() string { return "clean" }

// TestOthers checks that the screens and tasks of other users are named, except on nodes that this user cannot see.
func TestOthers(t *testing.T) {
	t.Parallel()
	room := presence.NewRoom()
	anna := room.Enter(presence.Session{User: "anna"}, func() {})
	otto := room.Enter(presence.Session{User: "otto"}, func() {})
	var running sync.WaitGroup
	tasks := NewTaskList(t.Context(), &running)
	env := &Env{Seat: otto, Tasks: tasks.For("otto", func(uuid string) bool { return uuid == "a" })}
	nodes := []models.NodeRef{{UUID: "a", Name: "r7-n01"}, {UUID: "b", Name: "r7-n02"}}
	if got := env.Others(nodes); len(got) > 0 {
		t.Errorf("nobody else is there: %q", got)
	}
	one := taskOn("x", "a")
	one.Plan.Action = cleanAction{}
	tasks.For("anna", nil).Add(one)
	own := taskOn("b")
	own.Plan.Action = cleanAction{}
	env.Tasks.Add(own)
	anna.Look("node", nodes[1])
	want := []string{"anna is looking at r7-n02", "anna is acting on r7-n01: clean, task 1"}
	if got := env.Others(nodes); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	tasks.End(1, nil)
	anna.Leave()
	if got := env.Others(nodes); len(got) > 0 {
		t.Errorf("at the end: %q", got)
	}
	if got := (&Env{Tasks: tasks}).Others(nodes); got != nil {
		t.Errorf("without a server: %q", got)
	}
}
