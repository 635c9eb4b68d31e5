package real

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ironworks/lab/child"
)

// stopGrace is the time that a service may take to stop.
const stopGrace = 10 * time.Second

// Process is a program that serves requests and can be restarted. The output of all runs is appended to one log file.
type Process struct {
	Argv []string
	Env  []string
	Dir  string
	Log  string

	mu   sync.Mutex
	pid  int           // process ID of the last run
	from int64         // offset in the log at which the last run begins
	done chan struct{} // closed when the last run has ended; nil before the first start
}

// Start starts the process, which must not be running.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done != nil && !closed(p.done) {
		return errors.New("already running")
	}
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	if info, err := log.Stat(); err == nil {
		p.from = info.Size()
	}
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...) //nolint:gosec,noctx // our own command; it outlives the context of starting
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = p.Env, p.Dir, log, log
	cmd.SysProcAttr = child.Attributes()

	started, done := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		// The death signal comes when the starting *thread* ends, so this thread is kept until the process has exited.
		runtime.LockOSThread()
		err := cmd.Start()
		_ = log.Close()
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait()
		// Kill the remaining processes of the group.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("starting %s: %w", filepath.Base(p.Argv[0]), err)
	}
	p.pid, p.done = cmd.Process.Pid, done
	return nil
}

// Running returns the process ID, a channel that is closed when the process has ended, and whether it is running.
func (p *Process) Running() (pid int, done <-chan struct{}, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done == nil || closed(p.done) {
		return 0, p.done, false
	}
	return p.pid, p.done, true
}

// signal sends a signal to all processes of the process group.
func (p *Process) signal(sig syscall.Signal) error {
	pid, _, ok := p.Running()
	if !ok {
		return errors.New("not running")
	}
	if err := syscall.Kill(-pid, sig); err != nil {
		return fmt.Errorf("sending %v to process group %d: %w", sig, pid, err)
	}
	return nil
}

// Stop asks the process to stop, and kills it if it has not stopped after a timeout.
func (p *Process) Stop() {
	pid, done, ok := p.Running()
	if !ok {
		return
	}
	// Send SIGTERM only to the group's leader, which stops its children. A paused leader reacts after SIGCONT.
	_ = syscall.Kill(pid, syscall.SIGTERM)
	_ = syscall.Kill(-pid, syscall.SIGCONT)
	select {
	case <-done:
	case <-time.After(stopGrace):
		p.Kill()
	}
}

// Kill kills the process group and waits until the process has exited.
func (p *Process) Kill() {
	if _, done, ok := p.Running(); ok {
		_ = p.signal(syscall.SIGKILL)
		<-done
	}
}

// Await polls ready until it returns true. If the process ends first, or if ready does not return true within limit,
// Await returns an error that contains the end of the log.
func (p *Process) Await(ctx context.Context, limit time.Duration, ready func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := Poll(ctx, 50*time.Millisecond, func(ctx context.Context) (bool, error) {
		if _, _, ok := p.Running(); !ok {
			return false, errors.New("the process ended")
		}
		// The newest release retries forever if the port is taken.
		if strings.Contains(p.output(), "Address already in use") {
			return false, ErrPortTaken
		}
		return ready(ctx), nil
	})
	if err != nil {
		return fmt.Errorf("waiting until %s is ready: %w; the end of %s:\n%s",
			filepath.Base(p.Argv[0]), err, p.Log, Tail(p.Log, 30))
	}
	return nil
}

// Accepts reports whether a service accepts TCP connections at an address.
func Accepts(ctx context.Context, address string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	return err == nil && conn.Close() == nil
}

// Answers reports whether a service answers a GET request for url with a response that ready accepts.
func Answers(ctx context.Context, client *http.Client, url string, ready func(*http.Response) bool) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return ready(response)
}

// output returns the output of the process since its last start.
func (p *Process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	log, err := os.Open(p.Log)
	if err != nil {
		return ""
	}
	defer func() { _ = log.Close() }()
	content, _ := io.ReadAll(io.NewSectionReader(log, p.from, 1<<20))
	return string(content)
}

// Run runs a command in dir, with the environment from [ServiceEnv], and appends its output to log.
func Run(ctx context.Context, dir, log string, argv ...string) error {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // our own log
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	defer func() { _ = out.Close() }()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // our own command
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = ServiceEnv(dir), dir, out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w; the end of %s:\n%s", filepath.Base(argv[0]), err, log, Tail(log, 30))
	}
	return nil
}

// ServiceEnv returns the environment of services, without the user's settings for OpenStack, Python and proxies.
func ServiceEnv(dir string) []string {
	env := []string{"HOME=" + dir, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC", "PYTHONWARNINGS=ignore"}
	for _, name := range []string{"PATH", "TMPDIR"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// withPrograms adds PATH to env, with the given folders at the beginning. Empty folders are omitted.
func withPrograms(env []string, folders ...string) []string {
	path := slices.DeleteFunc(append(folders, os.Getenv("PATH")), func(folder string) bool { return folder == "" })
	return append(env, "PATH="+strings.Join(path, string(os.PathListSeparator)))
}

// Tail returns the last lines of a file.
func Tail(path string, lines int) string {
	content, err := os.ReadFile(path) //nolint:gosec // our own log
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Poll calls check until it returns true or an error, or until ctx is done. The first call is immediate. Before each
// further call, Poll waits for the given interval, but at least twice as long as the last call took. A slow server is
// busy, and many tests that call it without pauses would keep it busy.
func Poll(ctx context.Context, every time.Duration, check func(context.Context) (bool, error)) error {
	for {
		start := time.Now()
		done, err := check(ctx)
		if err != nil {
			return err
		}
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for a condition: %w", context.Cause(ctx))
		case <-time.After(max(every, 2*time.Since(start))):
		}
	}
}
