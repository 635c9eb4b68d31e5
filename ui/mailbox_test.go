package ui

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"ironworks/fleet"
	"ironworks/models"
)

func TestMailboxJoinsWhatWasNotTaken(t *testing.T) {
	t.Parallel()
	m := newMailbox[[]int]()
	for i := range 3 {
		m.put(func(list *[]int) { *list = append(*list, i) })
	}
	if got, ok := m.take(t.Context()); !ok || !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v, %v", got, ok)
	}
	m.put(func(list *[]int) { *list = append(*list, 3) })
	m.close()
	if got, ok := m.take(t.Context()); !ok || !slices.Equal(got, []int{3}) {
		t.Errorf("before the end: %v, %v", got, ok)
	}
	for range 2 { // whoever asks, and however often
		if _, ok := m.take(t.Context()); ok {
			t.Error("there is something after the end")
		}
	}
}

func TestMailboxWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox[news]()
		ctx, cancel := context.WithCancel(t.Context())
		taken := make(chan bool)
		take := func() { _, ok := m.take(ctx); taken <- ok }
		go take()
		synctest.Wait()
		push(m)(fleet.Update{Events: []models.Event{{To: "a"}}})
		if !<-taken {
			t.Error("nothing was taken")
		}
		go take()
		synctest.Wait()
		cancel()
		if <-taken {
			t.Error("something was taken after the end")
		}
	})
}

func TestNewsOfASessionAreJoined(t *testing.T) {
	t.Parallel()
	m := newMailbox[news]()
	push(m)(fleet.Update{Revision: 1, Events: []models.Event{{To: "a"}}})
	notice(m)("slow")
	push(m)(fleet.Update{Revision: 2, Events: []models.Event{{To: "b"}}})
	n, _ := m.take(t.Context())
	if n.update.Revision != 2 || len(n.update.Events) != 2 || n.update.Events[0].To != "a" || !slices.Equal(n.notices, []string{"slow"}) {
		t.Errorf("%+v", n)
	}
}
