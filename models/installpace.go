package models

import "time"

// InstallPace is the progress and the speed of an installer, as its log reports them. The zero value has no data.
type InstallPace struct {
	first, last installPoint
}

// installPoint is a log line with progress.
type installPoint struct {
	percent int
	// at is the time of the line on the machine's clock, if the line has one: delayed lines arrive together.
	at time.Time
	// seen is the time of arrival on the server's clock.
	seen time.Time
}

// AddLine reads a line that arrived at the server's time seen, and reports whether it had progress. A restarted
// installer starts a new pace.
func (p *InstallPace) AddLine(l *LogLine, seen time.Time) bool {
	if l.Progress == nil || l.Progress.Percent < 0 || l.Progress.Percent > 100 {
		return false
	}
	point := installPoint{percent: l.Progress.Percent, at: l.Time, seen: seen}
	if point.at.IsZero() {
		point.at = seen
	}
	if point.at.Before(p.last.at) {
		return false // an older line from another source
	}
	if p.first.at.IsZero() || point.percent < p.last.percent {
		p.first = point
	}
	p.last = point
	return true
}

// Percent returns the progress in a running phase; false if the log has no progress since the start of the phase.
func (p InstallPace) Percent(of *Phase) (int, bool) {
	if of == nil || of.Kind != PhaseStep || of.Outcome != OutcomeRunning || p.last.seen.IsZero() {
		return 0, false
	}
	// A line may arrive before the poller sees the step that wrote it.
	const early = 10 * time.Second
	return p.last.percent, !p.last.seen.Before(of.Begin.Add(-early))
}

// left returns the remaining time at the server's time now. It returns false until two lines had progress.
func (p InstallPace) left(now time.Time) (time.Duration, bool) {
	done, took := p.last.percent-p.first.percent, p.last.at.Sub(p.first.at)
	if done <= 0 || took <= 0 {
		return 0, false
	}
	rest := time.Duration(float64(took) * float64(100-p.last.percent) / float64(done))
	return max(rest-max(now.Sub(p.last.seen), 0), 0), true
}

// Due returns the expected end of the running phase by the installer's pace; zero if unknown.
func (p InstallPace) Due(of *Phase, now time.Time) time.Time {
	if _, known := p.Percent(of); !known {
		return time.Time{}
	}
	left, known := p.left(now)
	if !known {
		return time.Time{}
	}
	return now.Add(left)
}

// Pace refines an estimate by the installer's progress: the phase ends when the log predicts, later phases take
// the usual time.
func (e Estimate) Pace(x *Experience, w *Work, p InstallPace, now time.Time) Estimate {
	current := w.Current()
	due := p.Due(current, now)
	if due.IsZero() {
		return e
	}
	key := sampleKey{kind: w.Kind, class: w.ResourceClass, scope: pastPhase, phase: current.Kind, step: current.Step}
	e.Left, e.Known, e.Late = due.Sub(now)+x.stats(key).Median, true, false
	return e
}
