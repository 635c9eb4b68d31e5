//go:build unix

package external

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// awaitGone waits until the process with the given ID has ended. A zombie counts as ended.
func awaitGone(t *testing.T, id string) {
	t.Helper()
	pid, err := strconv.Atoi(id)
	if err != nil {
		t.Fatal(err)
	}
	limit, tick := time.After(10*time.Second), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(pid, 0) == nil && !dead(pid) {
		select {
		case <-limit:
			t.Fatalf("process %d still runs", pid)
		case <-tick.C:
		}
	}
}

// dead reports whether a process is a zombie. In a container, there may be no init process that would remove zombies.
func dead(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && bytes.Contains(stat, []byte(") Z "))
}
