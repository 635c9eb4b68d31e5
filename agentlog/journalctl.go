package agentlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// journalMatches selects the journal entries that ironworks reads: entries from the agent's unit, from systemd about
// this unit, from the agent's container, and from the kernel.
const (
	journalMatches = "_SYSTEMD_UNIT=ironic-agent.service + _PID=1 UNIT=ironic-agent.service + CONTAINER_NAME=ironic-agent + _TRANSPORT=kernel"
	journalFields  = "MESSAGE,PRIORITY,_SYSTEMD_UNIT,CONTAINER_NAME,CONTAINER_PARTIAL_MESSAGE,_LINE_BREAK,SYSLOG_IDENTIFIER,_TRANSPORT,_BOOT_ID"
	journalctl     = "journalctl --no-pager --quiet --all -o json --output-fields=" + journalFields + " -b "
	sudo           = "sudo -n "
)

// bootCommand returns the command that prints the last entry of this boot, which contains the boot ID and proves that
// the journal is readable. --quiet would hide journalctl's message about missing permissions.
func bootCommand() string {
	return strings.Replace(journalctl, "--quiet ", "", 1) + "-n 1 " + journalMatches
}

// readCommand returns the command that prints all entries of this boot after the cursor, or all entries if the cursor
// is empty or malformed. If follow is true, the command also prints new entries as they arrive.
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

// safeCursor reports whether c has the form of journald's cursors, which can be quoted safely in a shell command.
func safeCursor(c string) bool {
	return c != "" && len(c) <= 256 && !strings.ContainsFunc(c, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && r != '=' && r != ';'
	})
}

var errNoPermission = errors.New("permission denied reading the journal")

// checkPermission returns errNoPermission if text, from journalctl's error output, reports missing permissions.
func checkPermission(text string) error {
	if contains(text, "not seeing messages from other users", "insufficient permissions", "Permission denied") {
		return errNoPermission
	}
	return nil
}

func contains(text string, any ...string) bool {
	return slices.ContainsFunc(any, func(a string) bool { return strings.Contains(text, a) })
}

// maxEntry is the maximum size of an entry in JSON, in bytes. Each byte of a binary field takes about four.
const maxEntry = 1 << 20

// entries passes the entries in journalctl's output to yield, in batches of entries that are available at the same
// time. An entry that is too large is passed as nil. An incomplete entry at the end is dropped, and the next run of
// journalctl prints it again, because it starts after the cursor of the last complete entry.
func entries(from io.Reader, yield func(batch [][]byte) error) error {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		var batch [][]byte
		for {
			entry, cut, err := textLine(r)
			if errors.Is(err, io.EOF) {
				return yield(batch)
			}
			if err != nil {
				return errors.Join(yield(batch), err)
			}
			if cut {
				entry = nil
			}
			batch = append(batch, bytes.Clone(entry))
			if len(batch) >= 512 || !lineBuffered(r) {
				break
			}
		}
		if err := yield(batch); err != nil {
			return err
		}
	}
}

func lineBuffered(r *bufio.Reader) bool {
	ahead, _ := r.Peek(r.Buffered())
	return bytes.IndexByte(ahead, '\n') >= 0
}
