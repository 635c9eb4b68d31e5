package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

// listing compares "ironworks nodes" with one curl process that downloads the same pages with the same fields. The
// program and curl take turns.
func listing(ctx context.Context, s *ironic.Server, binary string, rounds int) error {
	pages, err := pageURLs(ctx, s)
	if err != nil {
		return err
	}
	var ours, theirs []time.Duration
	var ratios, memory []float64
	for round := -1; round < rounds; round++ {
		a, rss, err := timed(ctx, programEnv(s), os.Stderr, binary, "nodes")
		if err != nil {
			return err
		}
		b, err := curl(ctx, s, pages...)
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

// programEnv returns an environment in which ironworks uses the given server.
func programEnv(s *ironic.Server) []string {
	return []string{"HOME=" + s.Dir, "PATH=" + os.Getenv("PATH"), "IRONWORKS_URL=" + s.URL, "NO_PROXY=127.0.0.1"}
}

// curl returns the time that one curl process needs to download the pages.
func curl(ctx context.Context, s *ironic.Server, pages ...string) (time.Duration, error) {
	program, err := exec.LookPath("curl")
	if err != nil {
		return 0, fmt.Errorf("the comparison needs curl: %w", err)
	}
	args := []string{"-s", "-H", fmt.Sprintf("%s: 1.%d", ironic.VersionHeader, s.Release.MaxMinor())}
	for _, p := range pages {
		args = append(args, "-o", os.DevNull, p)
	}
	took, _, err := timed(ctx, []string{"NO_PROXY=127.0.0.1"}, os.Stderr, program, args...)
	return took, err
}

// timed runs a program and writes its standard error to messages. It returns the wall time, and the peak memory in
// MiB.
func timed(
	ctx context.Context, env []string, messages io.Writer, name string, args ...string,
) (time.Duration, float64, error) {
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
	base := "/v1/nodes?limit=1000&fields=" + strings.Join(supported(s, models.ListFields()), ",")
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

// supported returns those of a listing's fields that the server's release has.
func supported(s *ironic.Server, fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool {
		return field == "service_step" && s.Release.MaxMinor() < models.FeatureService.Minor()
	})
}
