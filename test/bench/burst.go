package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/test/ironic"
)

// burstNodes is the number of nodes that are changed or deleted together.
const burstNodes = 2000

// pageRequest is a request for a page of nodes, made by the poller.
type pageRequest struct {
	began time.Time
	query ironicclient.NodeQuery
}

// quiet counts the requests during 30 s without changes, after the poller has slowed down.
func quiet(ctx context.Context, api *metered) error {
	if err := wait(ctx, 40*time.Second); err != nil {
		return err
	}
	const while = 30 * time.Second
	api.takeCounters()
	if err := wait(ctx, while); err != nil {
		return err
	}
	spent, calls := api.takeCounters()
	fmt.Printf("  quiet fleet for %s: %d requests (2 in each period of 4.5 to 5 s: 12 to 14), API time %s\n", while, calls, spent.Round(time.Millisecond))
	return nil
}

// bursts changes burstNodes nodes at once in Ironic's database, and later deletes as many. For each burst, it prints
// the time until 99 % of the changes are reported, compared with the time that curl takes for the same pages.
func bursts(ctx context.Context, s *ironic.Server, api *metered, events <-chan models.Event) error {
	db, err := database(s)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	chosen := func(factor int) string {
		return fmt.Sprintf("(SELECT id FROM nodes WHERE name LIKE 'bulk-%%' ORDER BY (id * %d) %% 10007 LIMIT %d)", factor, burstNodes)
	}
	for _, b := range []struct {
		what, statement string
		told            func(models.Event) bool
	}{
		{
			// The time has the format in which SQLAlchemy stores it.
			"changed", "UPDATE nodes SET power_state = 'power on', updated_at = strftime('%Y-%m-%d %H:%M:%f', 'now') || printf('%03d', id % 1000) " +
				"WHERE id IN " + chosen(7919),
			func(e models.Event) bool { return e.Kind == models.EventPower && e.To == string(models.PowerOn) },
		},
		{
			"deleted", "DELETE FROM nodes WHERE id IN " + chosen(4241),
			func(e models.Event) bool { return e.Kind == models.EventRemoved },
		},
	} {
		api.takeCounters()
		if _, err := db.ExecContext(ctx, b.statement); err != nil {
			return fmt.Errorf("%s: %w", b.what, err)
		}
		began := time.Now()
		if err := until(ctx, events, b.told, burstNodes*99/100); err != nil {
			return fmt.Errorf("%s: %w", b.what, err)
		}
		ended := time.Now()
		pages := api.pagesSince(began)
		if len(pages) == 0 {
			return fmt.Errorf("%s: no page was requested", b.what)
		}
		// The time from the burst to the first page does not count, because it depends only on the poller's period.
		took := ended.Sub(pages[0].began)
		curl, err := curled(ctx, s, pages)
		if err != nil {
			return err
		}
		fmt.Printf("  burst of %d %s: 99 %% reported after %s, of which %s until the first page; %d pages; by curl %s; ratio (≤ 1.5) %.2f\n",
			burstNodes, b.what, ended.Sub(began).Round(time.Millisecond), pages[0].began.Sub(began).Round(time.Millisecond), len(pages),
			curl.Round(time.Millisecond), float64(took)/float64(curl))
	}
	return nil
}

func until(ctx context.Context, events <-chan models.Event, match func(models.Event) bool, n int) error {
	limit := time.NewTimer(10 * time.Minute)
	defer limit.Stop()
	for n > 0 {
		select {
		case e := <-events:
			if match(e) {
				n--
			}
		case <-limit.C:
			return fmt.Errorf("%d changes were not reported", n)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// curled returns the time that one curl process needs to download the pages, in the best of three attempts.
func curled(ctx context.Context, s *ironic.Server, pages []pageRequest) (time.Duration, error) {
	var urls []string
	for _, p := range pages {
		limit := p.query.Limit
		if limit == 0 {
			limit = ironicclient.DefaultPage
		}
		v := url.Values{"fields": {strings.Join(supported(s, p.query.Fields), ",")}, "limit": {strconv.Itoa(limit)}}
		if p.query.SortKey != "" {
			v.Set("sort_key", p.query.SortKey)
			v.Set("sort_dir", "desc")
		}
		if p.query.Marker != "" {
			v.Set("marker", p.query.Marker)
		}
		urls = append(urls, s.URL+"/v1/nodes?"+v.Encode())
	}
	var best time.Duration
	for range 3 {
		took, err := curl(ctx, s, urls...)
		if err != nil {
			return 0, err
		}
		if best == 0 || took < best {
			best = took
		}
	}
	return best, nil
}
