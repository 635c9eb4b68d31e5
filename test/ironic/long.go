package ironic

import "os"

// Long reports whether all tests run, as under make test-long. Otherwise, tests that drive many machines run only
// some of their cases, so that a run takes at most 20 minutes on two processors.
func Long() bool { return os.Getenv("IRONWORKS_TEST_LONG") != "" }
