package models

import "time"

// InstallPace derives the progress and the speed of an installer from its log. The zero value holds no data.
type InstallPace struct {
	first, last installPoint
}

// installPoint records the progress that one log line reports.
type installPoint struct {
	percent int
	// at is the time of the line on the machine's clock or, if the line contains no time, the time of arrival. The
	// machine's clock is preferred because delayed lines arrive together.
	at time.Time
	// seen is the time when the line arrived, on the server's clock.
	seen time.Time
}

// AddLine takes a log line into account and reports whether it contained usable progress. seen is the time when the
// line arrived, on the server's clock. If the installer has been restarted, the measurement starts again.
func (p *InstallPace) AddLine(l *LogLine, seen time.Time) bool {
	if l.Progress == nil || l.Progress.Percent < 0 || l.Progress.Percent > 100 {
		return false
	}
	point := installPoint{percent: l.Progress.Percent, at: l.Time, seen: seen}
	if point.at.IsZero() {
		point.at = seen
	}
	if point.at.Before(p.last.at) {
		return false // an older line, which arrived late from another source
	}
	if p.first.at.IsZero() || point.percent < p.last.percent {
		p.first = point
	}
	p.last = point
	return true
}

// Percent returns the progress of the given phase in percent. It returns false if the phase is not a running step, or
// if the log has not reported any progress since the phase started.
func (p InstallPace) Percent(of *Phase) (int, bool) {
	if of == nil || of.Kind != PhaseStep || of.Outcome != OutcomeRunning || p.last.seen.IsZero() {
		return 0, false
	}
	// A line may arrive before the poller observes the step that wrote the line.
	const early = 10 * time.Second
	return p.last.percent, !p.last.seen.Before(of.Begin.Add(-early))
}

// left returns the remaining time. now is on the server's clock. left returns false until two lines have reported
// different progress.
func (p InstallPace) left(now time.Time) (time.Duration, bool) {
	done, took := p.last.percent-p.first.percent, p.last.at.Sub(p.first.at)
	if done <= 0 || took <= 0 {
		return 0, false
	}
	rest := time.Duration(float64(took) * float64(100-p.last.percent) / float64(done))
	return max(rest-max(now.Sub(p.last.seen), 0), 0), true
}

// Due returns the time when the running phase is expected to end at the installer's current speed. It is zero if
// unknown.
func (p InstallPace) Due(of *Phase, now time.Time) time.Time {
	_, runs := p.Percent(of)
	if left, known := p.left(now); runs && known {
		return now.Add(left)
	}
	return time.Time{}
}

// Pace refines the estimate with the installer's progress. It assumes that the current phase ends when the log
// predicts, and that later phases take their usual time.
func (e Estimate) Pace(x *Experience, w *Work, p InstallPace, now time.Time) Estimate {
	current := w.Current()
	due := p.Due(current, now)
	if due.IsZero() {
		return e
	}
	e.Left, e.Known, e.Late = due.Sub(now)+x.stats(w.sampleKey(pastPhase, current)).Median, true, false
	return e
}
