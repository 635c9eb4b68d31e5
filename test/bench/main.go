// Command bench measures the console against a real Ironic with 10 000 fake nodes, and image operations without
// Ironic. It prints measurements and ratios from a single run, and does not judge them. Measurements differ between
// machines, ratios less so.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"ironworks/test/ironic"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	binary := flag.String("binary", "bin/ironworks", "the program")
	nodes := flag.Int("nodes", 10000, "number of nodes")
	rounds := flag.Int("rounds", 5, "rounds per measurement")
	enrolled := flag.Int("enroll", 1000, "number of nodes to enroll")
	which := flag.String("release", "", "newest or old (default both), or none to skip what needs an Ironic")
	only := flag.String("only", "", "listing, console, polling, deploying, serving or enrolling (default all, and images)")
	flag.Parse()
	if *only == "" {
		if err := images(ctx, *binary, *rounds); err != nil {
			return fmt.Errorf("images: %w", err)
		}
	}
	for _, r := range []ironic.Release{ironic.Newest, ironic.Old} {
		if *which != "" && *which != r.Name() {
			continue
		}
		if r == ironic.Newest && (*only == "" || *only == "enrolling") {
			if err := enrolling(ctx, r, *binary, *enrolled, *rounds); err != nil {
				return fmt.Errorf("enrolling: %w", err)
			}
		}
		if *only == "enrolling" {
			continue
		}
		if err := benchRelease(ctx, r, *binary, *only, *nodes, *rounds); err != nil {
			return fmt.Errorf("ironic %s: %w", r.Version(), err)
		}
	}
	return nil
}

func benchRelease(ctx context.Context, r ironic.Release, binary, only string, nodes, rounds int) error {
	s, err := ironic.Start(ctx, ironic.Options{
		Release: r,
		// The power synchronization of 10 000 nodes would distort the measurements.
		Settings: map[string]map[string]string{"conductor": {"sync_power_state_interval": "0"}},
	})
	if err != nil {
		return err
	}
	defer func() {
		s.Stop()
		_ = os.RemoveAll(s.Dir)
	}()
	if err := s.CreateNodes(ctx, nodes); err != nil {
		return err
	}
	fmt.Printf("Ironic %s, %d nodes\n", r.Version(), nodes)
	for _, m := range []struct {
		name    string
		measure func(context.Context, *ironic.Server, string, int) error
	}{{"listing", listing}, {"console", console}, {"polling", polling}, {"deploying", deploying}, {"serving", serving}} {
		if only != "" && only != m.name {
			continue
		}
		if err := m.measure(ctx, s, binary, rounds); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
}

// spread formats the smallest, median and largest measurement.
func spread[T time.Duration | float64](figures []T) string {
	sorted := slices.Clone(figures)
	slices.Sort(sorted)
	one := func(v T) string {
		if d, ok := any(v).(time.Duration); ok {
			return d.Round(time.Millisecond).String()
		}
		return fmt.Sprintf("%.3f", float64(v))
	}
	return fmt.Sprintf("%s … %s … %s", one(sorted[0]), one(sorted[len(sorted)/2]), one(sorted[len(sorted)-1]))
}
