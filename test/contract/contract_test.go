package contract

import (
	"flag"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"ironworks/test/ironic"
)

// fewest is how many behaviours have to run, so that none is lost unseen.
const fewest = 200

func TestMain(m *testing.M) {
	flag.Parse()
	// Most of the time a behaviour waits for an answer.
	if !given("test.parallel") {
		_ = flag.Set("test.parallel", "12")
	}
	// The databases of the real ones are where writing costs nothing, if there
	// is such a place.
	if folder := memoryFolder(); folder != "" && os.Getenv("TMPDIR") == "" {
		_ = os.Setenv("TMPDIR", folder)
	}
	goleak.VerifyTestMain(m)
}

// tally counts behaviours.
type tally struct {
	ran, tooNew atomic.Int64
}

// TestContract runs all behaviours against all subjects.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			runAll(t, startReal(t, release))
		})
	}
}

func runAll(t *testing.T, s *Subject) {
	t.Helper()
	count := &tally{}
	for _, g := range groups() {
		g.run(t, s, count)
	}
	matrix(t, s, count)
	together(t, s, count)
	machines(t, s, count)
	t.Logf("%s: %d behaviours ran, %d are of an API newer than 1.%d", s.Name, count.ran.Load(), count.tooNew.Load(), s.MaxMinor)
	if all() && count.ran.Load() < fewest {
		t.Errorf("%d behaviours ran, at least %d should", count.ran.Load(), fewest)
	}
}

// all tells whether nothing within a subject was left out on the command line.
func all() bool {
	run := flag.Lookup("test.run").Value.String()
	return strings.Count(run, "/") < 2 && flag.Lookup("test.skip").Value.String() == ""
}

func given(name string) bool {
	found := false
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
