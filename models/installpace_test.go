package models

import (
	"testing"
	"time"
)

// progressLine returns an installer's log line that reports the given progress in percent. at is the time in seconds
// on the machine's clock; 0 means that the line contains no time.
func progressLine(at, percent int) *LogLine {
	l := &LogLine{Progress: &InstallProgress{Percent: percent}}
	if at > 0 {
		l.Time = second(at + 5000) // the machine's clock is wrong
	}
	return l
}

func TestInstallPace(t *testing.T) {
	t.Parallel()
	install := Phase{Kind: PhaseStep, Step: "deploy.install_coreos", Begin: second(100), Outcome: OutcomeRunning}
	over := install
	over.Outcome = OutcomeDone
	type line struct{ at, percent, seen int }
	for _, tc := range []struct {
		name    string
		lines   []line
		phase   *Phase
		now     int
		percent int
		told    bool
		left    int // in seconds, or -1 if unknown
	}{
		{"nothing told", nil, &install, 120, 0, false, -1},
		{"one line tells no pace", []line{{10, 20, 110}}, &install, 120, 20, true, -1},
		{"half", []line{{10, 0, 110}, {20, 50, 120}}, &install, 120, 50, true, 10},
		{"time goes on without a line", []line{{10, 0, 110}, {20, 50, 120}}, &install, 124, 50, true, 6},
		{"longer than it should", []line{{10, 0, 110}, {20, 50, 120}}, &install, 150, 50, true, 0},
		{"lines that came late, all at once", []line{{10, 0, 130}, {20, 25, 130}, {30, 50, 130}}, &install, 130, 50, true, 20},
		{"no clock in the log", []line{{0, 0, 110}, {0, 50, 120}}, &install, 120, 50, true, 10},
		{"it began anew", []line{{10, 0, 110}, {20, 90, 120}, {30, 10, 130}, {40, 20, 140}}, &install, 140, 20, true, 80},
		{"an older line by another way", []line{{10, 0, 110}, {20, 50, 120}, {15, 25, 121}}, &install, 121, 50, true, 9},
		{"of the deployment before", []line{{10, 0, 20}, {20, 50, 30}}, &install, 120, 50, false, -1},
		{"the phase is over", []line{{10, 0, 110}, {20, 50, 120}}, &over, 120, 0, false, -1},
		{"no phase", []line{{10, 0, 110}, {20, 50, 120}}, nil, 120, 0, false, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var p InstallPace
			for _, l := range tc.lines {
				p.AddLine(progressLine(l.at, l.percent), second(l.seen))
			}
			if percent, known := p.Percent(tc.phase); known != tc.told || known && percent != tc.percent {
				t.Errorf("%d %%, %v", percent, known)
			}
			due := p.Due(tc.phase, second(tc.now))
			switch {
			case tc.left < 0 && !due.IsZero():
				t.Errorf("due at %v", due)
			case tc.left >= 0 && !due.Equal(second(tc.now+tc.left)):
				t.Errorf("left %v, want %ds", due.Sub(second(tc.now)), tc.left)
			}
		})
	}
	var p InstallPace
	for _, bad := range []*LogLine{{}, progressLine(1, -1), progressLine(1, 101)} {
		if p.AddLine(bad, second(1)) {
			t.Errorf("%+v tells something", bad.Progress)
		}
	}
}

func TestEstimateWithPace(t *testing.T) {
	t.Parallel()
	phases := func(install, reboot int, running bool) []Phase {
		p := []Phase{{Kind: PhaseStep, Step: "deploy.install_coreos", Begin: second(100), End: second(100 + install), Outcome: OutcomeDone}}
		if running {
			p[0].End, p[0].Outcome = time.Time{}, OutcomeRunning
			return p
		}
		return append(p, Phase{Kind: PhaseReboot, Begin: second(100 + install), End: second(100 + install + reboot), Outcome: OutcomeDone})
	}
	past := NewExperience([]Work{{Kind: StateDeploying, Whole: true, Begin: second(100), End: second(230), Outcome: OutcomeDone, Phases: phases(100, 30, false)}})
	w := &Work{Kind: StateDeploying, Whole: true, Begin: second(100), Outcome: OutcomeRunning, Phases: phases(0, 0, true)}
	var p InstallPace
	e := past.Estimate(w, second(200))
	if got := e.Pace(past, w, p, second(200)); got != e {
		t.Errorf("without a pace %+v", got)
	}
	p.AddLine(progressLine(0, 0), second(100))
	p.AddLine(progressLine(0, 50), second(200)) // half the speed of the first installer
	if got := e.Pace(past, w, p, second(200)); !got.Known || got.Left != 130*time.Second || got.Late {
		t.Errorf("left %v, want 100s of installing and 30s of reboot", got.Left)
	}
	if got := (Estimate{}).Pace(nil, w, p, second(200)); !got.Known || got.Left != 100*time.Second {
		t.Errorf("without experience %v left", got.Left)
	}
}
