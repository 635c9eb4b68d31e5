package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

// cast writes a recording in the format of asciinema, version 2: a header, and for each
// event a line with the seconds since the start, its kind and its data. What is typed is
// not recorded, because it may be a password.
type cast struct {
	mu    sync.Mutex
	to    io.Writer
	start time.Time
	last  float64
	part  []byte // of a character whose rest has not come yet
	err   error  // the first one
}

func newCast(to io.Writer, width, height int) *cast {
	c := &cast{to: to, start: time.Now()}
	c.write(map[string]any{
		"version": 2, "width": width, "height": height, "env": map[string]string{"TERM": term},
	})
	return c
}

// output records what was shown. The format is text, so that a character whose bytes come
// apart has to wait for its end.
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

// whole is the length without a character that has only begun.
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

// event writes a line. Time does not go back, although output waits in a queue.
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
