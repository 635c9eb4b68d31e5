// Package terminal sits a program down at a terminal, for tests: a PTY whose other end
// is an emulated screen.
//
//	s := terminal.StartT(t, terminal.Options{Command: exec.Command("ironworks"), Width: 120, Height: 40})
//	s.Until(t, "Nodes", "gp-2x")
//	s.Type(terminal.Down, terminal.Enter)
//	s.Until(t, "driver_info")
//	s.Type("q")
//	s.Ends(t, 0)
//	if left := s.Leftovers(); len(left) > 0 {
//		t.Error("the terminal is left with", left)
//	}
//
// What is compared is the screen and not the bytes: a program that draws only what
// changed writes "3" where a reader sees "count: 3". Waiting is woken by output, so that
// nothing has to sleep. The emulator answers what a program asks its terminal.
//
// The echo of typed keys comes from the kernel while the program has not turned it off,
// and counts as output like everything that reaches a screen.
//
// The emulator is mistaken about some things: it loses an accent that follows its letter
// as a character of its own, and a wide character that would begin in the last column; it
// has no insert mode; and clusters of several characters are always one cell group, as if
// mode 2027 were on.
package terminal
