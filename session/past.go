package session

import (
	"context"
	"iter"
	"slices"
	"time"

	"ironworks/agentlog"
	"ironworks/audit"
	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/provision"
)

// learnFrom is the number of past operations of each kind that are used for estimates. Only recent ones are used,
// because firmware and images change.
const learnFrom = 200

// JournalReader reads past operations and log lines from the journal. *journal.Journal implements it.
type JournalReader interface {
	// OfNode returns the last operations of a node, newest first. most is the maximum number of operations.
	OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error)
	// Latest returns the last finished operations, newest first, and at most the given number of each kind.
	Latest(ctx context.Context, most int) ([]models.Work, error)
	// Lines returns a node's recorded log lines between from and to, the oldest first. It stops at the first error.
	Lines(ctx context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error]
}

// Experience returns the recorded durations of past operations. If they cannot be read, it reports the error.
func (s *Session) Experience(ctx context.Context, records JournalReader) *models.Experience {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	past, err := records.Latest(ctx, learnFrom)
	if err != nil && ctx.Err() == nil {
		s.reportError(err)
	}
	return models.NewExperience(past)
}

// ExplainSeen explains the state of the node with the given UUID. It uses the live data in store instead of
// requesting it again. The caller need not provide the sources that use the store, the journal or the BMC, because
// ExplainSeen sets them.
func ExplainSeen(
	ctx context.Context, api provision.ExplainAPI, store *fleet.Store, records JournalReader, sources provision.ExplainSources, uuid string, bmc *explain.BMCFacts,
) (*provision.Explained, error) {
	sources.Others = func(context.Context) ([]*models.Row, error) {
		return store.Rows(filter.Filter{}, models.Column{}, false), nil
	}
	sources.Observed = func(uuid string) (models.Row, bool) {
		row, _, there := store.Get(uuid)
		return row, there
	}
	sources.Journal = func(ctx context.Context, n *models.Node, now time.Time) (provision.JournalFacts, error) {
		latest, err := records.Latest(ctx, learnFrom)
		if err != nil {
			return provision.JournalFacts{}, err
		}
		works, err := records.OfNode(ctx, n.UUID, 1)
		if err != nil {
			return provision.JournalFacts{}, err
		}
		return factsOf(ctx, records, models.NewExperience(latest), watchedWork(works, store, n.UUID), n, now, store.Status().Skew)
	}
	sources.BMC = func(context.Context, *models.Node, time.Time) (*explain.BMCFacts, error) { return bmc, nil }
	return provision.NewExplainer(api, sources).Explain(ctx, uuid)
}

// watchedWork returns the node's latest operation that this process has watched, because a running operation may not
// have been recorded yet. If the latest recorded operation began later, it returns the recorded one instead.
func watchedWork(records []models.Work, store *fleet.Store, uuid string) *models.Work {
	const apart = time.Second // the times in the journal are rounded
	row, evidence, there := store.Get(uuid)
	work, seen := evidence.Work(&row)
	switch {
	case len(records) > 0 && (!there || !seen || records[0].Begin.Sub(work.Begin) > apart):
		return &records[0]
	case !there || !seen:
		return nil
	}
	return &work
}

// ExplainSources returns the sources for an explanation without live data. They do not include BMCs.
func (s *Session) ExplainSources(ctx context.Context, records JournalReader) provision.ExplainSources {
	experience := s.Experience(ctx, records)
	return provision.ExplainSources{
		Others: func(ctx context.Context) ([]*models.Row, error) { return provision.ListOthers(ctx, s.Client) },
		Journal: func(ctx context.Context, n *models.Node, now time.Time) (provision.JournalFacts, error) {
			return recordedFacts(ctx, records, experience, n, now)
		},
		Changes: s.KnownChanges().ForNode, Agent: agentlog.ProbeAgent, Ports: s.Client.Ports,
	}
}

// recordedFacts returns the last recorded operation of a node, with the relevant lines of its log.
func recordedFacts(ctx context.Context, records JournalReader, experience *models.Experience, n *models.Node, now time.Time) (provision.JournalFacts, error) {
	works, err := records.OfNode(ctx, n.UUID, 1)
	if err != nil {
		return provision.JournalFacts{}, err
	}
	var work *models.Work
	if len(works) > 0 {
		work = &works[0]
	}
	return factsOf(ctx, records, experience, work, n, now, time.Until(now))
}

// LogReach is the period for which the log is read if the start of the operation is unknown.
const LogReach = 2 * time.Hour

// factsOf returns the facts about the operation in work, which may be nil. While the operation is running, they
// include an estimate of its duration. If n is busy or has failed, they also include the relevant log lines. skew is
// the time by which the server's clock is ahead of this one.
func factsOf(
	ctx context.Context, records JournalReader, experience *models.Experience, work *models.Work, n *models.Node, now time.Time, skew time.Duration,
) (past provision.JournalFacts, err error) {
	if work != nil {
		past.Work = work
		if work.End.IsZero() {
			estimate := experience.Estimate(work, now)
			past.Estimate = &estimate
		}
	}
	if !n.ProvisionState.Busy() && !n.ProvisionState.Failed() {
		return past, nil
	}
	from, to := now.Add(-LogReach), time.Time{}
	known := work != nil && (work.End.IsZero() || n.ProvisionState.Failed())
	if known {
		from = work.Begin
		if !work.End.IsZero() {
			to = work.End.Add(time.Minute)
		}
	}
	past.Lines, past.Boot, err = RelevantLines(ctx, records, n.UUID, from, to, skew)
	if !known && past.Boot != nil { // an earlier boot may be from another operation
		begin := past.Boot.Begin().Add(-skew)
		past.Lines = slices.DeleteFunc(past.Lines, func(l models.LogLine) bool { return l.Received.Before(begin) })
	}
	return past, err
}

// RelevantLines returns the last line of each known error between from and to, and then the last line in that period.
// It also returns the progress of the last boot, or nil if there are no lines.
func RelevantLines(ctx context.Context, records JournalReader, uuid string, from, to time.Time, skew time.Duration) ([]models.LogLine, *explain.BootLog, error) {
	lines, boot, err := relevantLines(records.Lines(ctx, uuid, from, to), skew)
	if boot != nil || err != nil {
		return lines, boot, err
	}
	// No lines were found. The machine's clock may be years off, so select lines by the time of receipt.
	return relevantLines(func(yield func(models.LogLine, error) bool) {
		for l, err := range records.Lines(ctx, uuid, time.Time{}, time.Time{}) {
			if err == nil && (l.Received.Before(from) || !to.IsZero() && l.Received.After(to)) {
				continue
			}
			if !yield(l, err) {
				return
			}
		}
	}, skew)
}

func relevantLines(all iter.Seq2[models.LogLine, error], skew time.Duration) ([]models.LogLine, *explain.BootLog, error) {
	var lines []models.LogLine
	var last *models.LogLine
	var boot explain.BootLog
	at := map[string]int{}
	for l, err := range all {
		if err != nil {
			return lines, nil, err
		}
		if l.Source != models.LogServe {
			last = &l
		}
		here := l
		here.Received = l.Received.Add(skew)
		boot.AddLine(&here)
		if l.Known == "" {
			continue
		}
		if i, there := at[l.Known]; there {
			lines[i] = l
			continue
		}
		at[l.Known] = len(lines)
		lines = append(lines, l)
	}
	switch {
	case last != nil:
		return append(lines, *last), &boot, nil
	case boot.Served != "":
		return lines, &boot, nil
	}
	return nil, nil, nil
}

// HistoryEntry is one entry of a node's history: a request, an operation or a transition.
type HistoryEntry struct {
	Time       time.Time     `json:"time"`
	Request    *audit.Record `json:"request,omitempty"`
	Work       *models.Work  `json:"work,omitempty"`
	Transition *models.Event `json:"transition,omitempty"`
}

const maxWorks = 10_000

// History returns the node's history since the given time, oldest entry first. It combines the operations and
// transitions from the journal (past) with the requests that the audit file contains for the context.
func History(ctx context.Context, past *journal.Journal, auditFile, contextName string, node models.NodeRef, since time.Time) ([]HistoryEntry, error) {
	works, err := past.OfNode(ctx, node.UUID, maxWorks)
	if err != nil {
		return nil, err
	}
	events, err := past.Transitions(ctx, node.UUID, since)
	if err != nil {
		return nil, err
	}
	requests, err := audit.Read(auditFile, contextName, node)
	if err != nil {
		return nil, err
	}
	entries := []HistoryEntry{}
	for i := range requests {
		if r := &requests[i]; !r.Time.Before(since) {
			entries = append(entries, HistoryEntry{Time: r.Time, Request: r})
		}
	}
	for i := range works {
		if w := &works[i]; !w.Begin.Before(since) {
			entries = append(entries, HistoryEntry{Time: w.Begin, Work: w})
		}
	}
	for i := range events {
		entries = append(entries, HistoryEntry{Time: events[i].Time, Transition: &events[i]})
	}
	// The stable sort keeps this order among entries with the same time: requests, operations, transitions.
	slices.SortStableFunc(entries, func(a, b HistoryEntry) int { return a.Time.Compare(b.Time) })
	return entries, nil
}

// Text returns the kind of the entry and a description; both are safe to show.
func (e *HistoryEntry) Text() (what, text string) {
	switch {
	case e.Request != nil:
		return "sent", e.Request.Text()
	case e.Work != nil:
		return e.Work.Noun(), e.Work.Text()
	}
	return "", e.Transition.Text()
}
