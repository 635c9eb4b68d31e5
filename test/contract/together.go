package contract

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

// together covers simultaneous requests. They are not written as steps, because steps run one after another.
func together(t *testing.T, s *Subject, count *tally) {
	t.Helper()
	t.Run("together", func(t *testing.T) {
		for _, b := range []struct {
			name string
			run  func(t *testing.T, s *Subject)
		}{
			{"six-want-an-instance-uuid", sixInstances},
			{"six-make-the-same-name", sixNames},
			{"six-change-extra", sixChanges},
			{"forty-change-extra", fortyChanges},
		} {
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				count.ran.Add(1)
				b.run(t, s)
			})
		}
	})
}

// sendTogether sends the given number of requests at the same time, and returns the sorted statuses of the responses.
// body returns the body of request i.
func sendTogether(c *session, count int, call string, body func(i int) string) []string {
	c.t.Helper()
	answers := make([]string, count)
	// The words in braces are replaced first, because a session is not safe for concurrent use.
	steps := make([]step, len(answers))
	for i := range steps {
		steps[i] = step{call: c.fill(call), body: c.fill(body(i))}
	}
	var running sync.WaitGroup
	for i := range answers {
		running.Go(func() {
			a, err := c.try(c.t.Context(), steps[i])
			if err != nil {
				answers[i] = err.Error()
				return
			}
			answers[i] = fmt.Sprint(a.status)
		})
	}
	running.Wait()
	slices.Sort(answers)
	return answers
}

// sixInstances checks that only one of six simultaneous requests sets instance_uuid.
func sixInstances(t *testing.T, s *Subject) {
	c := newSession(t, s)
	got := sendTogether(c, 6, "PATCH /v1/nodes/{node}", func(i int) string {
		return fmt.Sprintf(`[{"op": "add", "path": "/instance_uuid", "value": "{uuid%d}"}]`, i+1)
	})
	if want := []string{"200", "409", "409", "409", "409", "409"}; !slices.Equal(got, want) {
		t.Errorf("answers %v, want %v", got, want)
	}
}

func sixNames(t *testing.T, s *Subject) {
	c := newSession(t, s)
	got := sendTogether(c, 6, "POST /v1/nodes", func(int) string { return `{"driver": "fake-hardware", "name": "{word1}"}` })
	if want := []string{"201", "409", "409", "409", "409", "409"}; !slices.Equal(got, want) {
		t.Errorf("answers %v, want %v", got, want)
	}
}

// sixChanges checks that simultaneous changes to a node wait for each other or are rejected. A real Ironic may lose
// one of two changes to different keys, because it reads a node before locking it.
func sixChanges(t *testing.T, s *Subject) {
	c := newSession(t, s)
	answers := sendTogether(c, 6, "PATCH /v1/nodes/{node}", func(i int) string {
		return fmt.Sprintf(`[{"op": "add", "path": "/extra/k%d", "value": %d}]`, i, i)
	})
	changed := 0
	for _, status := range answers {
		switch status {
		case "200":
			changed++
		case "409":
		default:
			t.Errorf("answers %v, want 200 or 409", answers)
		}
	}
	a := c.send(step{call: "GET /v1/nodes/{node}"})
	if n, _ := lookUp(a.body, "extra.len").(int); n < 1 || n > changed {
		t.Errorf("after %d changes extra is %v", changed, lookUp(a.body, "extra"))
	} else if n < changed {
		t.Logf("%d of %d changes are left", n, changed)
	}
}

// fortyChanges checks that, of many simultaneous changes, some are accepted and the others are rejected, because each
// change locks the node. A real Ironic accepts about ten of forty, or all of them if the machine is so busy that they
// arrive one after another.
func fortyChanges(t *testing.T, s *Subject) {
	c := newSession(t, s)
	count := map[string]int{}
	for _, status := range sendTogether(c, 40, "PATCH /v1/nodes/{node}", func(i int) string {
		return fmt.Sprintf(`[{"op": "add", "path": "/extra/k%d", "value": %d}]`, i, i)
	}) {
		count[status]++
	}
	t.Logf("%s: %v", s.Name, count)
	if count["200"] < 5 || count["200"]+count["409"] != 40 {
		t.Errorf("answers %v, want at least 5 of 200, else 409", count)
	}
}
