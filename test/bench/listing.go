package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

// listing compares "ironworks nodes" with one curl process that downloads the same pages with the same fields. The
// program and curl take turns.
func listing(ctx context.Context, s *ironic.Server, binary string, rounds int) error {
	curl, err := exec.LookPath("curl")
	if err != nil {
		return fmt.Errorf("the comparison needs curl: %w", err)
	}
	pages, err := pageURLs(ctx, s)
	if err != nil {
		return err
	}
	args := []string{"-s", "-H", fmt.Sprintf("%s: 1.%d", ironic.VersionHeader, s.Release.MaxMinor())}
	for _, p := range pages {
		args = append(args, "-o", os.DevNull, p)
	}
	env := []string{"HOME=" + s.Dir, "PATH=" + os.Getenv("PATH"), "IRONWORKS_URL=" + s.URL, "NO_PROXY=127.0.0.1"}
	var ours, theirs []time.Duration
	var ratios, memory []float64
	for round := -1; round < rounds; round++ {
		a, rss, err := timed(ctx, env, binary, "nodes")
		if err != nil {
			return err
		}
		b, _, err := timed(ctx, env, curl, args...)
		if err != nil {
			return err
		}
		if round < 0 {
			continue // the first round is a warm-up
		}
		ours, theirs = append(ours, a), append(theirs, b)
		ratios, memory = append(ratios, float64(a)/float64(b)), append(memory, rss)
	}
	fmt.Printf("  listing: ironworks nodes        %s\n", spread(ours))
	fmt.Printf("  listing: curl of the %2d pages    %s\n", len(pages), spread(theirs))
	fmt.Printf("  listing: ratio (≤ 1.1)          %s\n", spread(ratios))
	fmt.Printf("  listing: peak RSS in MiB (≤ 80) %s\n", spread(memory))
	return nil
}

// timed runs a program. It returns the wall time, and the peak memory in MiB.
func timed(ctx context.Context, env []string, name string, args ...string) (time.Duration, float64, error) {
	return timedRun(ctx, env, os.Stderr, name, args...)
}

// quietly is like timed, but discards the program's standard error.
func quietly(ctx context.Context, env []string, name string, args ...string) (time.Duration, float64, error) {
	return timedRun(ctx, env, io.Discard, name, args...)
}

func timedRun(ctx context.Context, env []string, messages io.Writer, name string, args ...string) (time.Duration, float64, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = env
	cmd.Stderr = messages
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", name, err)
	}
	took := time.Since(began)
	usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return took, float64(usage.Maxrss) / 1024, nil
}

// pageURLs lists all nodes once to get the URL of every page.
func pageURLs(ctx context.Context, s *ironic.Server) ([]string, error) {
	fields := models.ListFields()
	if s.Release.MaxMinor() < models.FeatureService.Minor() {
		fields = without(fields, "service_step")
	}
	base := "/v1/nodes?limit=1000&fields=" + strings.Join(fields, ",")
	path := base
	var urls []string
	for {
		status, body, err := s.Do(ctx, http.MethodGet, path, nil)
		if err != nil || status != http.StatusOK {
			return nil, fmt.Errorf("list: %d %w", status, err)
		}
		var page struct {
			Nodes []struct{ UUID string }
			Next  string
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, err
		}
		urls = append(urls, s.URL+path)
		if page.Next == "" || len(page.Nodes) == 0 {
			return urls, nil
		}
		path = base + "&marker=" + page.Nodes[len(page.Nodes)-1].UUID
	}
}

func without(list []string, item string) []string {
	var out []string
	for _, s := range list {
		if s != item {
			out = append(out, s)
		}
	}
	return out
}
