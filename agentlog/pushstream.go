package agentlog

import (
	"net/netip"
	"sync"
	"time"

	"ironworks/models"
)

// stream is what one node has sent.
type stream struct {
	node models.NodeRef
	// sending is held by the one request that is being taken.
	sending sync.Mutex
	spool   spool
	allowed allowance
	parser  *Parser // of the boot that is in at

	mu sync.Mutex
	// lines are the newest, first is the number of the oldest that is held, and size
	// their bytes.
	lines []models.LogLine
	first int
	size  int
	at    mark
	// from and seen say who spoke last for the node, and when.
	from    netip.Addr
	seen    time.Time
	refused string // why somebody was not let speak for it; empty if nobody was
	// trouble is why lines are not on disk, and unkept the number of the first of these.
	trouble string
	unkept  int
}

// lineCost is what a line takes beside its text.
const lineCost = 400

func costOf(line *models.LogLine) int { return lineCost + len(line.Text) }

// add takes lines into memory, and drops the oldest ones. It tells by how much more is
// held than before.
func (s *stream) add(limits PushLimits, lines ...models.LogLine) (grown int) {
	for i := range lines {
		s.lines = append(s.lines, lines[i])
		grown += costOf(&lines[i])
	}
	s.size += grown
	drop, freed := 0, 0
	for len(s.lines)-drop > limits.KeptLines || s.size-freed > limits.KeptBytes {
		freed += costOf(&s.lines[drop])
		drop++
	}
	s.drop(drop, freed)
	return grown - freed
}

func (s *stream) drop(lines, freed int) {
	if lines == 0 {
		return
	}
	clear(s.lines[:lines])
	s.lines = s.lines[lines:]
	s.first += lines
	s.size -= freed
}

// refresh takes what is on disk behind the lines that are held. Nothing of the stream is
// being sent meanwhile. It tells by how much more is held than before.
func (s *stream) refresh(limits PushLimits, writes bool, now time.Time) (grown int) {
	var lines []models.LogLine
	fresh := spool{path: s.spool.path, most: s.spool.most}
	at, err := fresh.load(writes, func(line models.LogLine) { lines = append(lines, line) })
	if err != nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spool = fresh
	if at == s.at {
		return 0
	}
	if held := len(s.lines); held > 0 {
		last := s.lines[held-1]
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i].Boot == last.Boot && lines[i].Cursor == last.Cursor {
				lines = lines[i+1:]
				break
			}
		}
	}
	for i := range lines {
		lines[i].Node = s.node
	}
	s.at, s.parser, s.seen, s.from = at, nil, now, netip.Addr{}
	return s.add(limits, lines...)
}

// keep puts a batch on disk, behind those that could not be put there before. What is not
// held any more by then is left out.
func (s *stream) keep(lines []models.LogLine, at mark) {
	s.mu.Lock()
	var late []models.LogLine
	if s.trouble != "" {
		late = append(late, s.lines[max(s.unkept-s.first, 0):]...)
	}
	next := s.first + len(s.lines)
	s.mu.Unlock()
	err := s.spool.add(append(late, lines...), at)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.trouble = ""
	case s.trouble == "":
		s.trouble, s.unkept = models.Printable(err.Error()), next
	}
}

// halve gives back memory, and tells how much.
func (s *stream) halve() (freed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := (len(s.lines) + 1) / 2
	for i := range lines {
		freed += costOf(&s.lines[i])
	}
	s.drop(lines, freed)
	return freed
}

// since are up to most lines from number next on, and the rest of the last one's entry, the
// number behind them, and how many
// before them are not held any more. A negative next is the oldest one that is held.
func (s *stream) since(next, most int) (lines []models.LogLine, behind, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if next < 0 {
		next = s.first
	}
	if next < s.first {
		dropped, next = s.first-next, s.first
	}
	end := min(s.first+len(s.lines), next+most)
	for end > next && end < s.first+len(s.lines) && sameEntry(&s.lines[end-s.first-1], &s.lines[end-s.first]) {
		end++
	}
	return append(lines, s.lines[next-s.first:end-s.first]...), end, dropped
}

// sameEntry says that two lines, one after the other, are of one entry of a journal.
func sameEntry(a, b *models.LogLine) bool {
	return a.Cursor != "" && a.Cursor == b.Cursor && a.Boot == b.Boot
}

// status is the news of the stream.
func (s *stream) status(now time.Time, silence time.Duration, listening string) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{Node: s.node, Source: models.LogPush, State: StateWaiting, WayOut: pushWayOut(listening)}
	switch {
	case s.seen.IsZero():
		status.Why = "no machine has sent the journal of this node"
	case now.Sub(s.seen) > silence:
		status.Address = shownAddress(s.from)
		status.Why = "the machine sends nothing any more"
		status.WayOut = "it goes on by itself when the machine reaches this console again"
	default:
		status.State, status.Address, status.WayOut = StateFollowing, shownAddress(s.from), ""
	}
	if s.trouble != "" {
		status.Why, status.WayOut = s.trouble, "make room on the disk: until then lines are held in memory only"
	}
	if s.refused != "" && status.State != StateFollowing {
		status.Why = "a sender was refused: " + s.refused
	}
	return status
}

// shownAddress is where a machine sends from; of one that sends to another console it is
// not known.
func shownAddress(from netip.Addr) string {
	if !from.IsValid() {
		return "another console"
	}
	return from.String()
}

func pushWayOut(listening string) string {
	if listening == "" {
		return "nothing listens here: ironworks logs --listen does"
	}
	return "boot a ramdisk made with: ironworks ignition build --journal-push https://" + listening
}
