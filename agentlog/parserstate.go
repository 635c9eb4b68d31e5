package agentlog

import (
	"encoding/json"

	"ironworks/models"
)

// writerState is what is remembered of a writer between two lines, without anything of
// what it wrote: where it is in the middle of a secret, who reads on has to know.
type writerState struct {
	Kind      regionKind `json:"kind,omitempty"`
	Lines     int        `json:"lines,omitempty"`
	Quote     string     `json:"quote,omitempty"`
	Depth     int        `json:"depth,omitempty"`
	Traceback bool       `json:"traceback,omitempty"`
	// Partial says that the beginning of a line came, and not yet its end.
	Partial bool `json:"partial,omitempty"`
}

// state is what a Parser has to know to go on with the next line; mostly nothing.
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

// resume goes on where another Parser was.
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

// end is the end of a line whose beginning another Parser had: nobody can say any more
// whether it is one of a secret.
func (w *writer) end(goesOn bool, message []byte) []byte {
	w.lost = goesOn
	if len(message) == 0 {
		return message
	}
	return []byte(models.Mask)
}
