package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/test/ironic"
)

// servedSessions is the largest number of consoles with which a server is measured.
const servedSessions = 50

// serving measures "ironworks serve" with one console and with many: the requests to Ironic, the memory, the cost
// when idle, and the response to keys.
func serving(ctx context.Context, s *ironic.Server, binary string, rounds int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	counter, err := countRequests(ctx, s.URL)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-serve-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server, err := startServing(ctx, binary, dir, counter.url)
	if err != nil {
		return err
	}
	defer server.stop()
	sessions, err := server.openMore(ctx, nil, 1)
	if err != nil {
		return err
	}
	one, err := server.atRest(ctx, counter, sessions)
	if err != nil {
		return err
	}
	if sessions, err = server.openMore(ctx, sessions, servedSessions-1); err != nil {
		return err
	}
	all, err := server.atRest(ctx, counter, sessions)
	if err != nil {
		return err
	}
	fmt.Printf("  serve: requests a minute, 1 and %d sessions: %.1f (%d in %s), %.1f (%d in %s), ratio %.2f (≤ 1.05)\n", len(sessions),
		one.requestsPerMinute(), one.requests, one.took.Round(time.Second), all.requestsPerMinute(), all.requests, all.took.Round(time.Second),
		all.requestsPerMinute()/one.requestsPerMinute())
	fmt.Printf("  serve: RSS in MiB, 1 session %.1f, %d sessions %.1f, each further %.2f (≤ 4)\n", one.rss, len(sessions), all.rss, (all.rss-one.rss)/float64(len(sessions)-1))
	fmt.Printf("  serve: %d idle sessions for %s: %d bytes (0), CPU %.2f %% (≤ 2)\n", len(sessions), all.took.Round(time.Second), all.bytes, 100*all.cpu.Seconds()/all.took.Seconds())
	return servedKeys(ctx, sessions, 20*rounds)
}

// openMore opens n more consoles, one after another, and waits until each shows data.
func (p *servingProgram) openMore(ctx context.Context, sessions []*servedSession, n int) ([]*servedSession, error) {
	for range n {
		one, err := p.open(ctx)
		if err != nil {
			return nil, err
		}
		if err := one.waitFor(ctx, "updated"); err != nil {
			return nil, err
		}
		sessions = append(sessions, one)
	}
	return sessions, nil
}

// resting describes the cost of idle consoles, measured from the start of one full listing to the start of the next.
type resting struct {
	requests, bytes int64
	cpu, took       time.Duration
	rss             float64 // in MiB
}

func (r *resting) requestsPerMinute() float64 { return float64(r.requests) / r.took.Minutes() }

// restSettled is the time after which consoles are idle. For half a minute after a change, the poller is fast.
const restSettled = 40 * time.Second

// atRest measures the server while its consoles are idle.
func (p *servingProgram) atRest(ctx context.Context, counter *requestCounter, sessions []*servedSession) (r resting, err error) {
	if err := wait(ctx, restSettled); err != nil {
		return r, err
	}
	if err := counter.listing(ctx); err != nil {
		return r, err
	}
	before, err := cpuTime(p.pid)
	if err != nil {
		return r, err
	}
	began, sent, requests := time.Now(), written(sessions), counter.count.Load()
	if err := counter.listing(ctx); err != nil {
		return r, err
	}
	r.took, r.requests = time.Since(began), counter.count.Load()-requests
	after, err := cpuTime(p.pid)
	if err != nil {
		return r, err
	}
	r.cpu, r.bytes = after-before, written(sessions)-sent
	_, r.rss, err = memory(p.pid)
	return r, err
}

func written(sessions []*servedSession) (n int64) {
	for _, s := range sessions {
		n += s.bytes.Load()
	}
	return n
}

// servedKeys measures the time from a key to the first output after it, while half of the sessions press keys.
func servedKeys(ctx context.Context, sessions []*servedSession, n int) error {
	var mu sync.Mutex
	var took []time.Duration
	var working sync.WaitGroup
	failed := make(chan error, len(sessions))
	for _, one := range sessions[:len(sessions)/2] {
		working.Go(func() {
			if wait(ctx, mathrand.N(500*time.Millisecond)) != nil {
				return
			}
			for i := range n {
				key := "\x1b[B"
				if i%12 >= 6 {
					key = "\x1b[A"
				}
				d, err := one.press(ctx, key)
				if err != nil {
					failed <- err
					return
				}
				mu.Lock()
				took = append(took, d)
				mu.Unlock()
				// The pause is random, because operators are not in step with each other.
				if wait(ctx, 300*time.Millisecond+mathrand.N(200*time.Millisecond)) != nil {
					return
				}
			}
		})
	}
	working.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	slices.Sort(took)
	fmt.Printf("  serve: key to output, %d keys in %d sessions: %s, p99 %s (≤ 25ms)\n", len(took), len(sessions)/2, spread(took), took[len(took)*99/100].Round(100*time.Microsecond))
	return nil
}

// requestCounter is a proxy in front of Ironic that counts requests.
type requestCounter struct {
	url   string
	count atomic.Int64
	// listings receives a value for the first page of each full listing.
	listings chan struct{}
}

func countRequests(ctx context.Context, to string) (*requestCounter, error) {
	target, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &requestCounter{url: "http://" + l.Addr().String(), listings: make(chan struct{}, 1)}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.count.Add(1)
		if query := r.URL.Query(); r.URL.Path == "/v1/nodes" && !query.Has("marker") && !query.Has("sort_key") {
			select {
			case c.listings <- struct{}{}:
			default:
			}
		}
		proxy.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(l) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return c, nil
}

// listing waits for the next full listing. A console lists all nodes every five minutes, with one page request per
// thousand nodes, so that every period between two listings contains the same number of requests.
func (c *requestCounter) listing(ctx context.Context) error {
	select {
	case <-c.listings: // an earlier listing
	default:
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.listings:
		return nil
	}
}

// servingProgram is a running "ironworks serve".
type servingProgram struct {
	cmd    *exec.Cmd
	pid    int
	addr   string
	signer ssh.Signer
}

func startServing(ctx context.Context, binary, dir, endpoint string) (*servingProgram, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		return nil, err
	}
	keys := filepath.Join(dir, "keys")
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))) + " bench operator\n"
	if err := os.WriteFile(keys, []byte(line), 0o600); err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "config.yaml")
	text := fmt.Sprintf("contexts:\n  bench:\n    url: %s\n    auth: none\nserve:\n  listen: 127.0.0.1:0\n  authorized_keys: %s\n  host_key: %s\n  sessions_per_user: 100\n", endpoint, keys, filepath.Join(dir, "host"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, "serve", "--config", config)
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "NO_PROXY=127.0.0.1"}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &servingProgram{cmd: cmd, pid: cmd.Process.Pid, signer: signer}
	limit := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Signal(os.Interrupt) })
	defer limit.Stop()
	listening := regexp.MustCompile(`listening on (\S+),`)
	var said strings.Builder
	for lines := bufio.NewScanner(io.TeeReader(stderr, &said)); lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			p.addr = found[1]
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return p, nil
		}
	}
	p.stop()
	return nil, fmt.Errorf("ironworks serve does not listen: %s", said.String())
}

func (p *servingProgram) stop() {
	_ = p.cmd.Process.Signal(os.Interrupt)
	_ = p.cmd.Wait()
}

// servedSession is a console over SSH, as the SSH client sees it.
type servedSession struct {
	in    io.Writer
	bytes atomic.Int64
	mu    sync.Mutex
	text  bytes.Buffer
	wake  chan struct{}
}

func (p *servingProgram) open(ctx context.Context) (*servedSession, error) {
	client, err := ssh.Dial("tcp", p.addr, &ssh.ClientConfig{
		User: "bench", Auth: []ssh.AuthMethod{ssh.PublicKeys(p.signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 20 * time.Second, //nolint:gosec // on this host
	})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = client.Close() })
	session, err := client.NewSession()
	if err != nil {
		return nil, err
	}
	if err := session.RequestPty("xterm-256color", 50, 200, ssh.TerminalModes{}); err != nil {
		return nil, err
	}
	s := &servedSession{wake: make(chan struct{}, 1)}
	if s.in, err = session.StdinPipe(); err != nil {
		return nil, err
	}
	session.Stdout = s
	return s, session.Shell()
}

// Write receives the console's output.
func (s *servedSession) Write(p []byte) (int, error) {
	s.bytes.Add(int64(len(p)))
	s.mu.Lock()
	if s.text.Len() < 1<<20 {
		s.text.Write(p)
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (s *servedSession) waitFor(ctx context.Context, what string) error {
	limit := time.After(time.Minute)
	for {
		s.mu.Lock()
		there := strings.Contains(s.text.String(), what)
		s.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			return fmt.Errorf("no %q on a served console", what)
		case <-s.wake:
		}
	}
}

var errNoAnswer = errors.New("a served console did not answer a key within 10 s")

// press sends a key and returns the time until the next output arrives.
func (s *servedSession) press(ctx context.Context, key string) (time.Duration, error) {
	select {
	case <-s.wake:
	default:
	}
	began := time.Now()
	if _, err := io.WriteString(s.in, key); err != nil {
		return 0, err
	}
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-s.wake:
		return time.Since(began), nil
	case <-time.After(10 * time.Second):
		return 0, errNoAnswer
	}
}
