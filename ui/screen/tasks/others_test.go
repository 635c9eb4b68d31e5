package tasks_test

import (
	"testing"
	"testing/synctest"

	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/screen/tasks"
)

// TestTasksOfAnotherUser checks that an operator can retry, cancel and stop following the tasks of another user. For
// a viewer, these actions are disabled with the reason that the role does not allow them.
func TestTasksOfAnotherUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const viewer = "your role is viewer"
		for user, want := range map[string]string{"ben": "", "vera": viewer} {
			r := screentest.New(t, nodes(6)...)
			r.Sync()
			all := r.Env.Tasks
			anna := all.For("anna", nil)
			ended, runs := finished(), running()
			runs.Cancels = &provision.Cancels{}
			anna.Add(ended)
			anna.Add(runs)
			r.Env.Tasks = all.For(user, nil)
			if want != "" {
				r.Env.ReadOnly, r.Env.Session.Context.ReadOnly, r.Env.Session.Context.WhyReadOnly = true, true, viewer
			}
			for _, tt := range []struct {
				number int
				id     action.ID
			}{{1, action.Retry}, {2, action.CancelNode}, {2, action.StopFollowing}} {
				s := tasks.NewTask(r.Env, tt.number)
				r.Open(s)
				if why := s.DisabledReason(tt.id); why != want {
					t.Errorf("%s: %s: %q, want %q", user, tt.id, why, want)
				}
			}
		}
	})
}
