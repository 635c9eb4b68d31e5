package serve

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	// maxFetches bounds the log; those that were touched longest ago leave first.
	maxFetches = 4096
	// progressEvery is the least time between two events of progress of a fetch, and
	// rateOver the least time that a rate is measured over.
	progressEvery = 200 * time.Millisecond
	rateOver      = time.Second
	// refusedEvery is the least time between two events of what has no fetch.
	refusedEvery = time.Second
)

type fetchKey struct {
	item   *entry
	remote netip.Addr
}

// fetchLog keeps what was fetched and tells it.
type fetchLog struct {
	who     func(netip.Addr) string
	onEvent func(Event)

	mu      sync.Mutex
	fetches map[fetchKey]*tally
	order   int

	refused, failed muffled
}

// tally is a fetch that goes on.
type tally struct {
	Fetch
	covered covered
	order   int
	aborted bool
	// answered says that content was sent to the end of a request.
	answered bool
	// told is when progress was last told; mark and markSent begin the time over which
	// the rate is measured.
	told, mark time.Time
	markSent   int64
	rate       float64
}

// muffled counts what would be too many events.
type muffled struct {
	last  time.Time
	count int
}

// due counts one more and says how many are to be told of now, 0 for none.
func (m *muffled) due(now time.Time) int {
	m.count++
	if !m.last.IsZero() && now.Sub(m.last) < refusedEvery {
		return 0
	}
	n := m.count
	m.last, m.count = now, 0
	return n
}

// sizeUnknown is that of an item that could not be opened.
const sizeUnknown = -1

// request begins to log a request.
func (l *fetchLog) request(e *entry, remote netip.Addr, agent string, head bool, size int64) *tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	key := fetchKey{e, remote}
	t := l.fetches[key]
	if t == nil {
		l.makeRoom()
		l.order++
		t = &tally{order: l.order, mark: now}
		t.Item, t.Remote, t.Began, t.Last = e.shown(), remote, now, now
		l.fetches[key] = t
	}
	if l.who != nil {
		t.Who = l.who(remote)
	}
	if size != sizeUnknown && t.Size != size { // another content: what was sent is of no use
		t.covered, t.Size, t.answered = covered{}, size, false
	}
	t.Agent, t.Last = agent, now
	t.Requests++
	t.Active++
	if head {
		t.Heads++
	}
	return t
}

// makeRoom lets the fetch go that was touched longest ago, if there are too many. One
// that is going on stays, but never more than there are connections.
func (l *fetchLog) makeRoom() {
	if len(l.fetches) < maxFetches {
		return
	}
	var oldest fetchKey
	var found *tally
	for key, t := range l.fetches {
		if t.Active == 0 && (found == nil || t.Last.Before(found.Last)) {
			oldest, found = key, t
		}
	}
	if found != nil {
		delete(l.fetches, oldest)
	}
}

// began tells that content is going to be sent, the whole or a range. Who has had all
// and asks for the whole again begins a fetch of its own: a machine that boots again,
// not one that took twenty minutes.
func (l *fetchLog) began(t *tally, whole bool) {
	l.mu.Lock()
	now := time.Now()
	if whole && t.Active == 1 && t.now(now).State == Done {
		t.covered, t.Sent, t.answered, t.Began = covered{}, 0, false, now
	}
	t.told, t.aborted = now, false
	if t.Active == 1 {
		t.mark, t.markSent, t.rate = now, t.Sent, 0
	}
	event := Event{Time: now, Kind: EventBegan, Fetch: t.now(now)}
	l.mu.Unlock()
	l.tell(event)
}

// sent counts n bytes that begin at an offset of the item.
func (l *fetchLog) sent(t *tally, at, n int64) {
	l.mu.Lock()
	now := time.Now()
	t.Sent += n
	t.Last = now
	t.covered.add(at, at+n)
	if since := now.Sub(t.mark); since >= rateOver {
		t.rate = float64(t.Sent-t.markSent) / since.Seconds()
		t.mark, t.markSent = now, t.Sent
	}
	due := now.Sub(t.told) >= progressEvery
	if due {
		t.told = now
	}
	event := Event{Time: now, Kind: EventProgress, Fetch: t.now(now)}
	l.mu.Unlock()
	if due {
		l.tell(event)
	}
}

// ended closes what request began. Content was sent, or only headers; cut says that
// the client did not get all that it asked for, failure why we could not send it.
func (l *fetchLog) ended(t *tally, content, cut bool, failure string) {
	l.mu.Lock()
	now := time.Now()
	t.Active--
	if content {
		t.aborted = cut
		t.answered = t.answered || !cut
	}
	event := Event{Time: now, Kind: EventEnded, Text: failure}
	event.Fetch = t.now(now)
	switch {
	case failure != "":
		event.Kind = EventFailed
	case !content:
		event.Kind = EventAsked
	case cut:
		event.Kind = EventAborted
	case event.Fetch.Covered == t.Size:
		event.Kind = EventDone
	}
	l.mu.Unlock()
	l.tell(event)
}

// refuse tells of a request for what is not there.
func (l *fetchLog) refuse(remote netip.Addr, agent string) {
	l.mu.Lock()
	now := time.Now()
	n := l.refused.due(now)
	event := Event{Time: now, Kind: EventRefused, Fetch: Fetch{Remote: remote, Agent: agent}, Count: n}
	if l.who != nil {
		event.Fetch.Who = l.who(remote)
	}
	l.mu.Unlock()
	if n > 0 {
		l.tell(event)
	}
}

// fail tells of a failure that belongs to no request.
func (l *fetchLog) fail(text string) {
	l.mu.Lock()
	now := time.Now()
	n := l.failed.due(now)
	l.mu.Unlock()
	if n > 0 {
		l.tell(Event{Time: now, Kind: EventFailed, Text: text, Count: n})
	}
}

func (l *fetchLog) tell(e Event) {
	if l.onEvent != nil {
		l.onEvent(e)
	}
}

// forget drops what was fetched of an item that is no longer served.
func (l *fetchLog) forget(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.fetches {
		if key.item == e {
			delete(l.fetches, key)
		}
	}
}

// all lists the fetches in the order in which they began.
func (l *fetchLog) all() []Fetch {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	tallies := make([]*tally, 0, len(l.fetches))
	for _, t := range l.fetches {
		tallies = append(tallies, t)
	}
	slices.SortFunc(tallies, func(a, b *tally) int { return cmp.Compare(a.order, b.order) })
	fetches := make([]Fetch, len(tallies))
	for i, t := range tallies {
		fetches[i] = t.now(now)
	}
	return fetches
}

// now is the fetch as it is to be shown.
func (t *tally) now(now time.Time) Fetch {
	f := t.Fetch
	f.Covered = t.covered.sum
	switch {
	case (f.Sent > 0 || t.answered) && f.Covered == f.Size:
		f.State = Done
	case f.Active > 0:
		f.State = Fetching
	case t.aborted:
		f.State = Aborted
	case f.Sent > 0:
		f.State = Partly
	default:
		f.State = Asked
	}
	f.Rate = t.rateNow(now)
	return f
}

// rateNow is the rate of the last full measure; before the first one, and when nothing
// was sent for longer than one takes, that since the measure began.
func (t *tally) rateNow(now time.Time) float64 {
	since := now.Sub(t.mark)
	switch {
	case t.Active == 0 && since >= rateOver:
		return 0
	case t.rate > 0 && since < 2*rateOver:
		return t.rate
	case since <= 0:
		return 0
	}
	return float64(t.Sent-t.markSent) / since.Seconds()
}
