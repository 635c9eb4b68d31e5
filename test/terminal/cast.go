package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

// cast writes a recording in asciinema's format, version 2: a header, and for each event a line with the seconds
// since the start, its kind and its data. Typed keys are not recorded, because they may contain passwords.
type cast struct {
	mu    sync.Mutex
	to    io.Writer
	start time.Time
	last  float64
	part  []byte // incomplete character at the end of the last output
	err   error  // first error
}

func newCast(to io.Writer, width, height int) *cast {
	c := &cast{to: to, start: time.Now()}
	c.write(map[string]any{
		"version": 2, "width": width, "height": height, "env": map[string]string{"TERM": term},
	})
	return c
}

// output records output. The format is text, so an incomplete character is held back until the rest arrives.
func (c *cast) output(chunk chunk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data := append(c.part, chunk.data...)
	whole := whole(data)
	c.part = append([]byte(nil), data[whole:]...)
	if whole > 0 {
		c.event(chunk.at, "o", string(data[:whole]))
	}
}

// whole returns the length of data without an incomplete character at the end.
func whole(data []byte) int {
	for i := len(data) - 1; i >= max(0, len(data)-utf8.UTFMax); i-- {
		if utf8.RuneStart(data[i]) {
			if !utf8.FullRune(data[i:]) {
				return i
			}
			break
		}
	}
	return len(data)
}

func (c *cast) resize(width, height int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.event(time.Now(), "r", fmt.Sprintf("%dx%d", width, height))
}

// event writes a line. Times never decrease, although output waits in a queue.
func (c *cast) event(at time.Time, kind, data string) {
	c.last = max(c.last, at.Sub(c.start).Seconds())
	c.write([]any{json.Number(fmt.Sprintf("%.6f", c.last)), kind, data})
}

func (c *cast) write(line any) {
	if c.err != nil {
		return
	}
	encoder := json.NewEncoder(c.to)
	encoder.SetEscapeHTML(false)
	c.err = encoder.Encode(line)
}

func (c *cast) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return fmt.Errorf("recording the terminal: %w", c.err)
	}
	return nil
}
