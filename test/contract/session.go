package contract

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ironworks/test/ironic"
)

const (
	// patience limits the time for which UNTIL waits, and interval is the time between two polls. machinePatience and
	// machineInterval replace them for nodes that have a machine. A poll costs a real Ironic 10 ms.
	patience        = 20 * time.Second
	machinePatience = 2 * time.Minute
	machineInterval = 400 * time.Millisecond
	interval        = 40 * time.Millisecond
)

// session runs one behavior. It holds the values of the words in braces.
type session struct {
	t          *testing.T
	subject    *Subject
	nodeFields string
	values     map[string]string
	patience   time.Duration // how long UNTIL waits
	interval   time.Duration // the time between two polls
}

func newSession(t *testing.T, s *Subject) *session {
	t.Helper()
	return &session{t: t, subject: s, values: map[string]string{"url": s.URL}, patience: patience, interval: interval}
}

var word = regexp.MustCompile(`\{(node|name|other|otherName|(?:mac|uuid|word)\d|[a-z]+\d?)\}`)

// fill replaces the words in braces with their values.
func (c *session) fill(text string) string {
	c.t.Helper()
	return word.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "{}")
		if value, ok := c.values[name]; ok {
			return value
		}
		if !c.make(name) {
			return found
		}
		return c.values[name]
	})
}

// make creates a value for a word that has none yet. It reports whether the word is known.
func (c *session) make(name string) bool {
	c.t.Helper()
	switch {
	case name == "node" || name == "name":
		c.enroll("node", "name")
	case name == "other" || name == "otherName":
		c.enroll("other", "otherName")
	case strings.HasPrefix(name, "mac"):
		var b [4]byte
		_, _ = rand.Read(b[:])
		c.values[name] = fmt.Sprintf("52:54:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
	case strings.HasPrefix(name, "uuid"):
		c.values[name] = uuid.NewString()
	case strings.HasPrefix(name, "word"):
		c.values[name] = "w" + strings.ToLower(rand.Text()[:12])
	case strings.HasPrefix(name, "trait"):
		c.values[name] = "CUSTOM_" + rand.Text()[:12]
	default:
		return false
	}
	return true
}

// enroll creates a node. Its UUID and its name become the values of the words that the parameters uuid and name
// contain.
func (c *session) enroll(uuid, name string) {
	c.t.Helper()
	c.values[name] = "n-" + strings.ToLower(rand.Text()[:12])
	fields := map[string]any{"driver": "fake-hardware", "name": c.values[name]}
	if c.nodeFields != "" {
		if err := json.Unmarshal([]byte(c.fill(c.nodeFields)), &fields); err != nil {
			c.t.Fatalf("the fields of the node: %v", err)
		}
	}
	c.values[uuid] = c.post("/v1/nodes", fields)
}

// set puts {node} into the state that text describes, as in "wait call-back > active".
func (c *session) set(text string) {
	c.t.Helper()
	state, target, _ := strings.Cut(text, ">")
	uuid := c.fill("{node}")
	c.subject.writing.Lock()
	defer c.subject.writing.Unlock()
	c.subject.SetState(c.t, uuid, strings.TrimSpace(state), strings.TrimSpace(target))
}

func (c *session) reserve(host string) {
	c.t.Helper()
	uuid := c.fill("{node}")
	c.subject.writing.Lock()
	defer c.subject.writing.Unlock()
	c.subject.Reserve(c.t, uuid, host)
}

// unfill replaces values with their words in braces, the longest values first. It ignores values of fewer than 6
// bytes.
func (c *session) unfill(text string) string {
	names := slices.Collect(maps.Keys(c.values))
	slices.SortFunc(names, func(a, b string) int {
		if d := len(c.values[b]) - len(c.values[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		if value := c.values[name]; len(value) >= 6 {
			text = strings.ReplaceAll(text, value, "{"+name+"}")
		}
	}
	return text
}

// step runs one step and compares the response.
func (c *session) step(i int, s step) {
	c.t.Helper()
	switch verb, rest, _ := strings.Cut(s.call, " "); verb {
	case "SET":
		c.set(rest)
	case "LOCK":
		c.reserve(rest)
	case "UNLOCK":
		c.reserve("")
	case "UNTIL":
		c.until(i, s)
	default:
		a := c.send(s)
		c.compare(i, s, a)
		c.save(s, a)
	}
}

func (c *session) compare(i int, s step, a answer) {
	c.t.Helper()
	got := c.render(a, s.see)
	want := s.wanted(c.subject.Kind)
	if want == "" && a.status < http.StatusBadRequest || want != "" && matches(want, got) {
		return
	}
	c.t.Errorf("step %d: %s\n body: %s\n want: %s\n  got: %s\n  raw: %s", i+1, c.fill(s.call), c.fill(s.body), want, got, a.raw)
	if want == "" {
		c.t.FailNow()
	}
}

func matches(want, got string) bool {
	if pattern, ok := strings.CutPrefix(want, "~"); ok {
		return regexp.MustCompile(`(?s)^(?:` + pattern + `)$`).MatchString(got)
	}
	return want == got
}

// until repeats the request of a step until the response is as wanted or c.patience has passed.
func (c *session) until(i int, s step) {
	c.t.Helper()
	s.call = strings.Replace(s.call, "UNTIL", "GET", 1)
	want := s.wanted(c.subject.Kind)
	c.compare(i, s, c.poll(s, func(a answer) bool { return matches(want, c.render(a, s.see)) }))
}

// poll repeats a request until done returns true for the response or c.patience has passed. It returns the last
// response.
func (c *session) poll(s step, done func(answer) bool) (last answer) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), c.patience)
	defer cancel()
	_ = ironic.Poll(ctx, c.interval, func(context.Context) (bool, error) { // the caller checks the response
		last = c.send(s)
		return done(last), nil
	})
	return last
}

// save stores a value of the response for later steps.
func (c *session) save(s step, a answer) {
	c.t.Helper()
	if s.save == "" {
		return
	}
	name, path, _ := strings.Cut(s.save, "=")
	value, ok := lookUp(a.body, path).(string)
	if !ok {
		c.t.Fatalf("%s: no %s in %s", s.call, path, a.raw)
	}
	c.values[name] = value
}
