package contract

import (
	"strings"
	"testing"
)

// behavior describes something that Ironic does and that a client can observe. Its name is also the name of the
// subtest, and stays stable.
type behavior struct {
	name string
	// since is the minor API version that introduced the behavior. The behavior is not run on subjects with an older
	// version; 0 means every version.
	since int
	// node holds the fields, as JSON, of the node {node}, which is created when a step first names {node} or {name}.
	// Its driver is fake-hardware unless the fields set another one. {other} is a second node with the same fields.
	node string
	// state is the provision state that the node is put into; "" leaves it in enroll. A target state can follow after
	// ">", as in "wait call-back > active".
	state string
	steps []step
}

// step is one request and the expected response.
type step struct {
	// call is a method and a path. Words in braces stand for values: {node}, {name}, {other}, {otherName}, {mac1}…,
	// {uuid1}…, {word1}…, and the names that save assigns. The values replace these words in call and body; in the
	// response, the words replace the values.
	//
	// Some calls are not requests: "SET state > target" and "LOCK host" change {node} through the subject's
	// functions, "UNLOCK" releases the lock, and "UNTIL path" repeats a GET until the response is as wanted.
	call string
	// body is sent unchanged, as JSON.
	body string
	// version is the API version of the request: 1.31, or "none" for no header. The default is the subject's newest
	// version.
	version string
	// header is one additional header, as in "Accept: text/html". An empty value, as in "Content-Type:", removes the
	// header.
	header string
	// see lists the values of the response to compare, separated by spaces; see [session.render]. By default, the
	// text of an error is compared, but only the status of a success.
	see string
	// want is the status, followed by the values that see renders. If want starts with "~", the rest is a regular
	// expression that must match the whole text. If want is empty, any success is accepted.
	want string
	// old is the old release's response, if it differs from want.
	old string
	// save assigns a name to a value of the response, as in "port=uuid".
	save string
}

// wanted returns the response that a subject of the given kind must send.
func (s step) wanted(kind Kind) string {
	if kind == Old && s.old != "" {
		return s.old
	}
	return s.want
}

// group is a list of behaviors about one topic.
type group struct {
	name      string
	behaviors []behavior
	// alone runs the behaviors one after another. One reason is that two threads of a real Ironic that search nodes
	// at the same time overload its SQLite database.
	alone bool
}

// run runs the behaviors that the subject's API version supports. Each behavior uses its own objects, so they can run
// in parallel.
func (g group) run(t *testing.T, s *Subject, count *tally) {
	t.Helper()
	t.Run(g.name, func(t *testing.T) {
		for _, b := range g.behaviors {
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

func (b behavior) run(t *testing.T, s *Subject) {
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

func repeat(text string, times int) string { return strings.Repeat(text, times) }
