package agentlog

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"ironworks/models"
)

// header is the parsed prefix that a program's own logger writes before the text of a line. Its level and module are
// more accurate than the journal's, which treats all output of a container alike.
type header struct {
	time   time.Time // zero if the header has no year
	level  models.LogLevel
	module string
	size   int // offset at which the text starts; 0 without a header
}

func readHeader(text string) header {
	if len(text) < 20 {
		return header{}
	}
	switch c := text[0]; {
	case c >= '0' && c <= '9':
		return osloHeader(text)
	case c == 'I' || c == 'W' || c == 'E' || c == 'F':
		return klogHeader(text)
	}
	return header{}
}

// osloLayout is the format of times in oslo.log. The times are the machine's local times, which are UTC in a ramdisk.
const osloLayout = "2006-01-02 15:04:05.000"

// osloHeader parses a header of oslo.log, such as "2026-11-22 13:00:00.123 1 INFO ironic_python_agent.agent [-] ".
func osloHeader(text string) header {
	if len(text) < len(osloLayout)+1 || text[4] != '-' || text[len(osloLayout)] != ' ' {
		return header{}
	}
	at, err := time.Parse(osloLayout, text[:len(osloLayout)])
	if err != nil {
		return header{}
	}
	rest := text[len(osloLayout)+1:]
	pid, rest, _ := strings.Cut(rest, " ")
	word, rest, _ := strings.Cut(rest, " ")
	level, known := osloLevels[word]
	module, rest, _ := strings.Cut(rest, " ")
	if _, err := strconv.ParseUint(pid, 10, 32); err != nil || !known || module == "" {
		return header{}
	}
	if context, text, found := strings.Cut(rest, "] "); found && strings.HasPrefix(context, "[") && !strings.ContainsFunc(context, notOfContext) {
		rest = text
	} else if rest == "[-]" {
		rest = ""
	}
	return header{time: at, level: level, module: module, size: len(text) - len(rest)}
}

// notOfContext reports whether r cannot occur in the context of a request, such as [-] or [None req-0123 - - - -]. It
// distinguishes such a context from a text that starts with a bracket.
func notOfContext(r rune) bool {
	return (r < 'a' || r > 'f') && (r < '0' || r > '9') && !strings.ContainsRune("[ -Nonreq", r)
}

// debugSuffix matches the function, file and line number that oslo.log appends to DEBUG lines.
var debugSuffix = regexp.MustCompile(` [\w<>]+ /\S+\.py:\d+$`)

// withoutSuffix removes the suffix that debugSuffix matches and that every line of coreos-installer has.
func (h header) withoutSuffix(text string) string {
	if h.module == "" || h.level != models.LogDebug || !strings.Contains(text, ".py:") {
		return text
	}
	return strings.TrimSuffix(text, debugSuffix.FindString(text))
}

var osloLevels = map[string]models.LogLevel{
	"TRACE":    models.LogDebug,
	"DEBUG":    models.LogDebug,
	"INFO":     models.LogInfo,
	"AUDIT":    models.LogNotice,
	"WARNING":  models.LogWarning,
	"WARN":     models.LogWarning,
	"ERROR":    models.LogError,
	"CRITICAL": models.LogCritical,
	"FATAL":    models.LogCritical,
}

// klogHeader parses a header of klog, such as "I1122 13:00:00.123456 1234 file.go:12] ". The file name stays part of
// the text, because it does not name a module.
func klogHeader(text string) header {
	if text[5] != ' ' || strings.Trim(text[1:5], "0123456789") != "" {
		return header{}
	}
	clock, rest, _ := strings.Cut(text[6:], " ")
	if _, err := time.Parse("15:04:05.000000", clock); err != nil {
		return header{}
	}
	rest = strings.TrimLeft(rest, " ")
	pid, rest, _ := strings.Cut(rest, " ")
	place, _, found := strings.Cut(rest, "] ")
	if _, err := strconv.ParseUint(pid, 10, 32); err != nil || !found || !strings.Contains(place, ":") || strings.Contains(place, " ") {
		return header{}
	}
	level := models.LogInfo
	switch text[0] {
	case 'W':
		level = models.LogWarning
	case 'E':
		level = models.LogError
	case 'F':
		level = models.LogCritical
	}
	return header{level: level, size: len(text) - len(rest)}
}
