package agentlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"ironworks/models"
)

// pushPath is where journals are posted.
const pushPath = "/v1/journal"

// Answers to a request that is not taken.
var (
	errBusy   = errors.New("another request of this node is being taken")
	errFast   = errors.New("the node sends faster than it may")
	errTaken  = errors.New("another machine speaks for this node")
	errLines  = errors.New("the lines cannot be read")
	errAt     = errors.New("the journal was taken up to another line")
	errLength = errors.New("the request is too long")
)

// serve takes one push. The answer's text is the cursor of the last line that is taken,
// for 200 and for 409; for all others why it is refused, for the machine's own log.
func (r *Receiver) serve(w http.ResponseWriter, request *http.Request) {
	if request.URL.Path != pushPath {
		http.NotFound(w, request)
		return
	}
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	r.gate.RLock()
	defer r.gate.RUnlock()
	if !r.open {
		http.Error(w, "the console is ending", http.StatusServiceUnavailable)
		return
	}
	cursor, err := r.push(w, request)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if cursor == "" {
		cursor = noCursor
	}
	code := statusOf(err)
	switch {
	case err == nil || errors.Is(err, errAt):
		w.WriteHeader(code)
		_, _ = io.WriteString(w, cursor) //nolint:gosec // checked, and no browser asks
		return
	case errors.Is(err, errFast), errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
	default:
		r.refuse(err)
	}
	http.Error(w, models.Printable(err.Error()), code)
}

func statusOf(err error) int {
	for _, known := range []struct {
		err  error
		code int
	}{
		{nil, http.StatusOK},
		{ErrUnknownToken, http.StatusUnauthorized},
		{errIntroduction, http.StatusBadRequest},
		{errLines, http.StatusBadRequest},
		{ErrNotOurs, http.StatusForbidden},
		{errTaken, http.StatusForbidden},
		{errAt, http.StatusConflict},
		{errLength, http.StatusRequestEntityTooLarge},
		{errBusy, http.StatusTooManyRequests},
		{errFast, http.StatusTooManyRequests},
		{ErrTooManyMACs, http.StatusTooManyRequests},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return http.StatusServiceUnavailable
}

// push takes lines. Who sends is settled before the first byte of them is read.
func (r *Receiver) push(w http.ResponseWriter, request *http.Request) (cursor string, err error) {
	token, found := strings.CutPrefix(request.Header.Get("Authorization"), "Bearer ")
	if !found {
		return "", ErrUnknownToken
	}
	of, err := r.images.byToken(token)
	if err != nil {
		return "", err
	}
	sender, after, err := senderOf(request)
	if err != nil {
		return "", err
	}
	sender.Image, sender.ImageNode = of.ID, of.Node
	owner, err := r.identify(request.Context(), sender, of)
	if err != nil {
		return "", err
	}
	s := r.stream(owner.Node)
	if !s.sending.TryLock() {
		return "", errBusy
	}
	defer s.sending.Unlock()
	now := r.options.Now()
	if !s.allowed.refill(now) {
		return "", errFast
	}
	if err := s.claim(sender, now, r.options.Limits.Silence, owner.Address.IsValid()); err != nil {
		r.wake()
		return "", err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, int64(r.options.Limits.Body)))
	s.allowed.take(len(body))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return "", errLength
	case err != nil:
		return "", fmt.Errorf("reading the lines: %w", err)
	}
	return r.take(s, sender, after, body)
}

// claim lets one machine speak for a node: while it does, no other address may, unless it
// is the one where Ironic knows the agent. A machine that boots again keeps its address,
// or waits until the other one is forgotten.
func (s *stream) claim(sender Sender, now time.Time, silence time.Duration, proven bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !proven && s.from.IsValid() && s.from != sender.Address && now.Sub(s.seen) < silence {
		s.refused = fmt.Sprintf("%s sent for this node while %s does", sender.Address, s.from)
		return errTaken
	}
	if s.from != sender.Address {
		s.refused = ""
	}
	s.from, s.seen = sender.Address, now
	return nil
}

// take adds what a machine sends behind what is there. After says where it goes on; if
// that is not where we are, it is told where.
func (r *Receiver) take(s *stream, sender Sender, after string, body []byte) (string, error) {
	s.mu.Lock()
	at := s.at
	s.mu.Unlock()
	if at.boot != sender.Boot {
		at = mark{boot: sender.Boot} // a new boot begins a new journal
	}
	if after != at.cursor {
		return at.cursor, errAt
	}
	entries, last, err := r.entries(body, sender.Boot)
	if err != nil {
		return "", err
	}
	if last == "" {
		r.wake() // it lives
		return at.cursor, nil
	}
	if s.parser == nil || s.at.boot != at.boot {
		s.parser = NewParser(s.node, models.LogPush, r.options.Now)
		s.parser.resume(at.state)
	}
	at.cursor = last
	lines := r.lines(s.parser, entries, at.boot)
	at.state = s.parser.state()
	before := s.spool.size
	s.keep(lines, at)
	r.wrote(max(s.spool.size-before, 0))
	s.mu.Lock()
	s.at = at
	grown := s.add(r.options.Limits, lines...)
	s.mu.Unlock()
	r.hold(grown)
	r.wake()
	return last, nil
}

// pushEntry is what a receiver has to know of a line of the journal.
type pushEntry struct {
	Cursor string `json:"__CURSOR"`
	Boot   string `json:"_BOOT_ID"`
	text   []byte
}

// entries are the lines of a push, each of which has a cursor, and the last cursor. One
// of another boot is left out.
func (r *Receiver) entries(body []byte, boot string) (entries []pushEntry, last string, err error) {
	count := 0
	for text := range bytes.Lines(body) {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if count++; count > r.options.Limits.Lines {
			return nil, "", fmt.Errorf("%w: more than %d at once", errLines, r.options.Limits.Lines)
		}
		e := pushEntry{text: text}
		if err := json.Unmarshal(text, &e); err != nil || !cursorForm.MatchString(e.Cursor) {
			return nil, "", fmt.Errorf("%w: line %d is not of journalctl -o json", errLines, count)
		}
		if last = e.Cursor; e.Boot == "" || e.Boot == boot {
			entries = append(entries, e)
		}
	}
	return entries, last, nil
}

// lines are those of entries. Nothing of an entry counts for where it belongs; one that
// cannot be understood is left out.
func (r *Receiver) lines(parser *Parser, entries []pushEntry, boot string) []models.LogLine {
	var all []models.LogLine
	for _, e := range entries {
		lines, err := parser.Journal(e.text)
		if err != nil {
			continue
		}
		for _, line := range lines {
			line.Cursor, line.Boot = e.Cursor, boot
			line.Text = short(line.Text, r.options.Limits.Text)
			all = append(all, line)
		}
	}
	return all
}
