package ironicclient

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestLastUUID(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"last of several":      {`{"nodes": [{"uuid": "a"}, {"uuid":"b", "instance_uuid": "c"}], "next": "x"}`, "b"},
		"none":                 {`{"nodes": []}`, ""},
		"null":                 {`{"nodes": [{"uuid": null}]}`, ""},
		"unclosed quote":       {`{"nodes": [{"uuid": "a`, ""},
		"instance_uuid is not": {`{"nodes": [{"instance_uuid": "c"}]}`, ""},
	} {
		if got := lastUUID([]byte(tt.body)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestWrongGuessOfTheNextPage checks that no node is lost or returned twice if the next page is guessed wrongly,
// because another uuid follows the node's own. The page requested in advance is dropped.
func TestWrongGuessOfTheNextPage(t *testing.T) {
	t.Parallel()
	f := newIronic(t, func(w http.ResponseWriter, r *http.Request) {
		body := `{"nodes":[{"uuid":"c"}]}`
		switch r.URL.Query().Get("marker") {
		case "":
			body = `{"nodes":[{"uuid":"a"},{"uuid":"b","extra":{"uuid":"elsewhere"}}],"next":"x"}`
		case "elsewhere":
			ironicError(http.StatusNotFound, "Node elsewhere could not be found.")(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	})
	got, err := collectPages(t.Context(), client(t, f.URL, Options{}), NodeQuery{})
	if err != nil || strings.Join(got, "") != "abc" || len(f.all()) != 3 {
		t.Errorf("%q in %d requests, %v", got, len(f.all()), err)
	}
}

// TestStoppingEarlyEndsTheRequestAhead checks that no goroutine keeps running when the caller stops reading. goleak
// verifies this after all tests.
func TestStoppingEarlyEndsTheRequestAhead(t *testing.T) {
	t.Parallel()
	s := &stepper{rows: strings.Split("abcdef", ""), cap: 2, gone: map[string]bool{}}
	f := newIronic(t, s.serve)
	enough := errors.New("enough")
	err := client(t, f.URL, Options{}).EachPage(t.Context(), NodeQuery{Fields: []string{"uuid"}}, func(*NodePage) error { return enough })
	if !errors.Is(err, enough) {
		t.Error(err)
	}
}
