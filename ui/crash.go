package ui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Crash is a panic that ended the console.
type Crash struct {
	Value any
	Stack []byte
}

// Error returns a message with the panic value. The stack is written only to the crash file.
func (e *Crash) Error() string {
	return fmt.Sprintf("the console crashed (this is a bug): %v", e.Value)
}

func newCrash(v any) *Crash { return &Crash{Value: v, Stack: debug.Stack()} }

// crashed stores the first crash and quits, which restores the terminal.
func (c *Console) crashed(e *Crash) tea.Cmd {
	if c.crash == nil {
		c.crash = e
	}
	c.cancel()
	return tea.Quit
}

// guard wraps cmd, and the commands that it batches, so that a panic is reported to the root and not printed to the
// terminal.
func guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				msg = newCrash(v)
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			guarded := make(tea.BatchMsg, len(batch))
			for i := range batch {
				guarded[i] = guard(batch[i])
			}
			return guarded
		}
		return msg
	}
}
