package agentlog

import (
	"net/netip"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

type stream struct {
	node models.NodeRef
	// sending is held while a request from the node is processed, so that there is only one at a time.
	sending sync.Mutex
	spool   spool
	allowed allowance
	parser  *Parser // for the boot in position

	mu sync.Mutex
	// lines holds the newest lines, first is the number of the oldest of them, and size is their total size in bytes.
	lines    []models.LogLine
	first    int
	size     int
	position journalPosition
	// from is the address that last sent something for the node, and seen is the time of that request.
	from    netip.Addr
	seen    time.Time
	refused string // the reason why the last refused sender was refused; empty if there was none
	// storeError is why lines could not be written to disk. firstUnstored is the number of the first such line.
	storeError    string
	firstUnstored int
}

// lineCost is the assumed size in memory of a line without its text, in bytes.
const lineCost = 400

func costOf(line *models.LogLine) int { return lineCost + len(line.Text) }

// add adds lines in memory, and drops the oldest above the limits. It returns by how many bytes they have grown.
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

// refresh reads the lines on disk that follow those in memory. It must not be called while a request from the node is
// processed. It returns the number of bytes by which the size in memory has grown.
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
	if at == s.position {
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
	s.position, s.parser, s.seen, s.from = at, nil, now, netip.Addr{}
	return s.add(limits, lines...)
}

// store writes a batch to disk, after earlier lines that could not be written and are still in memory.
func (s *stream) store(lines []models.LogLine, at journalPosition) {
	s.mu.Lock()
	var late []models.LogLine
	if s.storeError != "" {
		late = append(late, s.lines[max(s.firstUnstored-s.first, 0):]...)
	}
	next := s.first + len(s.lines)
	s.mu.Unlock()
	err := s.spool.add(append(late, lines...), at)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.storeError = ""
	case s.storeError == "":
		s.storeError, s.firstUnstored = printable.Line(err.Error()), next
	}
}

// halve drops the older half of the lines in memory, and returns the number of freed bytes.
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

// since returns at most the requested number of lines, plus any further lines of the last journal entry, from line
// number next, or from the oldest one if next is negative. behind is the number of the line after the last returned
// one. dropped is the number of requested lines that are no longer in memory.
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

// sameEntry reports whether two consecutive lines belong to one journal entry.
func sameEntry(a, b *models.LogLine) bool {
	return a.Cursor != "" && a.Cursor == b.Cursor && a.Boot == b.Boot
}

// status returns the stream's status. silence is the time after which a sender is considered gone. listening is the
// receiver's address, or "" if the receiver does not listen.
func (s *stream) status(now time.Time, silence time.Duration, listening string) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{Node: s.node, Source: models.LogPush, State: StateWaiting, Remedy: pushRemedy(listening)}
	switch {
	case s.seen.IsZero():
		status.Reason = "no journal received from this node yet"
	case now.Sub(s.seen) > silence:
		status.Address = shownAddress(s.from)
		status.Reason = "the machine stopped sending"
		status.Remedy = "sending resumes when the machine reaches this console again"
	default:
		status.State, status.Address, status.Remedy = StateFollowing, shownAddress(s.from), ""
	}
	if s.storeError != "" {
		status.Reason, status.Remedy = s.storeError, "free some disk space; until then, lines are only held in memory"
	}
	if s.refused != "" && status.State != StateFollowing {
		status.Reason = "sender refused: " + s.refused
	}
	return status
}

// shownAddress returns the sender's address for display. Without one, the machine pushes to another console.
func shownAddress(from netip.Addr) string {
	if !from.IsValid() {
		return "another console"
	}
	return from.String()
}

func pushRemedy(listening string) string {
	if listening == "" {
		return "to receive journals, set logs: {listen: HOST:PORT} in the context, or pass --listen"
	}
	return "boot a ramdisk built with ironworks ignition build --journal-push https://" + listening
}
