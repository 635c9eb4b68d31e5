package vm

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("IRONWORKS_BOOT") != "1" {
		fmt.Println("skipped: set IRONWORKS_BOOT=1 to boot virtual machines (make boot)")
		return
	}
	os.Exit(m.Run())
}
