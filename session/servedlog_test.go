package session

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"ironworks/ignition/serve"
	"ironworks/models"
)

// TestServedLog checks that the first request and the end of a download are recorded, but only a few of the requests
// in between.
func TestServedLog(t *testing.T) {
	t.Parallel()
	nodes := []models.Node{{UUID: "u1", Name: "n1"}, {UUID: "u2", Name: "n2"}}
	var kept []string
	l := NewServedLog(func(lines []models.LogLine) {
		for _, line := range lines {
			kept = append(kept, fmt.Sprintf("%s %s %s", line.Node.UUID, line.Source, line.Text))
		}
	}, nodes)
	at := time.Unix(1_795_450_520, 0)
	event := func(after time.Duration, kind serve.EventKind, node string, requests int, covered int64, state serve.State) {
		l.Add(&serve.Event{Time: at.Add(after), Kind: kind, Fetch: serve.Fetch{
			Item: serve.Served{Node: node, Name: node + ".iso"}, Remote: netip.MustParseAddr("10.0.0.9"), Who: node + "'s BMC", Size: 1000,
			Sent: covered, Covered: covered, Requests: requests, State: state, Began: at, Last: at.Add(after),
		}})
	}
	event(0, serve.EventAsked, "n1", 1, 0, serve.Asked)
	event(time.Second, serve.EventBegan, "n1", 2, 0, serve.Fetching)
	for i := range 100 { // the requests of a BMC that reads the image as a drive
		event(time.Second+time.Duration(i)*10*time.Millisecond, serve.EventEnded, "n1", i+2, int64(i), serve.Partial)
	}
	event(7*time.Second, serve.EventEnded, "n1", 200, 500, serve.Partial)
	event(8*time.Second, serve.EventDone, "n1", 300, 1000, serve.Done)
	event(8*time.Second, serve.EventBegan, "n2", 1, 0, serve.Fetching)
	event(8*time.Second, serve.EventBegan, "", 1, 0, serve.Fetching)
	event(8*time.Second, serve.EventRefused, "", 1, 0, serve.Fetching)
	want := []string{
		"u1 serve n1's BMC asked for n1.iso",
		"u1 serve n1's BMC fetched 50 % of n1.iso, 0 B/s, 7s",
		"u1 serve n1's BMC fetched n1.iso: 1000 B in 8s, 125 B/s",
		"u2 serve n2's BMC fetched 0 % of n2.iso, 0 B/s, 8s",
	}
	if fmt.Sprint(kept) != fmt.Sprint(want) {
		t.Errorf("kept %q\nwant %q", kept, want)
	}
	// Downloads of a shared image are recorded if there is only one node.
	kept = nil
	l = NewServedLog(func(lines []models.LogLine) { kept = append(kept, lines[0].Node.UUID) }, nodes[:1])
	event(0, serve.EventBegan, "", 1, 0, serve.Fetching)
	if fmt.Sprint(kept) != "[u1]" {
		t.Errorf("what all share is kept for %v", kept)
	}
}
