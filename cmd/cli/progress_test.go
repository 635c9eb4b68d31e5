package cli

import (
	"bytes"
	"sync/atomic"
	"testing"
	"time"
)

// TestProgressLeavesPromptsAlone checks that no progress line overwrites a prompt that waits for an answer.
func TestProgressLeavesPromptsAlone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var prompting atomic.Bool
	p := &Progress{out: &out, width: 80, started: time.Now().Add(-time.Minute), prompting: &prompting}
	p.SetText("querying BMCs")
	prompting.Store(true)
	p.paint()
	if out.Len() > 0 {
		t.Errorf("during the prompt: %q", out.String())
	}
	prompting.Store(false)
	p.paint()
	if want := "\r\x1b[Kquerying BMCs"; out.String() != want {
		t.Errorf("after the prompt: %q, want %q", out.String(), want)
	}
}
