package lab_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Conductors and machines mostly wait, so the number of processors does not matter.
	if err := flag.Set("test.parallel", "8"); err != nil {
		os.Exit(2)
	}
	goleak.VerifyTestMain(m)
}
