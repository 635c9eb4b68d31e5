package agentlog

import (
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// What a line may be: longer ones are cut, and say so.
const (
	maxRaw  = 256 << 10 // of what comes, before anything looks at it
	maxText = 8 << 10   // of what is shown
	maxUnit = 64
	// maxWriters bounds how many writers' unfinished texts are remembered.
	maxWriters = 64
)

// Parser makes lines of what one source of one node gives, in its order: it masks what
// is secret, tells level and writer, and takes out what a terminal would obey. It is
// not for several goroutines.
type Parser struct {
	node    models.NodeRef
	source  models.LogSource
	now     func() time.Time
	writers map[string]*writer
	twice   twice
}

// NewParser makes a parser of a source. Its now is the console's clock.
func NewParser(node models.NodeRef, source models.LogSource, now func() time.Time) *Parser {
	return &Parser{node: node, source: source, now: now, writers: map[string]*writer{}}
}

// writer is what is remembered of who writes lines.
type writer struct {
	mask      masker
	traceback bool
	partial   []byte // of a line that comes in parts
	lost      bool   // the beginning of such a line is
}

// Text makes lines of a text without any form but its own: of a serial console, or a
// file. The source tells when it was written and by whom, as far as it knows.
func (p *Parser) Text(at time.Time, unit, text string) []models.LogLine {
	return p.lines(p.writer(unit), models.LogLine{Time: at, Unit: unit, Level: models.LogInfo}, text, false)
}

// writer gives what is remembered of a writer. Beyond some there is one for all others.
func (p *Parser) writer(key string) *writer {
	w := p.writers[key]
	if w == nil {
		if len(p.writers) >= maxWriters {
			key = "\x00others"
		}
		if w = p.writers[key]; w == nil {
			w = &writer{}
			p.writers[key] = w
		}
	}
	return w
}

// tentatively reads what will be read again: what it tells of secrets that go on is
// forgotten.
func (p *Parser) tentatively(read func()) {
	before := make(map[string]writer, len(p.writers))
	for key, w := range p.writers {
		before[key] = *w
	}
	read()
	for key, w := range p.writers {
		if was, known := before[key]; known {
			*w = was
		} else {
			delete(p.writers, key)
		}
	}
}

// lines finishes the lines of a message. A journal knows the level; elsewhere it is
// guessed from the text.
func (p *Parser) lines(w *writer, line models.LogLine, message string, levelKnown bool) []models.LogLine {
	line.Node, line.Source = p.node, p.source
	line.Received = p.now()
	line.Unit = short(models.Printable(line.Unit), maxUnit)
	tail := ""
	if len(message) > maxRaw {
		message, tail = message[:maxRaw], " … (cut)"
	}
	message = strings.TrimRight(message, "\r\n")
	out := make([]models.LogLine, 0, 1)
	for text := range strings.SplitSeq(message, "\n") {
		out = append(out, p.line(w, line, withoutColours(text), levelKnown))
	}
	if tail != "" {
		out[len(out)-1].Text += tail
	}
	return out
}

// line finishes one line: the secrets first, then what the text tells.
func (p *Parser) line(w *writer, line models.LogLine, text string, levelKnown bool) models.LogLine {
	text = w.mask.line(text)
	h := readHeader(text)
	if h.size > 0 {
		line.Level, text = h.level, h.withoutSuffix(text[h.size:])
		if h.module != "" {
			line.Unit = short(models.Printable(h.module), maxUnit)
		}
		if line.Time.IsZero() {
			line.Time = h.time
		}
	}
	// \r is how a program draws over what it has written.
	if i := strings.LastIndexByte(strings.TrimRight(text, "\r "), '\r'); i >= 0 {
		text = text[i+1:]
	}
	text = strings.TrimRight(text, "\r ")
	own := h.size > 0 // the level is the logger's own
	if rest, ok := strings.CutPrefix(text, installerPrefix); ok {
		// The agent repeats what it prints, all of it as DEBUG.
		line.Unit, text, line.Level, own = installer, rest, min(line.Level, models.LogInfo), false
	}
	if line.Progress = readProgress(text); line.Progress != nil {
		line.Unit, line.Level = installer, models.LogInfo
	} else {
		line.Level = w.level(line.Level, text, own, levelKnown)
	}
	line.Known = string(explain.FindRamdiskError(text))
	line.Text = short(models.Printable(short(text, maxText)), maxText)
	return line
}

const (
	installer       = "coreos-installer"
	installerPrefix = installer + ": "
)

// level corrects a level by the text: what comes out of a container has one level,
// whatever it is.
func (w *writer) level(level models.LogLevel, text string, own, known bool) models.LogLevel {
	if strings.HasPrefix(text, "Traceback (most recent call last):") {
		w.traceback = true
		return min(level, models.LogError)
	}
	if w.traceback {
		if own && level > models.LogError {
			w.traceback = false
			return level
		}
		// The first line that is not indented is the exception, and the last of it.
		if text != "" && text[0] != ' ' && text[0] != '\t' && !strings.HasPrefix(text, "+") && !strings.HasPrefix(text, "During handling of") && !strings.HasPrefix(text, "The above exception") {
			w.traceback = false
		}
		return min(level, models.LogError)
	}
	if own || known && level < models.LogInfo {
		return level
	}
	for _, bad := range []string{"Error: ", "error: ", "ERROR ", "ERROR: ", "Failed to start ", "Dependency failed for "} {
		if strings.HasPrefix(text, bad) {
			return min(level, models.LogError)
		}
	}
	if strings.Contains(text, "Failed with result '") || strings.Contains(text, "Main process exited, code=exited, status=") && !strings.Contains(text, "status=0/") {
		return min(level, models.LogWarning)
	}
	return level
}

// short cuts a text at a character.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && text[end]&0xc0 == 0x80 {
		end--
	}
	return text[:end] + "…"
}

// withoutColours takes out what sets colours and titles, which is of no use and would be
// shown as escapes.
func withoutColours(text string) string {
	if strings.IndexByte(text, 0x1b) < 0 {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "\x1b")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		size := escapeSize(rest)
		if size == 0 {
			b.WriteByte(0x1b)
		}
		text = rest[size:]
	}
}

// escapeSize is how long the sequence is that begins behind ESC; 0 if it is none that is
// known or does not end.
func escapeSize(rest string) int {
	switch {
	case strings.HasPrefix(rest, "["):
		for i := 1; i < len(rest) && i < 64; i++ {
			if c := rest[i]; c >= 0x40 && c <= 0x7e {
				return i + 1
			} else if c < 0x20 || c > 0x3f {
				return 0
			}
		}
	case strings.HasPrefix(rest, "]"):
		if i := strings.IndexByte(rest, 0x07); i >= 0 && i < 1024 {
			return i + 1
		}
	}
	return 0
}
