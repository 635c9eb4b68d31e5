// Package seeds chooses the seeds of tests that draw at random, so that make check tries
// few, make test more, and make test-long fresh ones in each run.
package seeds

import (
	"os"
	"strconv"
	"testing"
)

// fresh is the environment variable with the first of the fresh seeds of a long run. make
// test-long sets and prints it; setting it again repeats the run.
const fresh = "IRONWORKS_TEST_SEED"

// For returns the seeds of a test: 0 to n-1. With -short it returns the first quarter of
// them, and if the environment variable of a long run is set, 3n fresh ones beside them.
func For(tb testing.TB, n int) []uint64 {
	tb.Helper()
	if testing.Short() {
		n = max(1, n/4)
	}
	var all []uint64
	for seed := range uint64(n) {
		all = append(all, seed)
	}
	text := os.Getenv(fresh)
	if text == "" {
		return all
	}
	first, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		tb.Fatalf("%s: %v", fresh, err)
	}
	tb.Logf("fresh seeds from %d on", first)
	for i := range uint64(3 * n) {
		all = append(all, first+i)
	}
	return all
}
