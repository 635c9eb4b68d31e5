package agentlog

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"ironworks/models"
)

// serialParser makes lines of a log of what a machine writes to its serial line. It keeps
// no more than a line of it.
type serialParser struct {
	*Parser
	text serialText
	// noise says that what came last was no text.
	noise bool
	// began is when the machine began to boot, on the console's clock, and since how long
	// ago that was in the kernel's last line.
	began time.Time
	since time.Duration
	boot  string
	// whole are lines that wait to be handed on.
	whole []models.LogLine
}

func newSerialParser(node models.NodeRef, now func() time.Time) *serialParser {
	return &serialParser{Parser: NewParser(node, models.LogSerial, now)}
}

// take gives the lines that end in what came.
func (p *serialParser) take(data []byte) []models.LogLine {
	p.text.take(data, p.line)
	return p.given()
}

// pause gives what there is of a line when no more comes for a while. When it is whole
// it is given once more.
func (p *serialParser) pause() []models.LogLine {
	text := p.text.partial()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	p.tentatively(func() { p.line(text, false) })
	return p.given()
}

// end gives what there is of a line that will never be whole.
func (p *serialParser) end() []models.LogLine {
	if len(p.text.line) > 0 {
		p.text.finish(p.line)
	}
	p.text = serialText{}
	return p.given()
}

func (p *serialParser) given() []models.LogLine {
	lines := p.whole
	p.whole = nil
	return lines
}

// line makes lines of a text. One that was shown already is read once more, for what it
// tells of those behind it.
func (p *serialParser) line(text string, again bool) {
	if again {
		defer func(shown int) { p.whole = p.whole[:shown] }(len(p.whole))
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	now := p.now()
	line := models.LogLine{Time: now, Boot: p.boot, Level: models.LogInfo}
	if isNoise(text) {
		if !p.noise {
			line.Level = models.LogWarning
			p.add("", line, "(bytes that are no text: is the speed of the serial line that of the BMC?)")
		}
		p.noise = true
		return
	}
	p.noise = false
	// A program that draws over its line may leave it to another.
	if i := strings.LastIndexByte(text, '\r'); i >= 0 && readSerial(text[i+1:]).unit != "" {
		p.line(text[:i], false)
		text = text[i+1:]
	}
	said := readSerial(text)
	if said.stamped {
		p.boots(now, said.since)
		line.Time, line.Boot = p.began.Add(said.since), p.boot
	}
	line.Unit, line.Level = said.unit, said.level
	p.add(said.unit, line, said.text)
}

func (p *serialParser) add(unit string, line models.LogLine, text string) {
	p.whole = append(p.whole, p.lines(p.writer(unit), line, text, false)...)
}

// boots learns when the machine began to boot: a line comes after it was written, so that
// the least delayed one tells best. A kernel that counts from the beginning is a new boot.
func (p *serialParser) boots(now time.Time, since time.Duration) {
	began := now.Add(-since)
	if p.began.IsZero() || since+time.Second < p.since {
		p.began, p.boot = began, "serial-"+strconv.FormatInt(began.Unix(), 10)
	} else if began.Before(p.began) {
		p.began = began
	}
	p.since = since
}

// serialLine is what a line of a serial console tells by its form.
type serialLine struct {
	unit    string
	level   models.LogLevel
	since   time.Duration // the boot, where stamped says that the kernel tells it
	stamped bool
	text    string
}

var (
	// kernelStamp is what the kernel puts before its lines, and journald before those that
	// it forwards to the console.
	kernelStamp = regexp.MustCompile(`^\[ {0,6}(\d{1,7})\.(\d{6})\] ?(?:\[ *[TC]\d+\] )?`)
	// syslogHead is who wrote a line that went through the kernel or journald.
	syslogHead = regexp.MustCompile(`^([A-Za-z][\w.@:-]{0,63})\[\d{1,7}\]: `)
	// systemdMark is how systemd tells what became of a unit.
	systemdMark = regexp.MustCompile(`^\[ ?( OK |FAILED|DEPEND|TIME|INFO|WARN|ABORT|SKIP|UNSUPP|[ *]{3,6}) {0,2}\] `)
	// systemdBegins is how it tells that something is begun: behind the width of a mark.
	systemdBegins = regexp.MustCompile(`^ {9}(?:Starting|Stopping|Mounting|Unmounting|Activating|Deactivating|Reloading|Expecting) `)
)

func readSerial(text string) serialLine {
	l := serialLine{level: models.LogInfo, text: text}
	if m := kernelStamp.FindStringSubmatch(text); m != nil {
		seconds, _ := strconv.Atoi(m[1]) // the expression has seen to it
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
