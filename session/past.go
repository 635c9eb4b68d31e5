package session

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
)

// learnFrom is of how many past pieces of each kind of work it is learnt how long they
// take: the last ones, for firmware and images change.
const learnFrom = 200

// Past is what was kept of past work; *journal.Journal has it.
type Past interface {
	// OfNode gives the last pieces of work on a node, the newest first.
	OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error)
	// Latest gives the last pieces of each kind of work that ended.
	Latest(ctx context.Context, most int) ([]models.Work, error)
	// Lines gives the lines of the log of a node that were kept of a time, the oldest
	// first; it ends with the first error.
	Lines(ctx context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error]
}

// Experience is what past work took, as far as it is known; what cannot be read is told.
func (s *Session) Experience(ctx context.Context, kept Past) *models.Experience {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	past, err := kept.Latest(ctx, learnFrom)
	if err != nil && ctx.Err() == nil {
		s.complain(err)
	}
	return models.NewExperience(past)
}

// ExplainSeen explains a node of which a store has a live picture: what is seen of the fleet
// is not asked for again. The sources are those beside the store, the journal and the BMC.
func ExplainSeen(
	ctx context.Context, api provision.ExplainAPI, store *fleet.Store, kept Past, sources provision.ExplainSources, uuid string, bmc *explain.BMCFacts,
) (*provision.Explained, error) {
	sources.Others = func(context.Context) ([]*models.Row, error) {
		return store.Rows(models.Filter{}, models.Column{Key: "uuid", Compare: byUUID}, false), nil
	}
	sources.Seen = func(uuid string) (models.Row, bool) {
		row, _, there := store.Get(uuid)
		return row, there
	}
	sources.Past = func(ctx context.Context, n *models.Node, now time.Time) (provision.Past, error) {
		latest, err := kept.Latest(ctx, learnFrom)
		if err != nil {
			return provision.Past{}, err
		}
		works, err := kept.OfNode(ctx, n.UUID, 1)
		if err != nil {
			return provision.Past{}, err
		}
		return pastOf(ctx, kept, models.NewExperience(latest), watchedWork(works, store, n.UUID), n, now, store.Status().Skew)
	}
	sources.BMC = func(context.Context, *models.Node, time.Time) (*explain.BMCFacts, error) { return bmc, nil }
	return provision.NewExplainer(api, sources).Explain(ctx, uuid)
}

func byUUID(a, b *models.Row) int { return strings.Compare(a.Node.UUID, b.Node.UUID) }

// watchedWork is the work that was watched from here, or the one that was kept where that is
// a later one: what goes on may not be written yet.
func watchedWork(kept []models.Work, store *fleet.Store, uuid string) *models.Work {
	const apart = time.Second // the journal's times are rounded
	row, evidence, there := store.Get(uuid)
	work, seen := evidence.Work(&row)
	switch {
	case len(kept) > 0 && (!there || !seen || kept[0].Begin.Sub(work.Begin) > apart):
		return &kept[0]
	case !there || !seen:
		return nil
	}
	return &work
}

// KeptPast is the last piece of work on a node that was kept, with what matters of its log.
func KeptPast(ctx context.Context, kept Past, experience *models.Experience, n *models.Node, now time.Time) (provision.Past, error) {
	works, err := kept.OfNode(ctx, n.UUID, 1)
	if err != nil {
		return provision.Past{}, err
	}
	var work *models.Work
	if len(works) > 0 {
		work = &works[0]
	}
	return pastOf(ctx, kept, experience, work, n, now, time.Until(now))
}

// LogReach is how far back the log is read when the beginning of the work is unknown.
const LogReach = 2 * time.Hour

// pastOf is a piece of work on a node, nil where none was seen, with what others took, and
// what matters of the log. The server's clock is ahead of this one by skew.
func pastOf(
	ctx context.Context, kept Past, experience *models.Experience, work *models.Work, n *models.Node, now time.Time, skew time.Duration,
) (past provision.Past, err error) {
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
	past.Lines, past.Boot, err = TellingLines(ctx, kept, n.UUID, from, to, skew)
	if !known && past.Boot != nil { // an earlier boot may be one of other work
		begin := past.Boot.Begin().Add(-skew)
		past.Lines = slices.DeleteFunc(past.Lines, func(l models.LogLine) bool { return l.Received.Before(begin) })
	}
	return past, err
}

// TellingLines are the last line of each error that is known, and the last line of all, with
// what the log tells of the last boot, nil without a log.
func TellingLines(ctx context.Context, kept Past, uuid string, from, to time.Time, skew time.Duration) ([]models.LogLine, *explain.BootLog, error) {
	lines, boot, err := tellingOf(kept.Lines(ctx, uuid, from, to), skew)
	if boot != nil || err != nil {
		return lines, boot, err
	}
	// The journal goes by the machine's clock, which may be years off: then it matters when
	// the lines came.
	return tellingOf(func(yield func(models.LogLine, error) bool) {
		for l, err := range kept.Lines(ctx, uuid, time.Time{}, time.Time{}) {
			if err == nil && (l.Received.Before(from) || !to.IsZero() && l.Received.After(to)) {
				continue
			}
			if !yield(l, err) {
				return
			}
		}
	}, skew)
}

func tellingOf(all iter.Seq2[models.LogLine, error], skew time.Duration) ([]models.LogLine, *explain.BootLog, error) {
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
		boot.Take(&here)
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
