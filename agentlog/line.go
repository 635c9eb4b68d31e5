package agentlog

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/printable"
)

// These limits are in bytes. Longer lines and names are truncated and marked.
const (
	maxRaw  = 256 << 10 // for a line of the input, before parsing
	maxText = 8 << 10   // for the text that is shown
	maxUnit = 64
	// maxWriters is the maximum number of writers whose state is stored separately.
	maxWriters = 64
)

// Parser parses the output of one source of one node's log, in order. It masks secrets, finds the level and the
// writer of each line, and removes control sequences. It is not safe for concurrent use.
type Parser struct {
	node       models.NodeRef
	source     models.LogSource
	now        func() time.Time
	writers    map[string]*writer
	duplicates podmanDuplicates
}

// NewParser returns a parser for lines from the given source. The now function is the console's clock.
func NewParser(node models.NodeRef, source models.LogSource, now func() time.Time) *Parser {
	return &Parser{node: node, source: source, now: now, writers: map[string]*writer{}}
}

type writer struct {
	mask      masker
	traceback bool
	partial   []byte // the received part of an incomplete line
	lost      bool   // the start of the line was not read by this parser
}

// Text parses unstructured text from a serial console or a file. The at argument is the time when the text was
// written, or zero if the time is unknown. The unit argument names the writer, or is empty.
func (p *Parser) Text(at time.Time, unit, text string) []models.LogLine {
	return p.lines(p.writer(unit), models.LogLine{Time: at, Unit: unit, Level: models.LogInfo}, text, false)
}

// writer returns the state of the writer with the given key. All writers above the limit share one state.
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

// tentatively calls read, which parses text that will be parsed again, and then restores the writers' state.
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

// lines parses the lines of a message. The levelKnown argument reports whether line.Level comes from the journal. If
// it does not, or if that level is not more severe than info, the level is guessed from the text.
func (p *Parser) lines(w *writer, line models.LogLine, message string, levelKnown bool) []models.LogLine {
	line.Node, line.Source = p.node, p.source
	line.Received = p.now()
	line.Unit = truncate(printable.Line(line.Unit), maxUnit)
	tail := ""
	if len(message) > maxRaw {
		message, tail = message[:maxRaw], " … (cut)"
	}
	message = strings.TrimRight(message, "\r\n")
	out := make([]models.LogLine, 0, 1)
	for text := range strings.SplitSeq(message, "\n") {
		out = append(out, p.line(w, line, withoutColors(text), levelKnown))
	}
	if tail != "" {
		out[len(out)-1].Text += tail
	}
	return out
}

// line parses one line. It masks the secrets before it evaluates the text.
func (p *Parser) line(w *writer, line models.LogLine, text string, levelKnown bool) models.LogLine {
	text = w.mask.line(text)
	h := readHeader(text)
	if h.size > 0 {
		line.Level, text = h.level, h.withoutSuffix(text[h.size:])
		if h.module != "" {
			line.Unit = truncate(printable.Line(h.module), maxUnit)
		}
		if line.Time.IsZero() {
			line.Time = h.time
		}
	}
	// Some programs write \r and then overwrite their line, so keep only what was written last.
	if i := strings.LastIndexByte(strings.TrimRight(text, "\r "), '\r'); i >= 0 {
		text = text[i+1:]
	}
	text = strings.TrimRight(text, "\r ")
	own := h.size > 0 // whether the level comes from the program's own logger
	if rest, ok := strings.CutPrefix(text, installerPrefix); ok {
		// The agent logs the output of coreos-installer again, always at the DEBUG level.
		line.Unit, text, line.Level, own = installer, rest, min(line.Level, models.LogInfo), false
	}
	if line.Progress = readProgress(text); line.Progress != nil {
		line.Unit, line.Level = installer, models.LogInfo
	} else {
		line.Level = w.level(line.Level, text, own, levelKnown)
	}
	line.Known = string(explain.FindRamdiskError(text))
	line.Text = truncate(printable.Line(truncate(text, maxText)), maxText)
	return line
}

const (
	installer       = "coreos-installer"
	installerPrefix = installer + ": "
)

// level corrects a line's level based on its text, because the journal gives one level to a container's output.
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
		// The first line that is not indented names the exception. It is the last line of the traceback.
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

// truncate limits the size of a text in bytes, with an ellipsis in place of the rest, between characters.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && text[end]&0xc0 == 0x80 {
		end--
	}
	return text[:end] + "…"
}

// withoutColors removes control sequences for colors and titles, which would otherwise be shown as escapes.
func withoutColors(text string) string {
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

// escapeSize returns the length of the sequence at the start of rest, after ESC, or 0 if it is incomplete or unknown.
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

// progressLine matches the progress lines of coreos-installer, such as "Read disk 1.2 GiB/3.4 GiB (35%)". The
// installer writes one such line per second if its output is not a terminal.
var progressLine = regexp.MustCompile(`^(?:> )?Read (?:\S+ )?(\d{1,7}(?:\.\d{1,3})?) ?([KMGTP]iB|B)/(\d{1,7}(?:\.\d{1,3})?) ?([KMGTP]iB|B) \((\d{1,3})%\)$`)

func readProgress(text string) *models.InstallProgress {
	if !strings.HasSuffix(text, "%)") || !strings.Contains(text, "Read ") {
		return nil
	}
	m := progressLine.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	done, total := size(m[1], m[2]), size(m[3], m[4])
	percent, err := strconv.Atoi(m[5])
	if err != nil || percent > 100 || done > total {
		return nil
	}
	return &models.InstallProgress{Done: done, Total: total, Percent: percent}
}

func size(number, unit string) int64 {
	n, _ := strconv.ParseFloat(number, 64) // the expression matches only numbers
	return int64(n * math.Pow(1024, float64(strings.Index("BKMGTP", unit[:1]))))
}

// writerState is the state of a writer between two lines. It contains none of the writer's text. A parser that starts
// in the middle of a secret needs this state to mask the rest of the secret.
type writerState struct {
	region
	Traceback bool `json:"traceback,omitempty"`
	// Partial reports whether the start of a line was read, but not its end.
	Partial bool `json:"partial,omitempty"`
}

// state returns, as JSON, the state that another Parser needs to continue with the next line. It is usually empty.
func (p *Parser) state() string {
	states := map[string]writerState{}
	for key, w := range p.writers {
		s := writerState{region: w.mask.in, Traceback: w.traceback, Partial: len(w.partial) > 0 || w.lost}
		if s != (writerState{}) {
			states[key] = s
		}
	}
	if len(states) == 0 {
		return ""
	}
	data, err := json.Marshal(states)
	if err != nil {
		return ""
	}
	return string(data)
}

func (p *Parser) resume(state string) {
	var states map[string]writerState
	if state == "" || json.Unmarshal([]byte(state), &states) != nil {
		return
	}
	for key, s := range states {
		w := p.writer(key)
		if s.Kind > regionNone && s.Kind <= regionDump && (s.Kind != regionString || s.Quote != "") {
			w.mask.in = s.region
			w.mask.in.Lines = min(s.Lines, manyLines)
		}
		w.traceback, w.lost = s.Traceback, s.Partial
	}
}
