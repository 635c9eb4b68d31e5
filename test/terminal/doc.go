// Package terminal runs a program on an emulated terminal, for tests. The program runs on a PTY whose other end is an
// emulated screen.
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
// Tests compare the screen and not the bytes, because a program that draws only changes writes "3" where a user sees
// "count: 3". Output wakes waiting tests, so that they need no sleep. The emulator responds to the program's queries.
//
// The kernel echoes typed keys until the program turns that off. The echo counts as output like everything on the
// screen.
//
// Known mistakes of the emulator: it loses an accent that follows its letter as a separate character, and a wide
// character that would start in the last column; it has no insert mode; and clusters of several characters always
// occupy one group of cells, as if mode 2027 were on.
package terminal
