package ironicclient

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"ironworks/models"
)

func TestEachPage(t *testing.T) {
	t.Parallel()
	rows := strings.Split("abcdefg", "")
	tests := map[string]struct {
		rows  []string
		cap   int
		limit int
		gone  string
		want  string
		sent  int32
	}{
		"one page":                       {rows, 1000, 0, "", "abcdefg", 1},
		"nothing":                        {nil, 1000, 0, "", "", 1},
		"pages":                          {rows, 1000, 3, "", "abcdefg", 3},
		"exact multiple":                 {rows[:6], 1000, 3, "", "abcdef", 3},
		"the server's pages are shorter": {rows, 2, 5, "", "abcdefg", 4},
		"limit left to the server":       {rows, 2, 0, "", "abcdefg", 4},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stepper{rows: tt.rows, cap: tt.cap}
			f := newIronic(t, s.serve)
			got, err := collectPages(t.Context(), client(t, f.URL, Options{}), NodeQuery{Limit: tt.limit})
			if err != nil || strings.Join(got, "") != tt.want || s.served.Load() != tt.sent {
				t.Errorf("%q in %d requests (%v), want %q in %d", got, s.served.Load(), err, tt.want, tt.sent)
			}
		})
	}
}

func TestPageQuery(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		query NodeQuery
		want  string
	}{
		"default": {NodeQuery{}, "fields=" + url.QueryEscape(strings.Join(models.ListFields(), ",")) + "&limit=1000"},
		"all of it": {
			NodeQuery{Fields: []string{"uuid", "name"}, Limit: 5, Marker: "m", SortKey: "name", Descending: true},
			"fields=uuid%2Cname&limit=5&marker=m&sort_dir=desc&sort_key=name",
		},
		"detail":         {NodeQuery{Detail: true, Fields: []string{"name"}}, "detail=true&limit=1000"},
		"hostile marker": {NodeQuery{Fields: []string{"uuid"}, Marker: "a&limit=1#x"}, "fields=uuid&limit=1000&marker=a%26limit%3D1%23x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, nodes())
			if _, err := client(t, f.URL, Options{}).NodePage(t.Context(), tt.query); err != nil {
				t.Fatal(err)
			}
			if got := url.Values(f.all()[0].query).Encode(); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestPageKeepsRaw(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusOK, `{"nodes":[{"uuid":"a","new":1}],"next":5}`))
	c := client(t, f.URL, Options{})
	for _, keep := range []bool{false, true} {
		page, err := c.NodePage(t.Context(), NodeQuery{KeepRaw: keep})
		if err != nil || page.More || (string(page.Nodes[0].Raw) == `{"uuid":"a","new":1}`) != keep {
			t.Errorf("keep %v: %+v %v", keep, page, err)
		}
		if page.Date.IsZero() {
			t.Error("the server's clock is lost")
		}
	}
}

func TestDeletedMarkers(t *testing.T) {
	t.Parallel()
	s := &stepper{rows: strings.Split("abcdefg", ""), cap: 3, gone: map[string]bool{}}
	s.after = func(last string) {
		switch last {
		case "c":
			s.gone["c"], s.gone["b"] = true, true
		case "f": // more than the previous page was deleted
			s.gone["d"], s.gone["e"], s.gone["f"] = true, true, true
		}
	}
	f := newIronic(t, s.serve)
	c := client(t, f.URL, Options{})
	var got []string
	err := c.EachPage(t.Context(), NodeQuery{Fields: []string{"uuid"}, Limit: 3}, func(p *NodePage) error {
		for i := range p.Nodes {
			got = append(got, p.Nodes[i].UUID)
		}
		return nil
	})
	if err != nil || strings.Join(got, "") != "abcdefg" {
		t.Errorf("%q %v", got, err)
	}
}

func TestAllMarkersDeleted(t *testing.T) {
	t.Parallel()
	s := &stepper{rows: strings.Split("abcd", ""), cap: 2, gone: map[string]bool{}}
	s.after = func(string) { s.gone["a"], s.gone["b"] = true, true }
	f := newIronic(t, s.serve)
	err := client(t, f.URL, Options{}).EachPage(t.Context(), NodeQuery{Fields: []string{"uuid"}}, func(*NodePage) error { return nil })
	wantFault(t, err, models.FaultNotFound)
	if n := s.served.Load(); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestStepsBackAreBounded(t *testing.T) {
	t.Parallel()
	s := &stepper{cap: 200, gone: map[string]bool{}}
	for i := range 200 {
		s.rows = append(s.rows, fmt.Sprintf("n%03d", i))
	}
	s.after = func(string) {
		for _, r := range s.rows {
			s.gone[r] = true
		}
	}
	f := newIronic(t, s.serve)
	err := client(t, f.URL, Options{}).EachPage(t.Context(), NodeQuery{Fields: []string{"uuid"}}, func(*NodePage) error { return nil })
	wantFault(t, err, models.FaultNotFound)
	if n := s.served.Load(); n != 2+stepsBack {
		t.Errorf("%d requests", n)
	}
}

func TestRepeatedPage(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusOK, strings.TrimSuffix(nodesJSON("a", "b"), "}")+`,"next":"x"}`))
	got, err := collectPages(t.Context(), client(t, f.URL, Options{}), NodeQuery{})
	mustSay(t, mustFault(t, err, models.FaultRepeatedPage), "the page after marker b repeats", "from a on", "ignores the marker")
	if strings.Join(got, "") != "ab" || len(f.all()) != 2 {
		t.Errorf("%q in %d requests", got, len(f.all()))
	}
}

func TestDuplicateAcrossPages(t *testing.T) {
	t.Parallel()
	page := func(next bool, names ...string) handler {
		body := nodesJSON(names...)
		if next {
			body = strings.TrimSuffix(body, "}") + `,"next":"x"}`
		}
		return reply(http.StatusOK, body)
	}
	f := newIronic(t, replies(page(true, "a", "b"), page(true, "b", "c"), page(false, "c", "d")))
	got, err := collectPages(t.Context(), client(t, f.URL, Options{}), NodeQuery{})
	if err != nil || strings.Join(got, "") != "abcd" {
		t.Errorf("%q %v", got, err)
	}
	var markers []string
	for _, r := range f.all() {
		markers = append(markers, r.query["marker"]...)
	}
	if !slices.Equal(markers, []string{"b", "c"}) {
		t.Errorf("markers %q", markers)
	}
}

func TestEachPageStops(t *testing.T) {
	t.Parallel()
	s := &stepper{rows: strings.Split("abcd", ""), cap: 1}
	f := newIronic(t, s.serve)
	enough := errors.New("enough")
	err := client(t, f.URL, Options{}).EachPage(t.Context(), NodeQuery{}, func(*NodePage) error { return enough })
	// The next page may already have been requested.
	if !errors.Is(err, enough) || s.served.Load() > 2 {
		t.Errorf("%v after %d requests", err, s.served.Load())
	}
}

func TestCollections(t *testing.T) {
	t.Parallel()
	f := newIronic(t, replies(
		reply(200, `{"ports":[{"uuid":"a"},{"uuid":"b"}],"next":"http://wrong.invalid/"}`),
		reply(200, `{"ports":[{"uuid":"b"},{"uuid":"c"}],"next":"http://wrong.invalid/"}`),
		reply(200, `{"ports":[]}`),
	))
	ports, err := client(t, f.URL, Options{}).Ports(t.Context(), "n")
	if err != nil || len(ports) != 3 || ports[2].UUID != "c" {
		t.Fatalf("%+v %v", ports, err)
	}
	var markers []string
	for _, r := range f.all() {
		markers = append(markers, strings.Join(r.query["marker"], " "))
		if r.query["node"][0] != "n" {
			t.Errorf("the filter is lost: %v", r.query)
		}
	}
	if !slices.Equal(markers, []string{"", "b", "c"}) {
		t.Errorf("markers %q", markers)
	}
	same := newIronic(t, reply(200, `{"ports":[{"uuid":"a"}],"next":"x"}`))
	_, err = client(t, same.URL, Options{}).Ports(t.Context(), "n")
	wantFault(t, err, models.FaultRepeatedPage)
	none := newIronic(t, reply(200, `{"x":[]}`))
	_, err = client(t, none.URL, Options{}).Ports(t.Context(), "n")
	mustSay(t, mustFault(t, err, models.FaultBadAnswer), "no readable ports in the response")
}
