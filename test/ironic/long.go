package ironic

import "os"

// Long tells whether tests are to take the time for everything: make
// test-long. Otherwise those that drive many machines take a part of them, so
// that a run ends within twenty minutes on two processors.
func Long() bool { return os.Getenv("IRONWORKS_TEST_LONG") != "" }
