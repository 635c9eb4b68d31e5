package shell

// escape recognizes ~. at the start of a line, as ssh does. It lets the operator leave a shell that does not respond.
// To send one ~ at the start of a line, the operator types ~~.
type escape struct {
	// lineStart means that the next key is the first one on a line. tilde means that a ~ is held back.
	lineStart, tilde bool
}

// pass returns the keys to send, and whether the operator wants to leave.
func (e *escape) pass(keys []byte) (send []byte, left bool) {
	for _, k := range keys {
		switch {
		case e.tilde && k == '.':
			return send, true
		case e.tilde && k == '~':
			e.tilde, e.lineStart = false, false
			send = append(send, '~')
			continue
		case e.tilde:
			e.tilde = false
			send = append(send, '~')
		case e.lineStart && k == '~':
			e.tilde, e.lineStart = true, false
			continue
		}
		send = append(send, k)
		e.lineStart = k == '\r' || k == '\n'
	}
	return send, false
}
