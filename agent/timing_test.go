package agent

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// answers is an HTTP transport that simulates Ironic without a network. It records the times of the calls.
type answers struct {
	mu     sync.Mutex
	lookup []int // statuses of successive lookups; the last one is used for all further lookups
	beats  []int
	times  map[string][]time.Duration
	begin  time.Time
}

func (s *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	name, status, body := "root", http.StatusOK, `{"default_version": {"version": "1.115"}}`
	next := func(from *[]int) int {
		first := (*from)[0]
		if len(*from) > 1 {
			*from = (*from)[1:]
		}
		return first
	}
	switch {
	case strings.HasPrefix(r.URL.Path, "/v1/lookup"):
		name, status, body = "lookup", next(&s.lookup), `{"node": {"uuid": "n1"}, "config": {"heartbeat_timeout": 300, "agent_token": "`+testToken+`"}}`
	case strings.HasPrefix(r.URL.Path, "/v1/heartbeat"):
		name, status, body = "heartbeat", next(&s.beats), ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times[name] = append(s.times[name], time.Since(s.begin))
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}, Request: r}, nil
}

// called returns the times at which the API with the given name was called: root, lookup or heartbeat.
func (s *answers) called(name string) []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times[name])
}

func newAnswers() *answers {
	return &answers{lookup: []int{200}, beats: []int{202}, times: map[string][]time.Duration{}, begin: time.Now()}
}

func between(d, low, high time.Duration) bool { return d >= low && d <= high }

func TestLookupBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newAnswers()
		s.lookup = []int{409, 409, 409, 409, 404, 200}
		a := bench(newMetal(), Options{Client: &http.Client{Transport: s}})
		if _, err := a.lookup(t.Context(), t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		at := s.called("lookup")
		// The pauses grow after each conflict. After other errors, the usual pause follows.
		for i, low := range []time.Duration{5, 10, 30, 30, 0} {
			gap := at[i+1] - at[i]
			most := low*time.Second + time.Second<<i
			if !between(gap, low*time.Second+time.Second, most) {
				t.Errorf("pause %d is %v, want %v to %v", i, gap, low*time.Second+time.Second, most)
			}
		}
	})
}

func TestLookupGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newAnswers()
		s.lookup = []int{404}
		a := bench(newMetal(), Options{Client: &http.Client{Transport: s}})
		_, err := a.lookup(t.Context(), t.Context(), "")
		if took := time.Since(s.begin); !errors.Is(err, errNotFound) || took > 300*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newAnswers()
		s.beats = []int{202, 202, 400, 202}
		a := bench(newMetal(), Options{Client: &http.Client{Transport: s}})
		a.cacheNode(newDict("uuid", "n1"))
		a.beats = newHeartbeats(a, toPythonInt(300))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go a.beats.run(ctx)
		synctest.Wait()
		if got := s.called("heartbeat"); len(got) != 1 || got[0] != 0 {
			t.Fatalf("the first came at %v", got)
		}
		a.beats.request()
		time.Sleep(4 * time.Second) //nolint:forbidigo // the bubble's clock
		synctest.Wait()
		if got := len(s.called("heartbeat")); got != 1 {
			t.Errorf("%d within 4 s, asked for or not", got)
		}
		time.Sleep(200 * time.Second) //nolint:forbidigo // the bubble's clock
		synctest.Wait()
		at := s.called("heartbeat")
		if at[1] != 5*time.Second {
			t.Errorf("the one that was asked for came at %v", at[1])
		}
		if gap := at[2] - at[1]; !between(gap, 90*time.Second, 180*time.Second) {
			t.Errorf("the next came after %v", gap)
		}
		if gap := at[3] - at[2]; !between(gap, 5*time.Second, 10*time.Second) {
			t.Errorf("the refused one is repeated after %v", gap)
		}
		cancel()
		synctest.Wait()
	})
}

func TestRefreshFindsHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newAnswers()
		m := newMetal()
		a := bench(m, Options{Client: &http.Client{Transport: s}})
		if _, f := runStep(t, a, deploying, "install_coreos", nodeOf(t, "", "{}"), nil); f != nil {
			t.Fatal(f)
		}
		if len(s.called("lookup")) != 1 {
			t.Errorf("%d lookups, want one for a node without hints", len(s.called("lookup")))
		}
	})
}

func TestNoRoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, journal := time.Now(), &lines{}
		m := newMetal()
		err := Run(t.Context(), Options{IronicURL: "http://192.0.2.1:6385", Client: &http.Client{}, Hardware: m, Journal: journal.add, Faults: Faults{NoRoute: true}})
		if !errors.Is(err, errNoRoute) || time.Since(begin) != 65*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if !journal.has("Main process exited") {
			t.Error("the journal does not tell the end")
		}
	})
}

func TestSlowAndFailingSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		a := bench(newMetal(), Options{Faults: Faults{StepDelay: time.Minute, FailStep: "erase_devices", FailMessage: "disk on fire"}})
		_, f := runStep(t, a, cleaning, "erase_devices", nodeOf(t, "", "{}"), nil)
		if f == nil || f.Type != cleaningError || f.Details != "disk on fire" || time.Since(begin) != time.Minute {
			t.Errorf("%+v after %v", f, time.Since(begin))
		}
	})
}

func TestClockSkew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := bench(newMetal(), Options{Faults: Faults{ClockSkew: 3 * time.Hour}})
		certificate, _, err := newCertificate("192.0.2.7", "worker-1", a.now())
		if err != nil {
			t.Fatal(err)
		}
		leaf := certificate.Leaf
		if leaf == nil {
			leaf = mustParse(t, certificate.Certificate[0])
		}
		if !leaf.NotBefore.After(time.Now()) || leaf.IPAddresses[0].String() != "192.0.2.7" {
			t.Errorf("valid from %v for %v", leaf.NotBefore, leaf.IPAddresses)
		}
	})
}
