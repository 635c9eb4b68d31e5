// Package seeds chooses the seeds of random tests: make check tries few, make test more, and make test-long new ones
// in each run.
package seeds

import (
	"os"
	"strconv"
	"testing"
)

// fresh is the environment variable that holds the first new seed of a long run. make test-long sets and prints it.
// To repeat the run, set it to the printed seed.
const fresh = "IRONWORKS_TEST_SEED"

// First returns the first new seed of a long run. In other runs, it returns fixed.
func First(tb testing.TB, fixed uint64) uint64 {
	tb.Helper()
	text := os.Getenv(fresh)
	if text == "" {
		return fixed
	}
	first, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		tb.Fatalf("%s: %v", fresh, err)
	}
	return first
}

// For returns the seeds of a test, which are 0 to n-1. With -short, it returns only the first quarter. A long run
// adds 3n new seeds.
func For(tb testing.TB, n int) []uint64 {
	tb.Helper()
	if testing.Short() {
		n = max(1, n/4)
	}
	var all []uint64
	for seed := range uint64(n) {
		all = append(all, seed)
	}
	if first := First(tb, 0); first != 0 {
		for i := range uint64(3 * n) {
			all = append(all, first+i)
		}
	}
	return all
}
