package sshserver

import (
	"errors"
	"strings"
)

// errOpenQuote reports a quote that is not closed, or a backslash at the end.
var errOpenQuote = errors.New("unbalanced quotes")

// errNoWords reports a command without words.
var errNoWords = errors.New("empty")

// words splits a command into words. It treats quotes and backslashes like a POSIX shell (XCU 2.2), but expands
// nothing. It does not use the Command method of charm.land/ssh, which copies a word for each character and takes 12
// s of processor time for 100 kB. That method also drops empty words, and ignores the rest after an open quote.
func words(command string) ([]string, error) {
	command = strings.ToValidUTF8(command, "\uFFFD")
	var all []string
	var word strings.Builder
	var quote byte
	inWord := false
	for i := 0; i < len(command); i++ {
		b := command[i]
		switch {
		case b == quote && quote != 0:
			quote = 0
		case quote == '\'', quote == '"' && b != '\\':
			word.WriteByte(b)
		case b == '\\':
			if i++; i == len(command) {
				return nil, errOpenQuote
			}
			if quote == '"' && strings.IndexByte("\"\\$`", command[i]) < 0 {
				word.WriteByte(b)
			}
			word.WriteByte(command[i])
			inWord = true
		case b == '\'' || b == '"':
			quote, inWord = b, true
		case strings.IndexByte(" \t\r\n", b) >= 0:
			if inWord {
				all = append(all, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(b)
			inWord = true
		}
	}
	switch {
	case quote != 0:
		return nil, errOpenQuote
	case inWord:
		all = append(all, word.String())
	case len(all) == 0:
		return nil, errNoWords
	}
	return all, nil
}
