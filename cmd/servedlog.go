package cmd

import (
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/session"
)

// servedEvery is how often it is kept at most how far a fetch is: a BMC that reads an image as
// a drive asks thousands of times.
const servedEvery = 5 * time.Second

// servedLog keeps who fetches the ramdisks of nodes, as lines of the nodes' logs. Until a
// machine starts, nothing else tells whether its medium was read.
type servedLog struct {
	keep  session.LineKeeper
	nodes map[string]models.NodeRef // by label

	mu   sync.Mutex
	kept map[fetchKey]time.Time
}

// newServedLog keeps what is fetched for nodes. What is for all nodes is kept where there is
// one alone.
func newServedLog(keep session.LineKeeper, nodes []models.Node) *servedLog {
	l := &servedLog{keep: keep, nodes: map[string]models.NodeRef{}, kept: map[fetchKey]time.Time{}}
	for i := range nodes {
		l.nodes[nodes[i].Label()] = nodes[i].Ref()
	}
	if len(nodes) == 1 {
		l.nodes[""] = nodes[0].Ref()
	}
	return l
}

// note takes an event.
func (l *servedLog) note(e *serve.Event) {
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
	if at, before := l.kept[key]; before && !first && e.Kind != serve.EventDone && level != models.LogError && e.Time.Sub(at) < servedEvery {
		return
	}
	l.kept[key] = e.Time
	l.keep([]models.LogLine{agentlog.Harmless(models.LogLine{
		Time: e.Time, Received: e.Time, Node: node, Source: models.LogServe, Unit: "ignition serve", Level: level, Text: text,
	})})
}
