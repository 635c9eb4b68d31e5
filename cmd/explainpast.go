package cmd

import (
	"context"
	"iter"
	"slices"
	"time"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/ui/screen"
)

// explainLive explains a node of a console's session: what is seen of the fleet is not
// asked for again. The sources are those beside the store, the journal and the BMC.
func explainLive(
	api provision.ExplainAPI, store *fleet.Store, kept screen.Journal, sources provision.ExplainSources,
) func(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error) {
	return func(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error) {
		sources := sources
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
}

func byUUID(a, b *models.Row) int {
	switch {
	case a.Node.UUID < b.Node.UUID:
		return -1
	case a.Node.UUID > b.Node.UUID:
		return 1
	}
	return 0
}

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

// keptPast is the last piece of work on a node that was kept, with what matters of its log.
func keptPast(ctx context.Context, kept screen.Journal, experience *models.Experience, n *models.Node, now time.Time) (provision.Past, error) {
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

// logReach is how far back the log is read when the beginning of the work is unknown.
const logReach = 2 * time.Hour

// pastOf is a piece of work on a node, nil where none was seen, with what others took, and
// what matters of the log. The server's clock is ahead of this one by skew.
func pastOf(
	ctx context.Context, kept screen.Journal, experience *models.Experience, work *models.Work, n *models.Node, now time.Time, skew time.Duration,
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
	from, to := now.Add(-logReach), time.Time{}
	known := work != nil && (work.End.IsZero() || n.ProvisionState.Failed())
	if known {
		from = work.Begin
		if !work.End.IsZero() {
			to = work.End.Add(time.Minute)
		}
	}
	past.Lines, past.Boot, err = tellingLines(ctx, kept, n.UUID, from, to, skew)
	if !known && past.Boot != nil { // an earlier boot may be one of other work
		begin := past.Boot.Begin().Add(-skew)
		past.Lines = slices.DeleteFunc(past.Lines, func(l models.LogLine) bool { return l.Received.Before(begin) })
	}
	return past, err
}

// tellingLines are the last line of each error that is known, and the last line of all, with
// what the log tells of the last boot, nil without a log.
func tellingLines(ctx context.Context, kept screen.Journal, uuid string, from, to time.Time, skew time.Duration) ([]models.LogLine, *explain.BootLog, error) {
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
