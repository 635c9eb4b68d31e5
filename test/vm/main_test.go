package vm

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("IRONWORKS_BOOT") != "1" {
		fmt.Println("left out: virtual machines boot with IRONWORKS_BOOT=1 (make boot)")
		return
	}
	os.Exit(m.Run())
}
