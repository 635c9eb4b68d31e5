package terminal

import (
	"fmt"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// resize is like pty.Setsize, but for a file that must stay interruptible.
func resize(tty *os.File, size pty.Winsize) error {
	raw, err := tty.SyscallConn()
	if err != nil {
		return fmt.Errorf("resizing the terminal: %w", err)
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Cols})
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("resizing the terminal: %w", err)
	}
	return nil
}
