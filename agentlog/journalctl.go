package agentlog

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// What is read of a machine's journal: the agent's unit, what systemd says of it, its
// container, and the kernel.
const (
	journalMatches = "_SYSTEMD_UNIT=ironic-agent.service + _PID=1 UNIT=ironic-agent.service + CONTAINER_NAME=ironic-agent + _TRANSPORT=kernel"
	journalFields  = "MESSAGE,PRIORITY,_SYSTEMD_UNIT,CONTAINER_NAME,CONTAINER_PARTIAL_MESSAGE,_LINE_BREAK,SYSLOG_IDENTIFIER,_TRANSPORT,_BOOT_ID"
	journalctl     = "journalctl --no-pager --quiet --all -o json --output-fields=" + journalFields + " -b "
	sudo           = "sudo -n "
)

// bootCommand gives the last entry of this boot: it tells the boot, and that the journal
// may be read. Without --quiet journalctl says what it may not read.
func bootCommand() string {
	return strings.Replace(journalctl, "--quiet ", "", 1) + "-n 1 " + journalMatches
}

// readCommand gives all entries of this boot behind a cursor.
func readCommand(cursor string, follow bool) string {
	command := journalctl
	if follow {
		command += "-f "
	}
	command += "--no-tail "
	if safeCursor(cursor) {
		command += "--after-cursor='" + cursor + "' "
	}
	return command + journalMatches
}

// safeCursor says whether a cursor is one of journald's, and can stand in quotes.
func safeCursor(c string) bool {
	return c != "" && len(c) <= 256 && !strings.ContainsFunc(c, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && r != '=' && r != ';'
	})
}

// errNoPermission is a journal that the user may not read.
var errNoPermission = errors.New("the journal may not be read")

// hearPermission stops a journalctl that shows only what the user wrote himself.
func hearPermission(text string) error {
	if contains(text, "not seeing messages from other users", "insufficient permissions", "Permission denied") {
		return errNoPermission
	}
	return nil
}

func contains(text string, any ...string) bool {
	for _, a := range any {
		if strings.Contains(text, a) {
			return true
		}
	}
	return false
}

// mostEntry bounds an entry in JSON: numbers take four bytes for one.
const mostEntry = 1 << 20

// entries hands on what journalctl writes: all entries that are there at once, each
// ended by its line break. What is not ended comes again after the cursor of the last.
// An entry that is too large is given as nil.
func entries(from io.Reader, take func(batch [][]byte) error) error {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		var batch [][]byte
		for {
			entry, err := nextEntry(r)
			if err != nil {
				return errors.Join(take(batch), notEOF(err))
			}
			batch = append(batch, entry)
			if len(batch) >= 512 || !lineBuffered(r) {
				break
			}
		}
		if err := take(batch); err != nil {
			return err
		}
	}
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func lineBuffered(r *bufio.Reader) bool {
	ahead, _ := r.Peek(r.Buffered())
	return strings.IndexByte(string(ahead), '\n') >= 0
}

func nextEntry(r *bufio.Reader) ([]byte, error) {
	var entry []byte
	tooLarge := false
	for {
		part, err := r.ReadSlice('\n')
		if !tooLarge {
			entry = append(entry, part...)
		}
		if len(entry) > mostEntry {
			entry, tooLarge = nil, true
		}
		if err == nil {
			return entry, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}
