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

// counts are how many behaviours run against each kind of subject, beside those on
// machines, so that none is lost unseen. Who adds one counts it here.
var counts = map[Kind]int64{Newest: 1359, Old: 1152, Embedded: 1359}

// Main runs the tests of a package that runs behaviours, so many at a time: most of the time
// a behaviour waits for an answer.
func Main(m *testing.M, parallel int) {
	flag.Parse()
	if !given("test.parallel") {
		_ = flag.Set("test.parallel", strconv.Itoa(parallel))
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

// Run runs all behaviours against a subject, except for those on machines.
func Run(t *testing.T, s *Subject) {
	t.Helper()
	count := &tally{}
	for _, g := range groups() {
		g.run(t, s, count)
	}
	matrix(t, s, count)
	together(t, s, count)
	t.Logf("%s: %d behaviours ran, %d are of an API newer than 1.%d", s.Name, count.ran.Load(), count.tooNew.Load(), s.MaxMinor)
	if want := counts[s.Kind]; all(t) && count.ran.Load() != want {
		t.Errorf("%d behaviours ran, want %d", count.ran.Load(), want)
	}
}

// all tells whether nothing within the test of a subject was left out on the command line.
func all(t *testing.T) bool {
	t.Helper()
	run := flag.Lookup("test.run").Value.String()
	return strings.Count(run, "/") <= strings.Count(t.Name(), "/") && flag.Lookup("test.skip").Value.String() == ""
}

func given(name string) bool {
	found := false
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
