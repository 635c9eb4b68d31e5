package agentlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// ErrEntry reports that a journal entry cannot be parsed. The error never contains the content of the entry.
var ErrEntry = errors.New("not a journal entry")

// field is a value in the JSON of a journal entry. It is a string, a list of numbers (bytes) if the value is not
// UTF-8, or null if the value is too large. If the field occurs several times, it is a list of such values.
type field []byte

// UnmarshalJSON never fails: a field of an unknown type is empty.
func (f *field) UnmarshalJSON(data []byte) error {
	*f = fieldBytes(data, true)
	return nil
}

func fieldBytes(data []byte, several bool) []byte {
	if len(data) == 0 {
		return nil
	}
	switch data[0] {
	case '"':
		if bytes.IndexByte(data, '\\') < 0 {
			return bytes.Clone(data[1 : len(data)-1]) // the usual case: a text without escapes
		}
		var s string
		if json.Unmarshal(data, &s) != nil {
			return nil
		}
		return []byte(s)
	case '[':
		if list := numbers(data); list != nil || !several {
			return list
		}
		var parts []json.RawMessage
		if json.Unmarshal(data, &parts) != nil {
			return nil
		}
		var texts [][]byte
		for _, part := range parts {
			if b := fieldBytes(part, false); b != nil {
				texts = append(texts, b)
			}
		}
		return bytes.Join(texts, []byte("\n"))
	case 'n', '{', 't', 'f':
		return nil
	}
	return data // data is a number
}

// numbers returns the bytes of a text that is not UTF-8, which JSON represents as a list of numbers, or nil.
func numbers(data []byte) []byte {
	var list []uint16
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	out := make([]byte, 0, len(list))
	for _, n := range list {
		if n > 255 {
			return nil
		}
		out = append(out, byte(n))
	}
	return out
}

// journalEntry holds those fields of an entry in journald's JSON that ironworks uses (see systemd.journal-fields).
type journalEntry struct {
	Message    field `json:"MESSAGE"`
	Priority   field `json:"PRIORITY"`
	Unit       field `json:"_SYSTEMD_UNIT"`
	Container  field `json:"CONTAINER_NAME"`
	Partial    field `json:"CONTAINER_PARTIAL_MESSAGE"`
	LineBreak  field `json:"_LINE_BREAK"`
	Identifier field `json:"SYSLOG_IDENTIFIER"`
	Transport  field `json:"_TRANSPORT"`
	Boot       field `json:"_BOOT_ID"`
	Cursor     field `json:"__CURSOR"`
	Realtime   field `json:"__REALTIME_TIMESTAMP"`
}

// Journal parses one entry in the format of journalctl -o json. Each line of its message becomes a log line with the
// entry's cursor. If a line is split across several entries, only the last entry results in a log line, which then
// contains the whole text. Journal also returns the cursor, even for an entry without lines.
func (p *Parser) Journal(data []byte) (lines []models.LogLine, cursor string, err error) {
	var e journalEntry
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, "", fmt.Errorf("reading %d bytes: %w", len(data), ErrEntry)
	}
	if len(e.Cursor) == 0 && len(e.Realtime) == 0 && e.Message == nil {
		return nil, "", fmt.Errorf("%d bytes without message, time and cursor: %w", len(data), ErrEntry)
	}
	return p.entry(&e), validID(e.Cursor), nil
}

func (p *Parser) entry(e *journalEntry) []models.LogLine {
	line := models.LogLine{Unit: e.writer(), Level: e.level(), Time: e.time(), Boot: validID(e.Boot), Cursor: validID(e.Cursor)}
	w := p.writer(string(e.Unit) + "\x00" + string(e.Container) + "\x00" + line.Unit)
	message := e.Message
	if message == nil {
		return p.lines(w, line, "(message omitted by journalctl: too large)", true)
	}
	if len(w.partial) > 0 {
		message = append(w.partial, message...)
		w.partial = nil
	}
	if w.lost {
		// Another Parser read the start of the line, so the rest may be part of a secret.
		if w.lost = e.continues(); len(message) > 0 {
			message = field(models.Mask)
		}
	}
	if e.continues() && len(message) < maxRaw {
		w.partial = bytes.Clone(message)
		return nil
	}
	if p.duplicates.isDuplicate(e, message) {
		return nil
	}
	return p.lines(w, line, string(message), len(e.Priority) > 0)
}

// continues reports whether the line continues in the next entry, as written by the container or cut by journald.
func (e *journalEntry) continues() bool {
	return string(e.Partial) == "true" || string(e.LineBreak) == "line-max"
}

func (e *journalEntry) writer() string {
	switch {
	case string(e.Transport) == "kernel":
		return "kernel"
	case len(e.Container) > 0:
		return string(e.Container)
	}
	unit := strings.TrimSuffix(string(e.Unit), ".service")
	if id := string(e.Identifier); id != "" && (unit == "" || unit == "init.scope" || id == "systemd" || id == installer) {
		return id
	}
	return unit
}

func (e *journalEntry) level() models.LogLevel {
	switch string(e.Priority) {
	case "0", "1", "2":
		return models.LogCritical
	case "3":
		return models.LogError
	case "4":
		return models.LogWarning
	case "5":
		return models.LogNotice
	case "7":
		return models.LogDebug
	}
	return models.LogInfo
}

func (e *journalEntry) time() time.Time {
	us, err := strconv.ParseInt(string(e.Realtime), 10, 64)
	if err != nil || us <= 0 || us > 253402300799e6 { // the end of the year 9999, in microseconds; JSON cannot represent later times
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

func validID(f field) string {
	s := string(f)
	if len(s) > 256 || printable.Line(s) != s {
		return ""
	}
	return s
}
