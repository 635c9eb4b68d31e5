package models

import "testing"

func TestEventText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		event Event
		want  string
	}{
		{"a state", Event{Kind: EventProvisionState, From: "enroll", To: "manageable"}, "enroll → manageable"},
		{"power that was not known", Event{Kind: EventPower, To: "power on"}, "power on"},
		{"with a reason", Event{Kind: EventProvisionState, From: "deploying", To: "deploy failed", Reason: "no disk"}, "deploying → deploy failed  no disk"},
		{"passed unseen", Event{Kind: EventProvisionState, From: "enroll", To: "manageable", Inferred: true}, "enroll → manageable  (inferred)"},
		{"hostile", Event{Kind: EventError, Reason: "a\x1b[31mb"}, `error: a\x1b[31mb`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.event.Text(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
