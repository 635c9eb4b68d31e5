package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// console measures the full-screen console on a terminal of 200×50 cells.
func console(ctx context.Context, s *ironic.Server, binary string, rounds int) error {
	for _, measure := range []func(context.Context, *ironic.Server, string, int) error{startUp, running} {
		if err := measure(ctx, s, binary, rounds); err != nil {
			return err
		}
	}
	return nil
}

// open starts the console and returns the time until its first rows appear.
func open(ctx context.Context, s *ironic.Server, binary string) (*terminal.Screen, time.Duration, error) {
	cmd := exec.Command(binary) //nolint:noctx // the screen ends it
	cmd.Env = append(programEnv(s), "COLORTERM=truecolor")
	began := time.Now()
	screen, err := terminal.Start(ctx, terminal.Options{Command: cmd, Width: 200, Height: 50})
	if err != nil {
		return nil, 0, err
	}
	err = screen.WaitFor(ctx, func(text string) bool { return strings.Contains(text, "bulk-") })
	return screen, time.Since(began), err
}

// startUp compares the time from the console's start to its first rows with the time that curl takes for a page of
// 1000 nodes. The console and curl take turns.
func startUp(ctx context.Context, s *ironic.Server, binary string, rounds int) error {
	pages, err := pageURLs(ctx, s)
	if err != nil {
		return err
	}
	var ours, theirs []time.Duration
	var ratios []float64
	for round := -1; round < rounds; round++ {
		screen, took, err := open(ctx, s, binary)
		if err != nil {
			return err
		}
		screen.Close()
		page, err := curl(ctx, s, pages[0])
		if err != nil {
			return err
		}
		if round < 0 {
			continue // the first round is a warm-up
		}
		ours, theirs = append(ours, took), append(theirs, page)
		ratios = append(ratios, float64(took)/float64(page))
	}
	fmt.Printf("  console: start to first rows    %s\n", spread(ours))
	fmt.Printf("  console: curl of 1000 rows      %s\n", spread(theirs))
	fmt.Printf("  console: ratio (≤ 0.5)          %s\n", spread(ratios))
	return nil
}

// running measures a running console: its memory, its cost when idle, and its response to keys while events arrive.
func running(ctx context.Context, s *ironic.Server, binary string, rounds int) error {
	screen, _, err := open(ctx, s, binary)
	if err != nil {
		return err
	}
	defer screen.Close()
	settled, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := screen.WaitFor(settled, func(text string) bool {
		return strings.Contains(text, "updated") && !strings.Contains(text, "so far")
	}); err != nil {
		return err
	}
	// For half a minute after a change, the poller is fast.
	if err := wait(ctx, 40*time.Second); err != nil {
		return err
	}
	if err := idle(ctx, screen, 20*time.Second); err != nil {
		return err
	}
	if err := keyBytes(ctx, screen); err != nil {
		return err
	}
	if err := keyLatency(ctx, s, screen, 100*rounds); err != nil {
		return err
	}
	peak, now, err := memory(screen.PID())
	if err != nil {
		return err
	}
	fmt.Printf("  console: RSS in MiB (≤ 80)      %.1f, at its peak %.1f\n", now, peak)
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// idle measures the output and processor time of the console while nothing changes.
func idle(ctx context.Context, screen *terminal.Screen, d time.Duration) error {
	before, err := cpuTime(screen.PID())
	if err != nil {
		return err
	}
	bytes := screen.Bytes()
	if err := wait(ctx, d); err != nil {
		return err
	}
	after, err := cpuTime(screen.PID())
	if err != nil {
		return err
	}
	fmt.Printf("  console: idle for %s           %d bytes (0), CPU %.2f %% (≤ 2)\n", d, screen.Bytes()-bytes, 100*(after-before).Seconds()/d.Seconds())
	return nil
}

// keyBytes measures how many bytes the console writes to move the cursor and to scroll.
func keyBytes(ctx context.Context, screen *terminal.Screen) error {
	press := func(key string) (int64, error) {
		before, at := screen.Bytes(), screen.Text()
		if _, err := screen.Latency(ctx, key, func(text string) bool { return text != at }); err != nil {
			return 0, err
		}
		if err := screen.Idle(ctx, 100*time.Millisecond); err != nil {
			return 0, err
		}
		return screen.Bytes() - before, nil
	}
	var moves, scrolls []float64
	for range 10 {
		n, err := press(terminal.Down)
		if err != nil {
			return err
		}
		moves = append(moves, float64(n))
	}
	// From the last line on, each move of the cursor scrolls.
	for range 60 {
		n, err := press(terminal.Down)
		if err != nil {
			return err
		}
		scrolls = append(scrolls, float64(n))
	}
	fmt.Printf("  console: bytes, cursor (≤ 512)  %s\n", spread(moves))
	fmt.Printf("  console: bytes, scroll (≤ 600)  %s\n", spread(scrolls[len(scrolls)-15:]))
	return nil
}

// keyLatency measures the response to n keys while another client keeps changing nodes.
func keyLatency(ctx context.Context, s *ironic.Server, screen *terminal.Screen, n int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan int, 1)
	go func() { done <- churn(ctx, s) }()
	if err := sortByName(ctx, screen); err != nil {
		return err
	}
	var took []time.Duration
	for i := range n {
		key := terminal.Down
		if i%40 >= 20 {
			key = terminal.Up
		}
		at := cursorLine(screen.Text())
		d, err := screen.Latency(ctx, key, func(text string) bool { return cursorLine(text) != at })
		if err != nil {
			return fmt.Errorf("key %d: %w", i, err)
		}
		took = append(took, d)
		// The pause is random, so that keys are not in step with the frames.
		if err := wait(ctx, 30*time.Millisecond+rand.N(40*time.Millisecond)); err != nil {
			return err
		}
	}
	cancel()
	changes := <-done
	slices.Sort(took)
	fmt.Printf("  console: key to screen, %d keys while %d changes flowed: %s, p99 %s (≤ 16ms)\n",
		n, changes, spread(took), took[len(took)*99/100].Round(100*time.Microsecond))
	return nil
}

// sortByName sorts the list by name, so that no row moves when a node changes.
func sortByName(ctx context.Context, screen *terminal.Screen) error {
	screen.Type("s")
	if err := screen.WaitFor(ctx, func(text string) bool { return strings.Contains(text, "Sort by") }); err != nil {
		return err
	}
	screen.Type("name", terminal.Enter)
	if err := screen.WaitFor(ctx, func(text string) bool { return strings.Contains(text, "NAME▴") }); err != nil {
		return err
	}
	screen.Type(terminal.Home)
	return screen.WaitFor(ctx, func(text string) bool { return strings.Contains(text, "❯  bulk-00001") })
}

func cursorLine(text string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "❯") {
			return i
		}
	}
	return -1
}

// churn puts nodes into maintenance until ctx is done, and returns the number of nodes that Ironic changed. It makes
// ten attempts per second, because an Ironic under full load would take the processor from the measured console.
func churn(ctx context.Context, s *ironic.Server) (changed int) {
	for i := 0; wait(ctx, 100*time.Millisecond) == nil; i++ {
		name := fmt.Sprintf("bulk-%05d", 5000+i%3000)
		status, _, err := s.Do(ctx, http.MethodPut, "/v1/nodes/"+name+"/maintenance", map[string]string{"reason": "bench"})
		if err == nil && status < http.StatusBadRequest {
			changed++
		}
	}
	return changed
}

// cpuTime returns the processor time that the process has used so far.
func cpuTime(pid int) (time.Duration, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	const ticks = 100 // USER_HZ
	return time.Duration(user+system) * time.Second / ticks, nil
}

// memory returns a process's peak and current resident memory in MiB.
func memory(pid int) (peak, now float64, err error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kib, _ := strconv.ParseFloat(f[1], 64)
		switch f[0] {
		case "VmHWM:":
			peak = kib / 1024
		case "VmRSS:":
			now = kib / 1024
		}
	}
	return peak, now, nil
}
