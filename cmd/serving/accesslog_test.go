package serving

import (
	"net/netip"
	"testing"
	"time"

	"ironworks/cmd/cli"
	"ironworks/ignition/serve"
)

// TestAccessLogLines checks that the output stays short. A BMC fetches an image in many reads, which are not printed
// individually.
func TestAccessLogLines(t *testing.T) {
	t.Parallel()
	l := NewAccessLog(cli.NewApp(cli.Process{}))
	event := func(kind serve.EventKind, state serve.State, covered int64) string {
		f := serve.Fetch{
			Item: serve.Served{Node: "n1", Name: "n1.iso"}, Who: "n1's BMC", Size: 1000, Sent: covered, Covered: covered, State: state,
			Began: time.Unix(0, 0), Last: time.Unix(2, 0), Rate: 500,
		}
		return l.text(serve.Event{Kind: kind, Fetch: f}, fetchKey{item: f.Item})
	}
	for i, tt := range []struct {
		kind    serve.EventKind
		state   serve.State
		covered int64
		want    string
	}{
		{serve.EventAsked, serve.Asked, 0, "n1's BMC asked for n1.iso"},
		{serve.EventBegan, serve.Fetching, 0, "n1's BMC started fetching n1.iso (1000 B)"},
		{serve.EventProgress, serve.Fetching, 50, ""},
		{serve.EventProgress, serve.Fetching, 615, "n1's BMC fetched 61 % of n1.iso, 500 B/s, 2s"},
		{serve.EventEnded, serve.Partial, 640, ""},
		{serve.EventBegan, serve.Fetching, 640, ""},
		{serve.EventDone, serve.Done, 1000, "n1's BMC fetched n1.iso: 1000 B in 2s, 500 B/s"},
	} {
		if got := event(tt.kind, tt.state, tt.covered); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
	refused := serve.Event{Kind: serve.EventRefused, Count: 3, Fetch: serve.Fetch{Remote: netip.MustParseAddr("192.0.2.9")}}
	if got := l.text(refused, fetchKey{remote: "192.0.2.9"}); got != "192.0.2.9 requested an unknown URL (3 times)" {
		t.Error(got)
	}
}
