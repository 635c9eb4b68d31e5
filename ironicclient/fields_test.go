package ironicclient

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ironworks/models"
)

// picky returns a handler that refuses some fields. It passes a request for a field in bad to that field's handler,
// and all other requests to ok.
func picky(bad map[string]handler, ok handler) handler {
	return func(w http.ResponseWriter, r *http.Request) {
		for field := range strings.SplitSeq(r.URL.Query().Get("fields"), ",") {
			if h := bad[field]; h != nil {
				h(w, r)
				return
			}
		}
		ok(w, r)
	}
}

func asked(f *fakeIronic) []string {
	var list []string
	for _, r := range f.all() {
		list = append(list, strings.Join(r.query["fields"], " "))
	}
	return list
}

func TestRefusedFields(t *testing.T) {
	t.Parallel()
	query := NodeQuery{Fields: []string{"uuid", "name", "health", "driver"}}
	const all = "uuid,name,health,driver"
	tests := map[string]struct {
		bad     map[string]handler
		asked   []string // sent by the first call
		refused []string
	}{
		"named": {
			map[string]handler{"health": ironicError(400, `Field(s) "health" are not valid`)},
			[]string{all, "uuid,health", "uuid,name,driver"},
			[]string{"health"},
		},
		"not named": {
			map[string]handler{"health": ironicError(500, "boom")},
			[]string{all, "uuid", "uuid,name", "uuid,health,driver", "uuid,health", "uuid,driver", "uuid,name,driver"},
			[]string{"health"},
		},
		"too new, not named": {
			map[string]handler{"health": ironicError(406, "Request not acceptable.")},
			[]string{all, "uuid", "uuid,name", "uuid,health,driver", "uuid,health", "uuid,driver", "uuid,name,driver"},
			[]string{"health"},
		},
		"two, one named at a time": {
			map[string]handler{"health": ironicError(400, "bad field health"), "driver": ironicError(400, "bad field driver")},
			[]string{all, "uuid,health", "uuid,name,driver", "uuid,driver", "uuid,name"},
			[]string{"driver", "health"},
		},
		"the named one is innocent": {
			map[string]handler{"health": ironicError(500, "cannot serialize driver of node")},
			[]string{all, "uuid,driver", "uuid", "uuid,name", "uuid,health", "uuid,name,driver"},
			[]string{"health"},
		},
		"all but the uuid": {
			map[string]handler{"health": reply(500, ""), "driver": reply(500, ""), "name": reply(400, "")},
			[]string{all, "uuid", "uuid,name", "uuid,health,driver", "uuid,health", "uuid,driver", "uuid"},
			[]string{"driver", "health", "name"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, picky(tt.bad, nodes("a")))
			c := client(t, f.URL, Options{})
			if _, err := c.NodePage(t.Context(), query); err != nil {
				t.Fatal(err)
			}
			if got := asked(f); !slices.Equal(got, tt.asked) {
				t.Errorf("asked for %q\nwant %q", got, tt.asked)
			}
			for i, r := range f.all() {
				if probe := len(r.query["fields"][0]) < len(tt.asked[0]) && r.query["limit"][0] == "1"; i > 0 && i < len(tt.asked)-1 && !probe &&
					!strings.Contains(tt.asked[i], ",name,driver") {
					t.Errorf("request %d looks at more than one row: %v", i, r.query)
				}
			}
			if !slices.Equal(c.Refused(), tt.refused) {
				t.Errorf("refused %q, want %q", c.Refused(), tt.refused)
			}
			if _, err := c.NodePage(t.Context(), query); err != nil {
				t.Fatal(err)
			}
			if got := asked(f); len(got) != len(tt.asked)+1 || got[len(got)-1] != tt.asked[len(tt.asked)-1] {
				t.Errorf("the second call asked for %q", got[len(tt.asked):])
			}
		})
	}
}

func TestFieldsAreNotToBlame(t *testing.T) {
	t.Parallel()
	// The whole list fails, but requests for a single row do not.
	f := newIronic(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("limit") != "1" {
			ironicError(400, `The sort_key value "name" is an invalid field for sorting`)(w, r)
			return
		}
		nodes("a")(w, r)
	})
	c := client(t, f.URL, Options{})
	_, err := c.NodePage(t.Context(), NodeQuery{Fields: []string{"uuid", "name"}, SortKey: "nonsense"})
	mustSay(t, mustFault(t, err, models.FaultBadRequest), "invalid field for sorting")
	if len(c.Refused()) != 0 {
		t.Errorf("refused %q", c.Refused())
	}
}

// TestNoFieldIsToBlame checks that one additional request is enough to find that the server fails regardless of the
// fields.
func TestNoFieldIsToBlame(t *testing.T) {
	t.Parallel()
	f := newIronic(t, ironicError(500, "boom"))
	c := client(t, f.URL, Options{})
	_, err := c.NodePage(t.Context(), NodeQuery{})
	mustSay(t, mustFault(t, err, models.FaultServer), "boom")
	if want := 2; len(f.all()) != want || len(c.Refused()) != 0 {
		t.Errorf("%d requests, refused %q", len(f.all()), c.Refused())
	}
}

func TestProbingFails(t *testing.T) {
	t.Parallel()
	f := newIronic(t, replies(ironicError(500, "boom"), ironicError(403, "no")))
	c := client(t, f.URL, Options{})
	_, err := c.NodePage(t.Context(), NodeQuery{})
	mustSay(t, mustFault(t, err, models.FaultServer), "boom")
	if len(f.all()) != 2 || len(c.Refused()) != 0 {
		t.Errorf("%d requests, refused %q", len(f.all()), c.Refused())
	}
}

func TestFieldsOfOldVersions(t *testing.T) {
	t.Parallel()
	f := newIronicOf(t, 1, 82, nodes("a"))
	c := client(t, f.URL, Options{})
	fields := []string{"name", "shard", "parent_node", "service_step", "health", "instance_name", "boot_mode"}
	if _, err := c.NodePage(t.Context(), NodeQuery{Fields: fields}); err != nil {
		t.Fatal(err)
	}
	want := []string{"uuid,name,shard,parent_node,service_step,health,instance_name,boot_mode", "uuid,name,shard,boot_mode"}
	if got := asked(f); !slices.Equal(got, want) {
		t.Errorf("asked for %q\nwant %q", got, want)
	}
	if len(c.Refused()) != 0 {
		t.Errorf("what a version lacks was not refused: %q", c.Refused())
	}
}

func TestNodeFields(t *testing.T) {
	t.Parallel()
	f := newIronic(t, picky(map[string]handler{"health": reply(500, "")}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", "Sat, 21 Nov 2026 02:28:01 GMT")
		_, _ = w.Write([]byte(`{"uuid":"u","name":"n"}`))
	}))
	c := client(t, f.URL, Options{})
	n, date, err := c.NodeAt(t.Context(), "n", "name", "health")
	if err != nil || n.Label() != "n" || date.Unix() != 1795228081 {
		t.Fatalf("%+v %v %v", n, date.Unix(), err)
	}
	if want := []string{"uuid,name,health", "uuid", "uuid,name", "uuid,health", "uuid,name"}; !slices.Equal(asked(f), want) {
		t.Errorf("asked for %q, want %q", asked(f), want)
	}
	if r := f.all()[1]; r.path != "/v1/nodes/n" || r.query["limit"] != nil {
		t.Errorf("probed by %s %v", r, r.query)
	}
	if _, err := c.Node(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	if all := f.all(); all[len(all)-1].query["fields"] != nil {
		t.Errorf("a whole node has no list of fields: %v", all[len(all)-1].query)
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"name": true, `field "name"`: true, "the instance_name": false, "names": false, "filename": false, "rename name.": true, "": false,
		"name_x, name": true,
	} {
		if got := mentions(message, "name"); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// stepper serves a list page by page with markers, as Ironic does. A page has at most cap rows, and no more than the
// request's limit. A full page has a next link.
type stepper struct {
	rows   []string
	cap    int
	mu     sync.Mutex
	gone   map[string]bool
	served atomic.Int32
	// after is called with the last row of each page, before the client can request the next page. It may mark rows
	// as deleted.
	after func(last string)
}

func (s *stepper) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served.Add(1)
	marker := r.URL.Query().Get("marker")
	start := 0
	if marker != "" {
		start = slices.Index(s.rows, marker) + 1
		if s.gone[marker] {
			ironicError(404, "Node "+marker+" could not be found.")(w, r)
			return
		}
	}
	size := s.cap
	if l := r.URL.Query().Get("limit"); len(l) == 1 {
		size = min(size, int(l[0]-'0'))
	}
	var page []string
	for _, u := range s.rows[start:] {
		if !s.gone[u] && len(page) < size {
			page = append(page, u)
		}
	}
	if s.after != nil && len(page) > 0 {
		s.after(page[len(page)-1])
	}
	body := nodesJSON(page...)
	if len(page) == size {
		body = strings.TrimSuffix(body, "}") + `,"next":"http://wrong.invalid/v1/nodes?marker=zzz"}`
	}
	_, _ = w.Write([]byte(body))
}

func collectPages(ctx context.Context, c *Client, q NodeQuery) ([]string, error) {
	var got []string
	q.Fields = []string{"uuid"}
	err := c.EachPage(ctx, q, func(p *NodePage) error {
		for i := range p.Nodes {
			got = append(got, p.Nodes[i].UUID)
		}
		return nil
	})
	return got, err
}
