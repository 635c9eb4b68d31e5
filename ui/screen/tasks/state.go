package tasks

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
)

func state(t *screen.Task) (glyph, word string, role theme.Role) {
	if t.Running() {
		word = "running"
		if t.Unfollowed {
			word = "leaving"
		}
		if n, known := finishedNodes(t); known {
			word = fmt.Sprintf("%s %d/%d", word, n, len(t.Plan.Items))
		}
		role = theme.Busy
		if n := failedSoFar(t); n > 0 {
			word, role = fmt.Sprintf("%s, %d failed", word, n), theme.Bad
		}
		return theme.GlyphWorking, word, role
	}
	glyph, role = theme.GlyphDone, theme.Good
	var parts []string
	tally := t.Tally()
	for _, o := range outcomes() {
		if n := tally[o.outcome]; n > 0 {
			parts = append([]string{fmt.Sprintf("%d %s", n, o.word)}, parts...) // the worst outcome comes first
			glyph, word, role = o.glyph, o.word, o.role
		}
	}
	if len(tally) == 1 { // all nodes have the same outcome, so no numbers are needed
		return glyph, word, role
	}
	return glyph, strings.Join(parts, ", "), role
}

type outcomeLook struct {
	outcome     provision.Outcome
	glyph, word string
	role        theme.Role
}

// outcomes lists the outcomes from best to worst. A task is shown like its worst outcome.
func outcomes() []outcomeLook {
	return []outcomeLook{
		{provision.OutcomeDone, theme.GlyphDone, "done", theme.Good},
		{provision.OutcomeAccepted, theme.GlyphDone, "accepted", theme.Good},
		{provision.OutcomeCanceled, theme.GlyphIdle, "canceled", theme.Muted},
		{provision.OutcomeRefused, theme.GlyphHold, "refused", theme.Hold},
		{provision.OutcomeUnknown, theme.GlyphUnknown, "unknown", theme.Warn},
		{provision.OutcomeFailed, theme.GlyphFailed, "failed", theme.Bad},
	}
}

func lookOf(o provision.Outcome) outcomeLook {
	for _, l := range outcomes() {
		if l.outcome == o {
			return l
		}
	}
	return outcomeLook{o, theme.GlyphUnknown, string(o), theme.Warn}
}

// finishedNodes returns on how many nodes a running task has finished. It is known for enrolling and for verbs.
func finishedNodes(t *screen.Task) (n int, known bool) {
	if _, enrolls := t.Plan.Action.(*provision.EnrollAction); enrolls {
		for _, p := range t.Progress {
			if p.Enrolled != nil {
				n++
			}
		}
		return n, true
	}
	if !isVerb(t) {
		return 0, false
	}
	for i := range t.Plan.Items {
		item := &t.Plan.Items[i]
		p, started := t.Progress[item.Node.UUID]
		if _, finished := t.ResultOf(i); finished || item.Refusal != nil || started && p.Retry == nil && p.Fault == nil && p.State.Resting() {
			n++
		}
	}
	return n, true
}

func failedSoFar(t *screen.Task) (n int) {
	for _, r := range t.Known {
		if r.Outcome == provision.OutcomeFailed {
			n++
		}
	}
	return n
}

// enrolled returns the row of an enrolled node. The row also shows the changes that were made.
func enrolled(item *provision.Item, res *provision.Enrolled) row {
	r := ended(item, &res.Result)
	if len(res.Changes) > 0 {
		r.now = strings.Join(res.Changes, ", ") + "; " + r.now
	}
	return r
}

// Look returns the glyph, the word and the color role of an outcome.
func Look(o provision.Outcome) (glyph, word string, role theme.Role) {
	l := lookOf(o)
	return l.glyph, l.word, l.role
}

func isVerb(t *screen.Task) bool {
	_, verb := action.AsVerb(action.ID(name(t)))
	return verb
}

type row struct {
	node models.NodeRef
	look outcomeLook
	// now is a brief description of the progress, or of the reason for the outcome. whole is the full description, or
	// "" if now is already complete.
	now, whole string
	requestID  string
	// retry is the time of the next attempt, or zero if there is none.
	retry time.Time
}

func ended(item *provision.Item, res *provision.Result) row {
	r := row{node: item.Node.Ref(), look: lookOf(res.Outcome), requestID: res.RequestID}
	if res.Err == nil {
		r.now = res.State
		if res.Note != "" {
			r.now, r.whole = r.now+": "+res.Note, res.Note
		}
		return r
	}
	r.now, r.whole = Reason(res.Err), models.OnScreen(res.Err)
	if f, is := errors.AsType[*models.Fault](res.Err); is {
		r.requestID = cmp.Or(r.requestID, f.RequestID)
	}
	return r
}

// Reason returns the text of an error without the parts that other columns show.
func Reason(err error) string {
	if failed, is := errors.AsType[*provision.FailedError](err); is {
		return failed.Reason
	}
	if refusal, is := errors.AsType[*models.Refusal](err); is {
		return refusal.WhyOnScreen()
	}
	return body.Short(err)
}

// runningRow returns the row of a node on which the task is running. known reports whether p contains progress. verb
// reports whether the action is a provision verb, which ends in a stable state.
func runningRow(item *provision.Item, p provision.Progress, known, verb bool) row {
	r := row{node: item.Node.Ref()}
	switch {
	case item.Refusal != nil:
		r.look = lookOf(provision.OutcomeRefused)
		r.now, r.whole = item.Refusal.WhyOnScreen(), item.Refusal.OnScreen()
		return r
	case !known:
		r.look = outcomeLook{glyph: theme.GlyphIdle, word: "queued", role: theme.Muted}
		r.now = "not sent, or no response yet"
		return r
	}
	r.look = outcomeLook{glyph: theme.GlyphWorking, word: "running", role: theme.Busy}
	if verb && p.State.Resting() {
		r.look = outcomeLook{glyph: theme.GlyphIdle, word: "done", role: theme.Plain}
	}
	r.now = strings.TrimSpace(string(p.State) + "  " + p.Step)
	switch {
	case p.Retry != nil && p.Retry.Fault != nil:
		f := p.Retry.Fault
		why := string(f.Kind)
		if f.LockedBy != "" {
			why = "locked by " + f.LockedBy
		}
		r.look = outcomeLook{glyph: theme.GlyphWaiting, word: "retrying", role: theme.Wait}
		r.now = fmt.Sprintf("%s, try %d of %d", why, p.Retry.Attempt+1, p.Retry.Tries)
		r.whole, r.requestID = models.OnScreen(f), f.RequestID
	case p.Fault != nil:
		r.look = outcomeLook{glyph: theme.GlyphMaint, word: "stale", role: theme.Warn}
		r.now = "not reachable: " + p.Fault.Reason()
		r.whole, r.requestID = models.OnScreen(p.Fault), p.Fault.RequestID
	}
	return r
}
