package ui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// TestPaceFindsTheTicker fails when another version of Bubble Tea has no such ticker:
// then the console would send frames at a fixed rate again.
func TestPaceFindsTheTicker(t *testing.T) {
	t.Parallel()
	p := newPace(tea.NewProgram(nil), time.Millisecond)
	if p == nil {
		t.Fatal("Bubble Tea has no ticker any more")
	}
	p.soon() // there is none before the program runs
	p.stop()
	var none *pace
	none.soon()
	none.stop()
}

func TestPaceIsFastWhileThePictureChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const frame = 10 * time.Millisecond
		ticker := time.NewTicker(frame)
		defer ticker.Stop()
		p := &pace{ticker: &ticker, frame: frame, fast: true}
		defer p.stop()
		looks := func(d time.Duration) (n int) {
			end := time.After(d)
			for {
				select {
				case <-ticker.C:
					n++
				case <-end:
					return n
				}
			}
		}
		p.soon()
		looks(100 * time.Millisecond)
		if n := looks(5 * time.Second); n < 4 || n > 6 {
			t.Errorf("%d looks in five seconds of rest", n)
		}
		changed := time.Now()
		p.soon()
		<-ticker.C
		if d := time.Since(changed); d > atFirst {
			t.Errorf("the first frame after a change comes after %s", d)
		}
		looks(atFirstFor)
		for range 20 { // it goes on changing
			p.soon()
			if n := looks(frame); n > 2 {
				t.Errorf("%d frames in the time of one", n)
			}
		}
		looks(100 * time.Millisecond)
		if n := looks(5 * time.Second); n < 4 || n > 6 {
			t.Errorf("%d looks in five seconds of rest after that", n)
		}
	})
}
