package screen

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// program ends after a time.
type program struct{ takes time.Duration }

var errProgram = errors.New("exit status 1")

func (p program) Run() error {
	<-time.After(p.takes)
	return errProgram
}

func (program) SetStdin(io.Reader)  {}
func (program) SetStdout(io.Writer) {}
func (program) SetStderr(io.Writer) {}

// TestProgramsDoNotEndTooEarly: a program that ends at once leaves Bubble Tea time to stop its renderer; one that runs
// longer is not delayed.
func TestProgramsDoNotEndTooEarly(t *testing.T) {
	for takes, want := range map[time.Duration]time.Duration{0: settles, settles / 2: settles, 3 * settles: 3 * settles} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			if err := (settled{program{takes}}).Run(); !errors.Is(err, errProgram) {
				t.Errorf("%v", err)
			}
			if took := time.Since(began); took != want {
				t.Errorf("a program of %s took %s, want %s", takes, took, want)
			}
		})
	}
}
