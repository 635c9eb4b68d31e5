package ui

import (
	"testing"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

// TestHeaderShowsTheAgeOfTheData checks that the header shows the age of the data, and not the time since Ironic last
// responded.
func TestHeaderShowsTheAgeOfTheData(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		now := time.Now()
		ago := func(d time.Duration) time.Time { return now.Add(-d) }
		live := fleet.Status{Connected: true, Complete: true, Answered: now, AsOf: ago(time.Second), Period: time.Second}
		for name, c := range map[string]struct {
			change func(s *fleet.Status)
			want   string
		}{
			"live":     {func(*fleet.Status) {}, "updated ≤1s ago"},
			"idle":     {func(s *fleet.Status) { s.Period, s.AsOf = 5*time.Second, ago(4*time.Second) }, "updated ≤5s ago"},
			"slow API": {func(s *fleet.Status) { s.Period, s.AsOf = 12*time.Second, ago(11*time.Second) }, "updated ≤20s ago"},
			"very slow API": {func(s *fleet.Status) {
				s.Period, s.AsOf, s.Latency = 95*time.Second, ago(90*time.Second), 9*time.Second
			}, "updated ≤2m00 ago"},
			"first listing":         {func(s *fleet.Status) { s.Complete, s.AsOf, s.Total = false, time.Time{}, 2000 }, "listing nodes: 9 of 2000"},
			"first listing, silent": {func(s *fleet.Status) { s.Complete, s.AsOf = false, time.Time{} }, "listing nodes: 9"},
			"in a burst":            {func(s *fleet.Status) { s.Behind, s.AsOf = true, ago(7*time.Second) }, "catching up · data 7s old"},
			"answers, but is late":  {func(s *fleet.Status) { s.AsOf = ago(45 * time.Second) }, "catching up · data 45s old"},
			"lost": {func(s *fleet.Status) {
				s.Connected, s.Fault, s.AsOf = false, &models.Fault{Kind: models.FaultRefused}, ago(31*time.Second)
			}, "refused · data 31s old · retrying now"},
			"lost in the first listing": {func(s *fleet.Status) {
				s.Connected, s.Complete, s.Fault, s.AsOf = false, false, &models.Fault{Kind: models.FaultRefused}, time.Time{}
			}, "refused · data incomplete · retrying now"},
		} {
			s := live
			c.change(&s)
			r.c.env.Status = s
			forms, _ := r.c.connectionForms()
			if got := forms[0]; got != c.want && forms[len(forms)-1] != c.want {
				t.Errorf("%s: %q, want %q", name, forms, c.want)
			}
		}
	})
}
