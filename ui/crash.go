package ui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Crash is a bug that ended the console: what was panicked with, and where.
type Crash struct {
	Value any
	Stack []byte
}

// Error gives the value; the stack is for the crash file.
func (e *Crash) Error() string { return fmt.Sprintf("a bug ended the console: %v", e.Value) }

func newCrash(v any) *Crash { return &Crash{Value: v, Stack: debug.Stack()} }

// crashed keeps the first crash and ends the program, which restores the terminal.
func (c *Console) crashed(e *Crash) tea.Cmd {
	if c.crash == nil {
		c.crash = e
	}
	c.cancel()
	return tea.Quit
}

// guard makes a command, and those that it stands for, hand a panic to the root instead
// of to the terminal.
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
