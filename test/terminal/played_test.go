package terminal_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/term"

	"ironworks/test/terminal"
)

// playVariable is the environment variable that makes the test binary play a full-screen program instead of running
// tests.
const playVariable = "IRONWORKS_TERMINAL_PLAYS"

func TestMain(m *testing.M) {
	if os.Getenv(playVariable) != "" {
		play()
		return
	}
	goleak.VerifyTestMain(m)
}

// program runs play, as a separate process, on a terminal.
func program(t testing.TB, o terminal.Options) *terminal.Screen {
	t.Helper()
	o.Command = exec.Command(os.Args[0])
	o.Command.Env = []string{playVariable + "=1"}
	return terminal.StartT(t, o)
}

// shell runs a script on a terminal.
func shell(t testing.TB, script string, o terminal.Options) *terminal.Screen {
	t.Helper()
	o.Command = exec.Command("sh", "-c", script)
	return terminal.StartT(t, o)
}

const (
	entering = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[>1u\x1b[>4;2m\x1b]2;played; with pleasure\x07"
	leaving  = "\x1b[>4m\x1b[<1u\x1b[?1004l\x1b[?1006l\x1b[?1002l\x1b[?2004l\x1b[?25h\x1b[?1049l\x1b]2;\x07"
	// asking queries the background, modes 2026 and 25, the cursor and, last, the device attributes (DA1).
	asking = "\x1b]11;?\x07\x1b[?2026$p\x1b[?25$p\x1b[3;5H\x1b[6n\x1b[c"
)

// play is a program with a list of three entries that draws single cells. It counts typed keys and shows its size;
// 'a' shows the terminal's responses to asking, 'c' copies, 'q' quits and 'x' exits without restoring the terminal.
func play() {
	state, err := term.MakeRaw(0)
	if err != nil {
		panic(err)
	}
	defer func() { _ = term.Restore(0, state) }()
	sizes := make(chan os.Signal, 1)
	signal.Notify(sizes, syscall.SIGWINCH)
	typed := make(chan []byte)
	go func() {
		for {
			buf := make([]byte, 1024)
			n, err := os.Stdin.Read(buf)
			if err != nil {
				os.Exit(4)
			}
			typed <- buf[:n]
		}
	}()
	fmt.Print(entering, "\x1b[1;1Hcount: 0\x1b[2;1H> one\x1b[3;1H  two")
	size := func() {
		w, h, _ := term.GetSize(0)
		fmt.Printf("\x1b[5;1H%dx%d\x1b[K", w, h)
	}
	size()
	count, selected := 0, 0
	var answers []byte
	for {
		select {
		case <-sizes:
			size()
			continue
		case keys := <-typed:
			if len(answers) > 0 || bytes.Contains(keys, []byte("rgb:")) {
				answers = append(answers, keys...)
				if answers[len(answers)-1] == 'c' {
					fmt.Printf("\x1b[6;1H%q", answers)
					answers = nil
				}
				continue
			}
			switch string(keys) {
			case "q":
				fmt.Print(leaving, "bye\r\n")
				return
			case "x":
				fmt.Print("left behind")
				_ = term.Restore(0, state)
				os.Exit(3)
			case "a":
				fmt.Print(asking)
			case "c":
				fmt.Print("\x1b]52;c;bm9kZS03IMOk\x07\x1b]52;c;?\x07")
			case terminal.Down, terminal.Up:
				selected = 1 - selected
				fmt.Printf("\x1b[%d;1H \x1b[%d;1H>", 3-selected, 2+selected)
			default:
				count++
				fmt.Printf("\x1b[1;8H%d", count)
				fmt.Printf("\x1b[4;1H%q\x1b[K", keys)
			}
		}
	}
}
