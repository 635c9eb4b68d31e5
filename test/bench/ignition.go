package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"ironworks/ignition/image"
	"ironworks/ignition/userdata"
	"ironworks/lab"
)

const largeImage = 1 << 30

// images measures operations on live images and configurations, both with the packages that the console uses and with
// whole commands. It needs no Ironic.
func images(ctx context.Context, binary string, rounds int) error {
	dir, err := os.MkdirTemp("", "ironworks-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := imageBench{dir: dir, iso: filepath.Join(dir, "live.iso"), config: filepath.Join(dir, "a.ign"), binary: binary, rounds: rounds}
	if err := b.write(); err != nil {
		return err
	}
	fmt.Println("Ignition, a live ISO of 1 GiB")
	for _, measure := range []func(context.Context) error{b.embed, b.check, b.serve} {
		if err := measure(ctx); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
}

type imageBench struct {
	dir, iso, config, binary string
	rounds                   int
}

// write creates a sparse ISO image, and a configuration of 100 KiB that compresses badly.
func (b imageBench) write() error {
	live, err := lab.LiveISO(nil)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.iso, live, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(b.iso, largeImage); err != nil {
		return err
	}
	return os.WriteFile(b.config, userData(100<<10), 0o600)
}

// userData returns a configuration of about the given size in bytes. It consists of files of 4 KiB each.
func userData(size int) []byte {
	type file struct {
		Path     string `json:"path"`
		Mode     int    `json:"mode"`
		Contents struct {
			Source string `json:"source"`
		} `json:"contents"`
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // noise
	var files []file
	for i := range size / (4 << 10) {
		content := make([]byte, 3<<10)
		for j := range content {
			content[j] = byte(random.Uint32())
		}
		f := file{Path: fmt.Sprintf("/etc/bench/%d", i), Mode: 0o644}
		f.Contents.Source = "data:;base64," + base64.StdEncoding.EncodeToString(content)
		files = append(files, f)
	}
	data, err := json.Marshal(map[string]any{
		"ignition": map[string]any{"version": "3.2.0"}, "storage": map[string]any{"files": files},
		"passwd": map[string]any{"users": []any{map[string]any{"name": "core", "passwordHash": "$y$j9T$x$y"}}},
	})
	if err != nil {
		panic(err) // maps, lists and strings can always be encoded
	}
	return data
}

// embed measures the time that it takes to replace the embedded configuration in place.
func (b imageBench) embed(ctx context.Context) error {
	config, err := os.ReadFile(b.config)
	if err != nil {
		return err
	}
	var library, command []time.Duration
	var allocated, rss []float64
	environment := []string{"HOME=" + b.dir}
	for range b.rounds {
		_, base, err := timed(ctx, environment, io.Discard, b.binary, "version")
		if err != nil {
			return err
		}
		runtime.GC()
		debug.FreeOSMemory()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		if _, err := image.EditFile(b.iso, image.Change{Ignition: config, Force: true}); err != nil {
			return err
		}
		library = append(library, time.Since(began))
		runtime.ReadMemStats(&after)
		allocated = append(allocated, float64(after.TotalAlloc-before.TotalAlloc)/(1<<20))
		took, memory, err := timed(ctx, environment, io.Discard, b.binary, "ignition", "embed", b.iso, b.config, "--force")
		if err != nil {
			return err
		}
		command, rss = append(command, took), append(rss, memory-base)
	}
	fmt.Printf("  embed in place: library (≤ 50 ms)               %s\n", spread(library))
	fmt.Printf("  embed in place: allocated in MiB (≤ 20)         %s\n", spread(allocated))
	fmt.Printf("  embed in place: ironworks ignition embed        %s\n", spread(command))
	fmt.Printf("  embed in place: RSS over ironworks version, MiB %s\n", spread(rss))
	return nil
}

// check measures the time that it takes to check a configuration of 1 MiB.
func (b imageBench) check(ctx context.Context) error {
	data := userData(1 << 20)
	path := filepath.Join(b.dir, "large.ign")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	var library, command []time.Duration
	for range b.rounds {
		began := time.Now()
		if report := userdata.Check(data); !report.OK() {
			return fmt.Errorf("the user data is refused: %v", report.Problems[0])
		}
		library = append(library, time.Since(began))
		took, _, err := timed(ctx, []string{"HOME=" + b.dir}, io.Discard, b.binary, "ignition", "check", path)
		if err != nil {
			return err
		}
		command = append(command, took)
	}
	fmt.Printf("  check of %.1f MiB: library (≤ 100 ms)            %s\n", float64(len(data))/(1<<20), spread(library))
	fmt.Printf("  check of %.1f MiB: ironworks ignition check      %s\n", float64(len(data))/(1<<20), spread(command))
	return nil
}

// serve measures downloads of the unchanged ISO image and of an image with a configuration embedded for one node.
func (b imageBench) serve(ctx context.Context) error {
	for _, source := range []struct {
		name string
		args []string
	}{
		{"serve: as it is, in MB/s (≥ 500) ", nil},
		{"serve: a node's stream (≥ 500)   ", []string{"--ignition", b.config, "--force"}},
	} {
		rates, err := b.fetch(ctx, source.args)
		if err != nil {
			return err
		}
		fmt.Printf("  %s             %s\n", source.name, spread(rates))
	}
	return nil
}

func (b imageBench) fetch(ctx context.Context, args []string) (rates []float64, err error) {
	cmd := exec.CommandContext(ctx, b.binary, append([]string{"ignition", "serve", "--iso", b.iso, "-o", "json"}, args...)...)
	cmd.Env = []string{"HOME=" + b.dir}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	text, err := lines.ReadBytes('\n')
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, lines)
	}()
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-drained
		err = errors.Join(err, cmd.Wait())
	}()
	if err != nil {
		return nil, err
	}
	var first struct {
		Targets []struct {
			ISO string `json:"deploy_iso"`
		} `json:"targets"`
	}
	if err := json.Unmarshal(text, &first); err != nil || len(first.Targets) != 1 {
		return nil, fmt.Errorf("reading the targets: %s: %w", text, err)
	}
	buffer := make([]byte, 1<<20)
	for round := -1; round < b.rounds; round++ {
		rate, err := download(ctx, first.Targets[0].ISO, buffer)
		if err != nil {
			return nil, err
		}
		if round >= 0 { // the first download reads the disk and does not count
			rates = append(rates, rate)
		}
	}
	return rates, nil
}

// download downloads an image and returns the rate in MB/s.
func download(ctx context.Context, url string, buffer []byte) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, resp.Body, buffer)
	if err != nil || n != largeImage {
		return 0, fmt.Errorf("fetching the image: %d bytes, %w", n, err)
	}
	return float64(n) / 1e6 / time.Since(began).Seconds(), nil
}
