package agentlog

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"ironworks/models"
)

// serialParser parses a machine's serial output. It buffers at most one line.
type serialParser struct {
	*Parser
	text serialText
	// The noise field reports whether the last input was not text.
	noise bool
	// The began field is the estimated time when the machine started to boot, according to this program's clock. The
	// since field is the time stamp of the last line, according to the kernel's clock.
	began time.Time
	since time.Duration
	boot  string
	// parsed holds parsed lines that have not been returned yet.
	parsed []models.LogLine
}

func newSerialParser(node models.NodeRef, now func() time.Time) *serialParser {
	return &serialParser{Parser: NewParser(node, models.LogSerial, now)}
}

func (p *serialParser) feed(data []byte) []models.LogLine {
	p.text.feed(data, p.line)
	return p.takeLines()
}

// pause returns the incomplete line after a pause in the input. feed returns the complete line if it differs.
func (p *serialParser) pause() []models.LogLine {
	text := p.text.partial()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	p.tentatively(func() { p.line(text, false) })
	return p.takeLines()
}

// end returns the incomplete line. It must be called only when the line will never be completed.
func (p *serialParser) end() []models.LogLine {
	if len(p.text.line) > 0 {
		p.text.finish(p.line)
	}
	p.text = serialText{}
	return p.takeLines()
}

func (p *serialParser) takeLines() []models.LogLine {
	lines := p.parsed
	p.parsed = nil
	return lines
}

// line parses one line. If shown is true, the line was already returned, and only affects later lines.
func (p *serialParser) line(text string, shown bool) {
	if shown {
		defer func(count int) { p.parsed = p.parsed[:count] }(len(p.parsed))
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	now := p.now()
	line := models.LogLine{Time: now, Boot: p.boot, Level: models.LogInfo}
	if isNoise(text) {
		if !p.noise {
			line.Level = models.LogWarning
			p.add("", line, "(unreadable bytes: check that the serial speed matches the BMC's)")
		}
		p.noise = true
		return
	}
	p.noise = false
	// A program that overwrites its line with \r may omit its end, and the next program writes to the same line.
	if i := strings.LastIndexByte(text, '\r'); i >= 0 && readSerial(text[i+1:]).unit != "" {
		p.line(text[:i], false)
		text = text[i+1:]
	}
	parsed := readSerial(text)
	if parsed.stamped {
		p.estimateBoot(now, parsed.since)
		line.Time, line.Boot = p.began.Add(parsed.since), p.boot
	}
	line.Unit, line.Level = parsed.unit, parsed.level
	p.add(parsed.unit, line, parsed.text)
}

func (p *serialParser) add(unit string, line models.LogLine, text string) {
	p.parsed = append(p.parsed, p.lines(p.writer(unit), line, text, false)...)
}

// estimateBoot estimates when the machine started to boot. Lines arrive some time after they were written, so the
// least delayed line gives the most accurate estimate. If the kernel's time starts again, the machine has rebooted.
func (p *serialParser) estimateBoot(now time.Time, since time.Duration) {
	began := now.Add(-since)
	if p.began.IsZero() || since+time.Second < p.since {
		p.began, p.boot = began, "serial-"+strconv.FormatInt(began.Unix(), 10)
	} else if began.Before(p.began) {
		p.began = began
	}
	p.since = since
}

type serialLine struct {
	unit    string
	level   models.LogLevel
	since   time.Duration // the time since the boot, if the line has a time stamp
	stamped bool
	text    string
}

var (
	// kernelStamp matches the time stamp of lines from the kernel, and of lines that journald forwards.
	kernelStamp = regexp.MustCompile(`^\[ {0,6}(\d{1,7})\.(\d{6})\] ?(?:\[ *[TC]\d+\] )?`)
	// syslogHead matches the writer at the start of a line that went through the kernel or journald.
	syslogHead = regexp.MustCompile(`^([A-Za-z][\w.@:-]{0,63})\[\d{1,7}\]: `)
	// systemdMark matches the mark, such as [ OK ], that precedes the result of a unit in systemd's output.
	systemdMark = regexp.MustCompile(`^\[ ?( OK |FAILED|DEPEND|TIME|INFO|WARN|ABORT|SKIP|UNSUPP|[ *]{3,6}) {0,2}\] `)
	// systemdBegins matches lines about starting and stopping units, indented by the width of a status mark.
	systemdBegins = regexp.MustCompile(`^ {9}(?:Starting|Stopping|Mounting|Unmounting|Activating|Deactivating|Reloading|Expecting) `)
)

func readSerial(text string) serialLine {
	l := serialLine{level: models.LogInfo, text: text}
	if m := kernelStamp.FindStringSubmatch(text); m != nil {
		seconds, _ := strconv.Atoi(m[1]) // the expression matches only numbers
		micros, _ := strconv.Atoi(m[2])
		l.since, l.stamped = time.Duration(seconds)*time.Second+time.Duration(micros)*time.Microsecond, true
		l.unit, l.text = "kernel", text[len(m[0]):]
		if head := syslogHead.FindStringSubmatch(l.text); head != nil {
			l.unit, l.text = head[1], l.text[len(head[0]):]
		} else if strings.HasPrefix(l.text, "Kernel panic - ") {
			l.level = models.LogCritical
		}
		return l
	}
	if m := systemdMark.FindStringSubmatch(text); m != nil {
		l.unit, l.text = "systemd", text[len(m[0]):]
		switch strings.TrimSpace(m[1]) {
		case "FAILED", "DEPEND", "TIME":
			l.level = models.LogError
		case "WARN", "ABORT", "UNSUPP":
			l.level = models.LogWarning
		}
		return l
	}
	if systemdBegins.MatchString(text) {
		l.unit, l.text = "systemd", strings.TrimLeft(text, " ")
	}
	return l
}
