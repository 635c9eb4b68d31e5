package agentlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// pushPath is the URL path to which machines send their journals.
const pushPath = "/v1/journal"

var (
	errBusy   = errors.New("another request for this node is in progress")
	errFast   = errors.New("rate limit exceeded for this node")
	errTaken  = errors.New("another machine is already sending for this node")
	errLines  = errors.New("invalid journal lines")
	errAt     = errors.New("cursor mismatch")
	errLength = errors.New("request too large")
)

// serve handles a push. If the status of the response is 200 or 409, the body is the cursor of the last accepted
// line. Otherwise, the body is the reason for the refusal, which the machine logs.
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
		http.Error(w, "the console is shutting down", http.StatusServiceUnavailable)
		return
	}
	cursor, err := r.push(w, request)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	code := statusOf(err)
	switch {
	case err == nil || errors.Is(err, errAt):
		w.WriteHeader(code)
		_, _ = io.WriteString(w, cmp.Or(cursor, noCursor)) //nolint:gosec // checked, and not shown in a browser
		return
	case errors.Is(err, errFast), errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
	case errors.Is(err, io.ErrUnexpectedEOF): // the machine lost power or its connection while it sent
	default:
		r.refuse(err)
	}
	http.Error(w, printable.Line(err.Error()), code)
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

// push verifies the sender, and only then accepts the lines. It returns the cursor of the last accepted line.
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
	now := time.Now()
	if !s.allowed.refill(now) {
		return "", errFast
	}
	if err := s.claim(sender, now, r.options.Limits.Silence, owner.Address.IsValid()); err != nil {
		r.wake()
		return "", err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, int64(r.options.Limits.Body)))
	s.allowed.left -= float64(len(body))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return "", errLength
	}
	if err != nil {
		return "", fmt.Errorf("reading the lines: %w", err)
	}
	return r.append(s, sender, after, body)
}

// claim lets the sender push for the stream's node, unless another address is the current sender. The proven argument
// reports whether the sender has the agent's address in Ironic. Such a sender may always push. Otherwise, a rebooted
// machine with a new address must wait until the old address has sent nothing for the time given by silence.
func (s *stream) claim(sender Sender, now time.Time, silence time.Duration, proven bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !proven && s.from.IsValid() && s.from != sender.Address && now.Sub(s.seen) < silence {
		s.refused = fmt.Sprintf("%s sent lines for this node, but %s is its current sender", sender.Address, s.from)
		return errTaken
	}
	if s.from != sender.Address {
		s.refused = ""
	}
	s.from, s.seen = sender.Address, now
	return nil
}

// append adds the pushed lines to the stream. According to the sender, they follow the cursor in after. If the
// stream's last cursor differs, the lines are refused, and the stream's cursor is returned.
func (r *Receiver) append(s *stream, sender Sender, after string, body []byte) (string, error) {
	s.mu.Lock()
	at := s.position
	s.mu.Unlock()
	if at.boot != sender.Boot {
		at = journalPosition{boot: sender.Boot} // a new boot starts a new journal
	}
	if after != at.cursor {
		return at.cursor, errAt
	}
	entries, last, err := r.entries(body, sender.Boot)
	if err != nil {
		return "", err
	}
	if last == "" {
		r.wake() // wake the readers, because this is a sign of life
		return at.cursor, nil
	}
	if s.parser == nil || s.position.boot != at.boot {
		s.parser = NewParser(s.node, models.LogPush, time.Now)
		s.parser.resume(at.state)
	}
	at.cursor = last
	lines := r.lines(s.parser, entries, at.boot)
	at.state = s.parser.state()
	before := s.spool.size
	s.store(lines, at)
	r.pruneAfter(max(s.spool.size-before, 0))
	s.mu.Lock()
	s.position = at
	grown := s.add(r.options.Limits, lines...)
	s.mu.Unlock()
	r.limitMemory(grown)
	r.wake()
	return last, nil
}

type pushEntry struct {
	Cursor string `json:"__CURSOR"`
	Boot   string `json:"_BOOT_ID"`
	text   []byte
}

// entries returns those entries in a push that belong to the given boot, and the cursor of the last entry. It fails
// if there are too many entries, or if one is malformed or has no cursor.
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
			return nil, "", fmt.Errorf("%w: line %d is not in the format of journalctl -o json", errLines, count)
		}
		if last = e.Cursor; e.Boot == "" || e.Boot == boot {
			entries = append(entries, e)
		}
	}
	return entries, last, nil
}

// lines returns the log lines in the well-formed entries. The node of a line is never taken from the entry.
func (r *Receiver) lines(parser *Parser, entries []pushEntry, boot string) []models.LogLine {
	var all []models.LogLine
	for _, e := range entries {
		lines, _, _ := parser.Journal(e.text)
		for _, line := range lines {
			line.Cursor, line.Boot = e.Cursor, boot
			line.Text = truncate(line.Text, r.options.Limits.Text)
			all = append(all, line)
		}
	}
	return all
}
