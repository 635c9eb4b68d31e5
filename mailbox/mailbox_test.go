package mailbox

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

func TestMailboxMergesPendingReports(t *testing.T) {
	t.Parallel()
	m := New[[]int]()
	for i := range 3 {
		m.Put(func(list *[]int) { *list = append(*list, i) })
	}
	if got, ok := m.Take(t.Context()); !ok || !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v, %v", got, ok)
	}
	m.Put(func(list *[]int) { *list = append(*list, 3) })
	m.Close()
	if got, ok := m.Take(t.Context()); !ok || !slices.Equal(got, []int{3}) {
		t.Errorf("before the end: %v, %v", got, ok)
	}
	for range 2 { // further calls return false, too
		if _, ok := m.Take(t.Context()); ok {
			t.Error("there is something after the end")
		}
	}
}

func TestMailboxWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New[int]()
		ctx, cancel := context.WithCancel(t.Context())
		taken := make(chan bool)
		receive := func() { _, ok := m.Take(ctx); taken <- ok }
		go receive()
		synctest.Wait()
		m.Put(func(n *int) { *n++ })
		if !<-taken {
			t.Error("nothing was taken")
		}
		go receive()
		synctest.Wait()
		cancel()
		if <-taken {
			t.Error("something was taken after the end")
		}
	})
}
