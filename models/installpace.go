package models

import "time"

// InstallPace is how far an installer is by the lines of its log, and how fast it goes.
// The zero value knows nothing.
type InstallPace struct {
	first, last installPoint
}

// installPoint is one line that told of progress.
type installPoint struct {
	percent int
	// at is the machine's clock where the line has it: lines that come late come together.
	at time.Time
	// seen is the server's clock when the console got the line.
	seen time.Time
}

// Take notes what a line tells; it was got at the server's time seen. An installer that
// begins anew begins a new pace. The answer is whether there was something to note.
func (p *InstallPace) Take(l *LogLine, seen time.Time) bool {
	if l.Progress == nil || l.Progress.Percent < 0 || l.Progress.Percent > 100 {
		return false
	}
	point := installPoint{percent: l.Progress.Percent, at: l.Time, seen: seen}
	if point.at.IsZero() {
		point.at = seen
	}
	if point.at.Before(p.last.at) {
		return false // an older line, by another way
	}
	if p.first.at.IsZero() || point.percent < p.last.percent {
		p.first = point
	}
	p.last = point
	return true
}

// Percent is how far the installer is in a phase that goes on; false where its log did
// not tell since the phase began.
func (p InstallPace) Percent(of *Phase) (int, bool) {
	if of == nil || of.Kind != PhaseStep || of.Outcome != OutcomeRunning || p.last.seen.IsZero() {
		return 0, false
	}
	// A line may be read before the poller sees the step that wrote it.
	const early = 10 * time.Second
	return p.last.percent, !p.last.seen.Before(of.Begin.Add(-early))
}

// left is how long the installer still takes at the server's time now; false before two
// lines told how fast it goes.
func (p InstallPace) left(now time.Time) (time.Duration, bool) {
	done, took := p.last.percent-p.first.percent, p.last.at.Sub(p.first.at)
	if done <= 0 || took <= 0 {
		return 0, false
	}
	rest := time.Duration(float64(took) * float64(100-p.last.percent) / float64(done))
	return max(rest-max(now.Sub(p.last.seen), 0), 0), true
}

// Due is when the phase that goes on will end, by the pace of its installer; zero where
// nobody knows.
func (p InstallPace) Due(of *Phase, now time.Time) time.Time {
	if _, told := p.Percent(of); !told {
		return time.Time{}
	}
	left, known := p.left(now)
	if !known {
		return time.Time{}
	}
	return now.Add(left)
}

// Pace is what past work says of one that goes on, where its installer's log tells how
// far it is: the phase then lasts as long as the log says, and only what comes after it
// is as it was for others.
func (e Estimate) Pace(x *Experience, w *Work, p InstallPace, now time.Time) Estimate {
	current := w.Current()
	due := p.Due(current, now)
	if due.IsZero() {
		return e
	}
	key := sampleKey{kind: w.Kind, class: w.ResourceClass, part: pastPhase, phase: current.Kind, step: current.Step}
	e.Left, e.Known, e.Late = due.Sub(now)+x.took(key).Median, true, false
	return e
}
