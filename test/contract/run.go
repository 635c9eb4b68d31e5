package contract

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

// counts holds the number of behaviors that run against each kind of subject, except those that need machines. Run
// compares it with the number of behaviors that ran, so that a lost behavior is noticed. Update it when you add a
// behavior.
var counts = map[Kind]int64{Newest: 1906, Old: 1392, Embedded: 1906}

// Main runs the tests of a package that runs behaviors. parallel is the number of behaviors that run at the same
// time. It can be large, because behaviors mostly wait for responses.
func Main(m *testing.M, parallel int) {
	flag.Parse()
	if !flagIsSet("test.parallel") {
		_ = flag.Set("test.parallel", strconv.Itoa(parallel))
	}
	// The databases of the real Ironics are in memory if possible.
	if folder := memoryFolder(); folder != "" && os.Getenv("TMPDIR") == "" {
		_ = os.Setenv("TMPDIR", folder)
	}
	// Package regexp2, which matches the regular expressions of inspection rules, runs a clock goroutine that ends a
	// second after the last match.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

// tally counts the behaviors that have run and those that are too new for the subject.
type tally struct {
	ran, tooNew atomic.Int64
}

// Run runs all behaviors, except those that need machines.
func Run(t *testing.T, s *Subject) {
	t.Helper()
	count := &tally{}
	for _, g := range groups() {
		g.run(t, s, count)
	}
	matrix(t, s, count)
	together(t, s, count)
	t.Logf("%s: %d behaviors ran, %d need an API newer than 1.%d", s.Name, count.ran.Load(), count.tooNew.Load(), s.MaxMinor)
	if want := counts[s.Kind]; all(t) && count.ran.Load() != want {
		t.Errorf("%d behaviors ran, want %d", count.ran.Load(), want)
	}
}

// all reports whether the command line selects all subtests of the test.
func all(t *testing.T) bool {
	t.Helper()
	run := flag.Lookup("test.run").Value.String()
	return strings.Count(run, "/") <= strings.Count(t.Name(), "/") && flag.Lookup("test.skip").Value.String() == ""
}

func flagIsSet(name string) bool {
	found := false
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
