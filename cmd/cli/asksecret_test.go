package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/termios"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// TestAskSecretBeforeEcho checks that echo is off when the question appears, because a password can be pasted as soon
// as the question is on the screen, and that echo is on again afterwards.
func TestAskSecretBeforeEcho(t *testing.T) {
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	defer tty.Close()
	echo := func() bool {
		state, err := termios.GetTermios(int(tty.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		return state.Lflag&unix.ECHO != 0
	}
	asked := false
	stderr := writerFunc(func(text []byte) {
		if strings.Contains(string(text), "Password: ") {
			asked = true
			if echo() {
				t.Error("echo is on when the question is printed")
			}
			if _, err := terminal.WriteString("hunter2\r"); err != nil {
				t.Fatal(err)
			}
		}
	})
	a := &App{Process: Process{Stdin: tty, Stderr: stderr}}
	secret, err := a.AskSecret(t.Context(), "Password: ")
	if err != nil || string(secret) != "hunter2" || !asked {
		t.Errorf("secret %q, error %v, asked %v", string(secret), err, asked)
	}
	if !echo() {
		t.Error("echo is off afterwards")
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(text []byte) (int, error) {
	f(text)
	return len(text), nil
}
