package serve

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	// maxFetches limits the number of downloads in the log. The least recently used downloads are removed first.
	maxFetches = 4096
	// progressEvery is the minimum time between progress events of a download, and rateOver for measuring a rate.
	progressEvery = 200 * time.Millisecond
	rateOver      = time.Second
	// refusedEvery is the minimum time between two events of the same kind that do not belong to a download.
	refusedEvery = time.Second
)

type fetchKey struct {
	item   *entry
	remote netip.Addr
}

type fetchLog struct {
	who     func(netip.Addr) string
	onEvent func(Event)

	mu      sync.Mutex
	fetches map[fetchKey]*tally
	order   int

	refused, failed rateLimit
}

type tally struct {
	Fetch
	covered covered
	order   int
	aborted bool
	// answered reports whether at least one request with content was completed.
	answered bool
	// lastProgress is the time of the last progress event. At rateStart, rateStartSent bytes had been sent.
	lastProgress, rateStart time.Time
	rateStartSent           int64
	rate                    float64
}

// rateLimit decides when an event may be reported, and counts the events since the last report.
type rateLimit struct {
	last  time.Time
	count int
}

// due counts an event and returns the number of events to report, or 0 if it is too early for a report.
func (m *rateLimit) due(now time.Time) int {
	m.count++
	if !m.last.IsZero() && now.Sub(m.last) < refusedEvery {
		return 0
	}
	n := m.count
	m.last, m.count = now, 0
	return n
}

// sizeUnknown is the size of an item that could not be opened.
const sizeUnknown = -1

func (l *fetchLog) request(e *entry, remote netip.Addr, agent string, head bool, size int64) *tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	key := fetchKey{e, remote}
	t := l.fetches[key]
	if t == nil {
		l.makeRoom()
		l.order++
		t = &tally{order: l.order, rateStart: now}
		t.Item, t.Remote, t.Began, t.Last = e.shown(), remote, now, now
		l.fetches[key] = t
	}
	if l.who != nil {
		t.Who = l.who(remote)
	}
	if size != sizeUnknown && t.Size != size { // the content has changed, so bytes sent earlier do not count
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

// makeRoom removes the least recently used download. Active downloads stay; connections limit their number.
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

// began records that the server starts sending the item. whole means that the server sends the whole item and not
// only a range of it. If the client already has the whole item and requests all of it again, this counts as a new
// download, because the machine has booted again.
func (l *fetchLog) began(t *tally, whole bool) {
	l.mu.Lock()
	now := time.Now()
	if whole && t.Active == 1 && t.now(now).State == Done {
		t.covered, t.Sent, t.answered, t.Began = covered{}, 0, false, now
	}
	t.lastProgress, t.aborted = now, false
	if t.Active == 1 {
		t.rateStart, t.rateStartSent, t.rate = now, t.Sent, 0
	}
	event := Event{Time: now, Kind: EventBegan, Fetch: t.now(now)}
	l.mu.Unlock()
	l.emit(event)
}

func (l *fetchLog) sent(t *tally, at, n int64) {
	l.mu.Lock()
	now := time.Now()
	t.Sent += n
	t.Last = now
	t.covered.add(at, at+n)
	if since := now.Sub(t.rateStart); since >= rateOver {
		t.rate = float64(t.Sent-t.rateStartSent) / since.Seconds()
		t.rateStart, t.rateStartSent = now, t.Sent
	}
	due := now.Sub(t.lastProgress) >= progressEvery
	if due {
		t.lastProgress = now
	}
	event := Event{Time: now, Kind: EventProgress, Fetch: t.now(now)}
	l.mu.Unlock()
	if due {
		l.emit(event)
	}
}

// ended records the end of a request. content reports whether the response contained the item's bytes. cut means that
// not all bytes were sent. failure describes an error on the server's side, or is empty.
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
	l.emit(event)
}

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
		l.emit(event)
	}
}

func (l *fetchLog) fail(text string) {
	l.mu.Lock()
	now := time.Now()
	n := l.failed.due(now)
	l.mu.Unlock()
	if n > 0 {
		l.emit(Event{Time: now, Kind: EventFailed, Text: text, Count: n})
	}
}

func (l *fetchLog) emit(e Event) {
	if l.onEvent != nil {
		l.onEvent(e)
	}
}

func (l *fetchLog) all() []Fetch {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	tallies := slices.SortedFunc(maps.Values(l.fetches), func(a, b *tally) int { return cmp.Compare(a.order, b.order) })
	fetches := make([]Fetch, len(tallies))
	for i, t := range tallies {
		fetches[i] = t.now(now)
	}
	return fetches
}

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
		f.State = Partial
	default:
		f.State = Asked
	}
	f.Rate = t.rateNow(now)
	return f
}

// rateNow returns the rate of the last complete measurement. Without one, or if the current measurement has taken too
// long, it is the rate of the current measurement. It becomes 0 after rateOver without a running request.
func (t *tally) rateNow(now time.Time) float64 {
	since := now.Sub(t.rateStart)
	switch {
	case t.Active == 0 && since >= rateOver:
		return 0
	case t.rate > 0 && since < 2*rateOver:
		return t.rate
	case since <= 0:
		return 0
	}
	return float64(t.Sent-t.rateStartSent) / since.Seconds()
}

// maxSpans limits the memory for clients with scattered requests. BMCs cause only a few hundred spans.
const maxSpans = 4096

// span is the half-open byte range [start, end).
type span struct{ start, end int64 }

// covered counts the distinct bytes of an item that were sent, or fewer if there are more than [maxSpans] spans.
type covered struct {
	// spans are sorted and neither overlap nor touch each other.
	spans []span
	sum   int64
}

func (c *covered) add(start, end int64) {
	if start >= end {
		return
	}
	// The spans in c.spans[first:last] overlap or touch the new span.
	first, _ := slices.BinarySearchFunc(c.spans, start, func(s span, start int64) int {
		if s.end < start {
			return -1
		}
		return 1
	})
	last := first
	for last < len(c.spans) && c.spans[last].start <= end {
		start, end = min(start, c.spans[last].start), max(end, c.spans[last].end)
		c.sum -= c.spans[last].end - c.spans[last].start
		last++
	}
	if first == last && len(c.spans) >= maxSpans {
		return
	}
	c.spans = slices.Replace(c.spans, first, last, span{start, end})
	c.sum += end - start
}
