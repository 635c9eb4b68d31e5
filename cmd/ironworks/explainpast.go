package main

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
	api provision.ExplainAPI, store *fleet.Store, kept screen.Journal,
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
			past, err := keptPast(ctx, kept, models.NewExperience(latest), n, now)
			watched(&past, store, n)
			return past, err
		}
		return provision.NewExplainer(api, provision.ExplainSources{Others: others, Seen: seen, Past: past, BMC: func(context.Context, *models.Node, time.Time) (*models.BMCFacts, error) {
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

// watched puts the work that was watched from here over the one that was kept, which may
// not be written yet, or be of earlier.
func watched(past *provision.Past, store *fleet.Store, n *models.Node) {
	row, evidence, there := store.Get(n.UUID)
	work, seen := evidence.Work(&row)
	if !there || !seen {
		return
	}
	if past.Work != nil {
		const apart = time.Second // the journal's times are rounded
		switch later := work.Begin.Sub(past.Work.Begin); {
		case later < -apart:
			return
		case later > apart:
			past.Lines, past.Estimate = nil, nil
		}
	}
	past.Work = &work
}

// keptPast is the last piece of work on a node that was kept, with what matters of its log.
func keptPast(ctx context.Context, kept screen.Journal, experience *models.Experience, n *models.Node, now time.Time) (provision.Past, error) {
	works, err := kept.OfNode(ctx, n.UUID, 1)
	if err != nil || len(works) == 0 {
		return provision.Past{}, err
	}
	past := provision.Past{Work: &works[0]}
	if works[0].End.IsZero() {
		estimate := experience.Estimate(&works[0], now)
		past.Estimate = &estimate
	}
	to := works[0].End
	if !to.IsZero() {
		to = to.Add(time.Minute)
	}
	past.Lines, err = tellingLines(ctx, kept, n.UUID, works[0].Begin, to)
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
