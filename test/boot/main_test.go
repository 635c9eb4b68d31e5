package boot

import (
	"fmt"
	"os"
	"testing"

	"ironworks/cmd"
	"ironworks/test/program"
)

func TestMain(m *testing.M) {
	program.TestMain(func() { os.Exit(cmd.Main()) }, func() int {
		if os.Getenv("IRONWORKS_BOOT") != "1" {
			fmt.Println("skipped: set IRONWORKS_BOOT=1 to boot machines (make boot)")
			return 0
		}
		return m.Run()
	})
}
