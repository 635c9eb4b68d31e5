package contract

import (
	"strings"
	"testing"
)

// behaviour is one thing that an Ironic does, seen by a client. Its name is
// that of the subtest and stays as it is.
type behaviour struct {
	name string
	// since is the minor API version that has it; a subject that is older does
	// not run it. 0: all have it.
	since int
	// node are fields of the node that {node} stands for, as JSON. The node is
	// made when a step first names {node} or {name}, by fake-hardware unless
	// the fields say otherwise. {other} is a second one like it.
	node string
	// state is what the node is put into; "" leaves it in enroll. A target
	// follows after ">", as in "wait call-back > active".
	state string
	steps []step
}

// step is one call and what is expected of it.
type step struct {
	// call is a method and a path. Words in braces stand for values: {node},
	// {name}, {other}, {otherName}, {mac1}…, {uuid1}…, {word1}… and what save
	// kept; they are put in here and in body, and back into what is answered.
	//
	// Some calls are the test's own: "SET state > target" and "LOCK host" work
	// on {node} by the subject's functions, "UNLOCK" undoes the latter, and
	// "UNTIL path" gets the path until it is as wanted.
	call string
	// body is sent as it is, as JSON.
	body string
	// version is the API version: 1.31, or "none" for no header. Without it
	// the subject's newest is asked for.
	version string
	// header is one more, as in "Accept: text/html"; "Content-Type:" sends none.
	header string
	// see are the values of the answer that are compared, apart by blanks; see
	// [rendering]. Without it a refusal shows its text, anything else only its
	// status.
	see string
	// want is the status and what see shows. With "~" in front it is a regular
	// expression for all of it. Empty: any success.
	want string
	// old is what the old release answers where that is something else.
	old string
	// save keeps a value of the answer: "port=uuid".
	save string
}

// wanted is what a subject is to answer.
func (s step) wanted(kind Kind) string {
	if kind == Old && s.old != "" {
		return s.old
	}
	return s.want
}

// group is behaviours of one subject matter.
type group struct {
	name       string
	behaviours []behaviour
	// alone has the behaviours run one after the other. Two threads of a real
	// Ironic that look for nodes at the same time are too much for SQLite.
	alone bool
}

// run runs the behaviours that the subject has. What they make is their own,
// so that they can run beside each other.
func (g group) run(t *testing.T, s *Subject, count *tally) {
	t.Helper()
	t.Run(g.name, func(t *testing.T) {
		for _, b := range g.behaviours {
			if !s.has(b.since) {
				count.tooNew.Add(1)
				continue
			}
			t.Run(b.name, func(t *testing.T) {
				if !g.alone {
					t.Parallel()
				}
				count.ran.Add(1)
				b.run(t, s)
			})
		}
	})
}

func (b behaviour) run(t *testing.T, s *Subject) {
	t.Helper()
	c := newSession(t, s)
	c.nodeFields = b.node
	if b.state != "" {
		c.set(b.state)
	}
	for i, step := range b.steps {
		c.step(i, step)
	}
}

// stateAndTarget takes "wait call-back > active" apart.
func stateAndTarget(text string) (state, target string) {
	state, target, _ = strings.Cut(text, ">")
	return strings.TrimSpace(state), strings.TrimSpace(target)
}

// many repeats a text.
func many(text string, times int) string { return strings.Repeat(text, times) }
