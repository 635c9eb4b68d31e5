package agentlog

import (
	"hash/maphash"
	"time"
)

// What podman writes while it is attached to a container stands in the journal twice:
// once as the container's, once as what podman itself printed in the agent's unit.
// twice finds the second of such two.
type twice struct {
	seed    maphash.Seed
	waiting map[uint64]waiting
	order   []uint64
}

// waiting are lines whose second has not come.
type waiting struct {
	container bool // they are the container's
	count     int
	at        time.Time
}

const (
	mostWaiting = 512
	twiceTime   = 10 * time.Second // between the two, by the journal's clock
)

// second says whether an entry is the second of two. One of the same side never is: a
// program may say a thing twice.
func (t *twice) second(e *journalEntry, message []byte) bool {
	container := len(e.Container) > 0
	if !container && string(e.Identifier) != "podman" || len(message) == 0 {
		return false
	}
	if t.waiting == nil {
		t.seed, t.waiting = maphash.MakeSeed(), map[uint64]waiting{}
	}
	key, at := maphash.Bytes(t.seed, message), e.time()
	w, known := t.waiting[key]
	if known && w.container != container && w.count > 0 && at.Sub(w.at).Abs() <= twiceTime {
		w.count--
		t.waiting[key] = w
		return true
	}
	if !known {
		if len(t.order) >= mostWaiting {
			delete(t.waiting, t.order[0])
			t.order = append(t.order[:0], t.order[1:]...)
		}
		t.order = append(t.order, key)
	}
	if w.container != container || at.Sub(w.at).Abs() > twiceTime {
		w.count = 0
	}
	t.waiting[key] = waiting{container: container, count: w.count + 1, at: at}
	return false
}
