package linux_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"ironworks/agent"
	"ironworks/agent/linux"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a simulated host. Its files are in a temporary folder, and its programs are functions.
type bench struct {
	linux.Host
	machine *linux.Machine

	mu   sync.Mutex
	runs []string
	// programs maps the start of a command line to the function that runs it. A program that is not in the map does
	// not exist.
	programs map[string]func(command linux.Command) agent.Output
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{programs: map[string]func(linux.Command) agent.Output{}}
	b.Host = linux.Host{Root: t.TempDir(), Run: b.run, Links: noLinks{}, Warn: t.Logf}
	if err := os.MkdirAll(filepath.Join(b.Root, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.machine = linux.New(b.Host, linux.Options{})
	return b
}

func (b *bench) run(_ context.Context, command linux.Command) (agent.Output, error) {
	line := strings.Join(command.Argv, " ")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs = append(b.runs, line)
	var best string
	for start := range b.programs {
		if strings.HasPrefix(line+" ", start+" ") && len(start) > len(best) {
			best = start
		}
	}
	if best == "" {
		return agent.Output{}, agent.ErrNoProgram
	}
	return b.programs[best](command), nil
}

// answers registers programs: every command line that begins with one of the given strings succeeds and prints
// output.
func (b *bench) answers(output string, starts ...string) {
	for _, start := range starts {
		b.programs[start] = func(linux.Command) agent.Output { return agent.Output{Stdout: output} }
	}
}

func (b *bench) fails(code int, stderr string, starts ...string) {
	for _, start := range starts {
		b.programs[start] = func(linux.Command) agent.Output { return agent.Output{Code: code, Stderr: stderr} }
	}
}

// ran reports whether a program was run with exactly the given command line.
func (b *bench) ran(line string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, run := range b.runs {
		if run == line {
			return true
		}
	}
	return false
}

func (b *bench) want(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !b.ran(line) {
			t.Errorf("%q was not run, but\n%s", line, strings.Join(b.runs, "\n"))
		}
	}
}

// write creates a file on the host, with the folders above it.
func (b *bench) write(t *testing.T, name, content string) {
	t.Helper()
	full := filepath.Join(b.Root, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(b.Root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// noLinks implements [linux.Links] for a kernel that provides no data about its interfaces.
type noLinks struct{}

func (noLinks) Addresses(string) []string  { return nil }
func (noLinks) PermanentMAC(string) string { return "" }
func (noLinks) Speed(string) int           { return 0 }

func (noLinks) LLDP(context.Context, []string) (map[string][]byte, error) {
	return nil, errors.ErrUnsupported
}
