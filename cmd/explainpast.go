package cmd

import (
	"context"
	"time"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
)

// explainLive explains a node of a console's session: what is seen of the fleet is not
// asked for again.
func explainLive(
	api provision.ExplainAPI, store *fleet.Store, kept screen.Journal, changes func(uuid string, now time.Time) []models.NodeChange,
) func(ctx context.Context, uuid string, bmc *models.BMCFacts) (*provision.Explained, error) {
	return func(ctx context.Context, uuid string, bmc *models.BMCFacts) (*provision.Explained, error) {
		others := func(context.Context) ([]*models.Row, error) {
			return store.Rows(models.Filter{}, models.Column{Key: "uuid", Compare: byUUID}, false), nil
		}
		seen := func(uuid string) (models.Row, bool) {
			row, _, there := store.Get(uuid)
			return row, there
		}
		past := func(ctx context.Context, n *models.Node, now time.Time) (provision.Past, error) {
			latest, err := kept.Latest(ctx, learnFrom)
			if err != nil {
				return provision.Past{}, err
			}
			works, err := kept.OfNode(ctx, n.UUID, 1)
			if err != nil {
				return provision.Past{}, err
			}
			return pastOf(ctx, kept, models.NewExperience(latest), watchedWork(works, store, n.UUID), now)
		}
		return provision.NewExplainer(api, provision.ExplainSources{Others: others, Seen: seen, Past: past, Changes: changes, BMC: func(context.Context, *models.Node, time.Time) (*models.BMCFacts, error) {
			return bmc, nil
		}}).Explain(ctx, uuid)
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
	if err != nil || len(works) == 0 {
		return provision.Past{}, err
	}
	return pastOf(ctx, kept, experience, &works[0], now)
}

// pastOf is a piece of work with what others took, and what matters of its log; nil is none.
func pastOf(ctx context.Context, kept screen.Journal, experience *models.Experience, work *models.Work, now time.Time) (past provision.Past, err error) {
	if work == nil {
		return past, nil
	}
	past.Work = work
	if work.End.IsZero() {
		estimate := experience.Estimate(work, now)
		past.Estimate = &estimate
	}
	to := work.End
	if !to.IsZero() {
		to = to.Add(time.Minute)
	}
	past.Lines, err = tellingLines(ctx, kept, work.Node.UUID, work.Begin, to)
	return past, err
}

// tellingLines are the last line of each error that is known, and the last line of all.
func tellingLines(ctx context.Context, kept screen.Journal, uuid string, from, to time.Time) ([]models.LogLine, error) {
	var lines []models.LogLine
	var last *models.LogLine
	at := map[string]int{}
	for l, err := range kept.Lines(ctx, uuid, from, to) {
		if err != nil {
			return lines, err
		}
		last = &l
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
	if last != nil {
		lines = append(lines, *last)
	}
	return lines, nil
}
