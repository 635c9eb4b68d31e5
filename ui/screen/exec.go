package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// settles is the time after which Bubble Tea has stopped its renderer.
const settles = 100 * time.Millisecond

// Exec runs a program that takes over the terminal; done makes the message after its end.
func Exec(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd { return tea.Exec(settled{c}, done) }

// settled is a program that does not end too early. Bubble Tea v2.0.9 starts the ticker of its renderer when the program
// ends, and stops it in a goroutine that it does not wait for (tea.go: startRenderer, stopRenderer). If that goroutine
// comes second, on a busy machine and with a program that ends at once, the console never draws again.
type settled struct{ tea.ExecCommand }

func (s settled) Run() error {
	began := time.Now()
	err := s.ExecCommand.Run()
	<-time.After(settles - time.Since(began))
	return err
}
