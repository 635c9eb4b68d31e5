package agentlog

import (
	"encoding/json"

	"ironworks/models"
)

// writerState is the state of a writer between two lines. It contains none of the writer's text. A parser that starts
// in the middle of a secret needs this state to mask the rest of the secret.
type writerState struct {
	Kind      regionKind `json:"kind,omitempty"`
	Lines     int        `json:"lines,omitempty"`
	Quote     string     `json:"quote,omitempty"`
	Depth     int        `json:"depth,omitempty"`
	Traceback bool       `json:"traceback,omitempty"`
	// Partial reports whether the start of a line was read, but not its end.
	Partial bool `json:"partial,omitempty"`
}

// state returns, as JSON, the state that another Parser needs to continue with the next line. The result is usually
// empty.
func (p *Parser) state() string {
	states := map[string]writerState{}
	for key, w := range p.writers {
		s := writerState{
			Kind: w.mask.in.kind, Lines: w.mask.in.lines, Quote: w.mask.in.quote, Depth: w.mask.in.depth,
			Traceback: w.traceback, Partial: len(w.partial) > 0 || w.lost,
		}
		if s != (writerState{}) {
			states[key] = s
		}
	}
	if len(states) == 0 {
		return ""
	}
	data, err := json.Marshal(states)
	if err != nil {
		return ""
	}
	return string(data)
}

// resume restores a state that another Parser's state method returned.
func (p *Parser) resume(state string) {
	var states map[string]writerState
	if state == "" || json.Unmarshal([]byte(state), &states) != nil {
		return
	}
	for key, s := range states {
		w := p.writer(key)
		if s.Kind > regionNone && s.Kind <= regionDump && (s.Kind != regionString || s.Quote != "") {
			w.mask.in = region{kind: s.Kind, lines: min(s.Lines, manyLines), quote: s.Quote, depth: s.Depth}
		}
		w.traceback, w.lost = s.Traceback, s.Partial
	}
}

// end masks the rest of a line whose start was read by another Parser, because the rest may be part of a secret. The
// goesOn argument reports whether the line continues in the next entry.
func (w *writer) end(goesOn bool, message []byte) []byte {
	w.lost = goesOn
	if len(message) == 0 {
		return message
	}
	return []byte(models.Mask)
}
