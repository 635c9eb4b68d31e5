package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
)

// maxFailures is the number of refusals and failures that are kept for the screen.
const maxFailures = 20

// Serving is an image server that runs in the console.
type Serving struct {
	*serve.Server
	images  *prepare.Images
	targets []prepare.Target
	cancel  context.CancelFunc
	// served records downloads. It is nil without a session.
	served *ServedLog
	done   chan struct{}
	err    error // set before done is closed

	mu       sync.Mutex
	failures []serve.Event
}

func (s *Serving) run(ctx context.Context) {
	defer close(s.done)
	defer s.images.Close()
	s.err = s.Run(ctx)
}

// onEvent stores refusals and failures for the screen, and records downloads in the logs of their nodes.
func (s *Serving) onEvent(e serve.Event) {
	if s.served != nil {
		s.served.Add(&e)
	}
	if e.Kind != serve.EventRefused && e.Kind != serve.EventFailed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, e)
	if more := len(s.failures) - maxFailures; more > 0 {
		s.failures = slices.Delete(s.failures, 0, more)
	}
}

// Targets returns the URLs of the served files, for the driver_info of the nodes.
func (s *Serving) Targets() []prepare.Target { return s.targets }

// Address returns the address that the server listens on.
func (s *Serving) Address() string { return s.Addr().String() }

// Failures returns the last requests that were refused or failed.
func (s *Serving) Failures() []serve.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.failures)
}

// Ended reports whether the server has stopped, and returns the error that stopped it, if any.
func (s *Serving) Ended() (bool, error) {
	select {
	case <-s.done:
		return true, s.err
	default:
		return false, nil
	}
}

// Stop stops the server, and waits until it has stopped.
func (s *Serving) Stop() {
	s.cancel()
	<-s.done
}

// servedEvery limits how often a download is recorded. A BMC that reads an image as a drive sends
// thousands of requests.
const servedEvery = 5 * time.Second

// ServedLog records downloads of ramdisks as lines of the nodes' logs. Until a machine starts,
// nothing else shows whether its image was read.
type ServedLog struct {
	record LineRecorder
	nodes  map[string]models.NodeRef // the nodes by label

	mu       sync.Mutex
	recorded map[fetchKey]time.Time
}

type fetchKey struct {
	item   serve.Served
	remote string
}

// NewServedLog returns a log that records downloads for the given nodes. Downloads of a shared image are recorded
// only if there is a single node.
func NewServedLog(record LineRecorder, nodes []models.Node) *ServedLog {
	l := &ServedLog{record: record, nodes: map[string]models.NodeRef{}, recorded: map[fetchKey]time.Time{}}
	for i := range nodes {
		l.nodes[nodes[i].Label()] = nodes[i].Ref()
	}
	if len(nodes) == 1 {
		l.nodes[""] = nodes[0].Ref()
	}
	return l
}

// Add records an event of the image server.
func (l *ServedLog) Add(e *serve.Event) {
	f := &e.Fetch
	node, known := l.nodes[f.Item.Node]
	if !known || f.Item.Name == "" || e.Kind == serve.EventRefused {
		return
	}
	level := models.LogInfo
	if e.Kind == serve.EventAborted || e.Kind == serve.EventFailed {
		level = models.LogNotice
	}
	text := f.String()
	if e.Kind == serve.EventFailed {
		text, level = f.Item.Name+" could not be sent: "+e.Text, models.LogError
	}
	key := fetchKey{item: f.Item, remote: f.Remote.String()}
	l.mu.Lock()
	defer l.mu.Unlock()
	first := f.Requests <= 1 && (e.Kind == serve.EventAsked || e.Kind == serve.EventBegan)
	if at, before := l.recorded[key]; before && !first && e.Kind != serve.EventDone && level != models.LogError && e.Time.Sub(at) < servedEvery {
		return
	}
	l.recorded[key] = e.Time
	l.record([]models.LogLine{agentlog.Sanitize(models.LogLine{
		Time: e.Time, Received: e.Time, Node: node, Source: models.LogServe, Unit: "ignition serve", Level: level, Text: text,
	})})
}
