package lab_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Even with few processors, many tests can run in parallel, because conductors and machines mostly wait.
	if err := flag.Set("test.parallel", "8"); err != nil {
		os.Exit(2)
	}
	goleak.VerifyTestMain(m)
}
