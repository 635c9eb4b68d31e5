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

// state is how a task is as a whole.
func state(t *screen.Task) (glyph, word string, role theme.Role) {
	if t.Running() {
		word = "running"
		if t.Left {
			word = "leaving"
		}
		if n, known := arrived(t); known {
			word = fmt.Sprintf("%s %d/%d", word, n, len(t.Plan.Items))
		}
		return theme.GlyphWorking, word, theme.Busy
	}
	glyph, role = theme.GlyphDone, theme.Good
	var parts []string
	tally := t.Tally()
	for _, o := range outcomes() {
		if n := tally[o.outcome]; n > 0 {
			parts = append([]string{fmt.Sprintf("%d %s", n, o.word)}, parts...) // the worst first
			glyph, role = o.glyph, o.role
		}
	}
	if len(t.Results) == 1 || len(tally) == 1 {
		// All went the same way.
		for _, o := range outcomes() {
			if tally[o.outcome] > 0 {
				return glyph, o.word, role
			}
		}
	}
	return glyph, strings.Join(parts, ", "), role
}

// look is how an outcome looks.
type look struct {
	outcome     provision.Outcome
	glyph, word string
	role        theme.Role
}

// outcomes lists them from the best to the worst: the worst gives a task its sign.
func outcomes() []look {
	return []look{
		{provision.OutcomeDone, theme.GlyphDone, "done", theme.Good},
		{provision.OutcomeAccepted, theme.GlyphDone, "accepted", theme.Good},
		{provision.OutcomeRefused, theme.GlyphHold, "refused", theme.Hold},
		{provision.OutcomeUnknown, theme.GlyphUnknown, "unknown", theme.Warn},
		{provision.OutcomeFailed, theme.GlyphFailed, "failed", theme.Bad},
	}
}

func lookOf(o provision.Outcome) look {
	for _, l := range outcomes() {
		if l.outcome == o {
			return l
		}
	}
	return look{o, theme.GlyphUnknown, string(o), theme.Warn}
}

// arrived counts the nodes of a running task that have come to their end already. Only a
// provision verb shows that: it ends where the node comes to rest.
func arrived(t *screen.Task) (n int, known bool) {
	if enrolls(t) {
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
		p, heard := t.Progress[item.Node.UUID]
		if item.Refusal != nil || heard && p.Retry == nil && p.Fault == nil && p.State.Resting() {
			n++
		}
	}
	return n, true
}

func enrolls(t *screen.Task) bool {
	_, is := t.Plan.Action.(*provision.EnrollAction)
	return is
}

// enrolled is the row of a node that was enrolled, with what was done.
func enrolled(item *provision.Item, res *provision.Enrolled) row {
	r := ended(item, &res.Result)
	if len(res.Did) > 0 {
		r.now = strings.Join(res.Did, ", ") + "; " + r.now
	}
	return r
}

// Look returns how an outcome looks.
func Look(o provision.Outcome) (glyph, word string, role theme.Role) {
	l := lookOf(o)
	return l.glyph, l.word, l.role
}

func isVerb(t *screen.Task) bool {
	_, verb := action.AsVerb(action.ID(name(t)))
	return verb
}

// row is a node of a task.
type row struct {
	node models.NodeRef
	look look
	// now is what goes on or why it ended so, on one line; whole says it in full.
	now, whole string
	requestID  string
	// retry is when the next try is, zero when none is waited for.
	retry time.Time
}

// ended is the row of a node that has a result.
func ended(item *provision.Item, res *provision.Result) row {
	r := row{node: item.Node.Ref(), look: lookOf(res.Outcome), requestID: res.RequestID}
	if res.Err == nil {
		r.now = res.State
		if res.Note != "" {
			r.now, r.whole = r.now+": "+res.Note, res.Note
		}
		return r
	}
	r.now, r.whole = reason(res.Err), models.OnScreen(res.Err)
	var f *models.Fault
	if errors.As(res.Err, &f) {
		r.requestID = cmp.Or(r.requestID, f.RequestID)
	}
	return r
}

// reason leaves out what the columns beside it say already.
func reason(err error) string {
	var failed *provision.FailedError
	var refusal *models.Refusal
	switch {
	case errors.As(err, &failed):
		return failed.Reason
	case errors.As(err, &refusal):
		return refusal.WhyOnScreen()
	}
	return body.Short(err)
}

// under is the row of a node on which the task still works; verb says that it ends where
// the node comes to rest.
func under(item *provision.Item, p provision.Progress, heard, verb bool) row {
	r := row{node: item.Node.Ref()}
	switch {
	case item.Refusal != nil:
		r.look = lookOf(provision.OutcomeRefused)
		r.now, r.whole = item.Refusal.WhyOnScreen(), item.Refusal.OnScreen()
		return r
	case !heard:
		r.look = look{glyph: theme.GlyphIdle, word: "waiting", role: theme.Muted}
		r.now = "not sent, or no response yet"
		return r
	}
	r.look = look{glyph: theme.GlyphWorking, word: "running", role: theme.Busy}
	if verb && p.State.Resting() {
		r.look = look{glyph: theme.GlyphIdle, word: "done", role: theme.Plain}
	}
	r.now = strings.TrimSpace(string(p.State) + "  " + p.Step)
	switch {
	case p.Retry != nil && p.Retry.Fault != nil:
		f := p.Retry.Fault
		why := string(f.Kind)
		if f.LockedBy != "" {
			why = "locked by " + f.LockedBy
		}
		r.look = look{glyph: theme.GlyphWaiting, word: "retrying", role: theme.Wait}
		r.now = fmt.Sprintf("%s, try %d of %d", why, p.Retry.Attempt+1, p.Retry.Tries)
		r.whole, r.requestID = models.OnScreen(f), f.RequestID
	case p.Fault != nil:
		r.look = look{glyph: theme.GlyphMaint, word: "unseen", role: theme.Warn}
		r.now = "not reachable: " + p.Fault.Reason()
		r.whole, r.requestID = models.OnScreen(p.Fault), p.Fault.RequestID
	}
	return r
}
