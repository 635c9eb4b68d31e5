package shell

// escape finds ~. at the start of a line, which leaves a shell that does not answer, as in ssh; ~~ is one ~.
type escape struct {
	// lineStart reports that the next key is the first of a line, tilde that a ~ is held back.
	lineStart, tilde bool
}

// pass returns the keys to send, and whether the operator leaves.
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
