package agentlog

import "strings"

var secretWords = []string{
	"token", "passw", "passphrase", "secret", "authorization", "apikey", "api_key", "api-key", "accesskey", "access_key", "access-key",
	"privatekey", "private_key", "private-key", "credential", "signature", "cookie", "auth", "sig", "pwd", "pass", "pw",
	"user_data", "userdata", "user-data", "configdrive", "config_drive", "config-drive",
}

// findKeys masks values with secret names: key=value, "key": "value", 'key': {…} and --key value, quoted or not.
func (m *masker) findKeys(text, lower string, from int) {
	for _, word := range secretWords {
		forEach(lower, word, from, func(at int) int {
			start, end := at, at+len(word)
			for start > from && nameByte(lower[start-1]) {
				start--
			}
			for end < len(lower) && nameByte(lower[end]) {
				end++
			}
			switch name := lower[start:end]; {
			case !secretName(name, word):
			case opensElement(text, start):
				m.hideElement(text, end)
			case (name == "pass" || name == "pw") && strings.HasPrefix(strings.TrimLeft(text[end:], " "), ":"):
				// A sentence such as "first pass: reading" has no secret value.
			default:
				m.hideValue(text, name, end)
			}
			return end
		})
	}
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// secretName reports whether name, which contains word, is the name of a secret.
func secretName(name, word string) bool {
	switch word {
	case "auth", "sig", "pwd", "pass", "pw":
		// These words are parts of many others, so they count only as the last word of a name.
		for _, s := range []string{word, word + "s"} {
			if rest, ok := strings.CutSuffix(name, s); ok && (rest == "" || strings.HasSuffix(rest, "_") || strings.HasSuffix(rest, "-") || strings.HasSuffix(rest, ".")) {
				return true
			}
		}
		return false
	}
	for _, harmless := range []string{
		"_file", "-file", "_path", "_url", "_type", "_required", "_length", "_ttl", "_expires", "_expires_at", "_expiration", "_timeout", "_name", "_id", "_method", "-type", ".service", ".target", ".mount", ".path",
	} {
		if strings.HasSuffix(name, harmless) && !strings.HasSuffix(name, "access_key_id") {
			return false
		}
	}
	return true
}

// opensElement reports whether the name at start is the name of an XML element, with or without a namespace.
func opensElement(text string, start int) bool {
	if start > 0 && text[start-1] == ':' {
		start = strings.LastIndexAny(text[:start], "< ") + 1
	}
	return start > 0 && text[start-1] == '<'
}

func (m *masker) hideElement(text string, end int) {
	open := strings.IndexByte(text[end:], '>')
	if open < 0 || open > 0 && text[end+open-1] == '/' {
		return
	}
	from := end + open + 1
	if over := strings.IndexByte(text[from:], '<'); over >= 0 {
		m.hide(from, from+over)
		return
	}
	m.hide(from, len(text))
}

func (m *masker) hideValue(text, name string, end int) {
	// These are escaped forms of = and : in systemd, journald, URLs and JSON.
	for _, escaped := range []string{`\x3d`, `\x3a`, `\u003d`, "%3d", "%3a"} {
		if len(text) > end+len(escaped) && strings.EqualFold(text[end:end+len(escaped)], escaped) {
			m.hideFrom(text, name, end+len(escaped), fewLines)
			return
		}
	}
	at := skip(text, end, `\"'`)
	sep := skip(text, at, " \t")
	option := strings.HasPrefix(name, "-")
	switch {
	case sep == len(text):
		return
	case text[sep] == '=' || text[sep] == ':':
		at = skip(text, sep, "=:> \t")
	case option && text[sep] == ',': // an option in a list of arguments, such as '--password', 'x'
		at = skip(text, sep, ", \t")
	case option && sep > end:
		at = sep
	default:
		return
	}
	if at == len(text) {
		return
	}
	lines := fewLines
	if strings.Contains(name, "data") || strings.Contains(name, "drive") || strings.HasPrefix(name, "auth") || strings.Contains(name, "secret") {
		lines = manyLines
	}
	m.hideFrom(text, name, at, lines)
}

func (m *masker) hideFrom(text, name string, at, lines int) {
	quote := at
	if c := text[at] | 0x20; (c == 'b' || c == 'u' || c == 'r') && at+1 < len(text) {
		quote++ // skip the prefix of a Python string, such as b or u
	}
	quote = skip(text, quote, `\`)
	if quote < len(text) && (text[quote] == '"' || text[quote] == '\'') {
		r := region{Kind: regionString, Lines: lines, Quote: quoteAt(text, quote)}
		inside := quote + 1
		if end, over := r.end(text[inside:]); over && harmlessValue(strings.TrimRight(text[inside:inside+end], `\"'`)) {
			return
		} else if over {
			m.hide(inside, inside+end-1-min(len(r.Quote)-1, backslashes(text, inside+end-1)))
			return
		}
		m.startRegion(text, inside, r)
		return
	}
	if text[at] == '{' || text[at] == '[' {
		m.startRegion(text, at, region{Kind: regionTree, Lines: lines})
		return
	}
	stop := " \t\"'"
	if strings.Contains(name, "authorization") || strings.Contains(name, "cookie") || strings.Contains(name, "passphrase") {
		stop = "\"'" // the value may consist of several words
	}
	end := len(text)
	if i := strings.IndexAny(text[at:], stop); i >= 0 {
		end = at + i
	}
	if !harmlessValue(strings.TrimRight(text[at:end], `,;)}]\`)) {
		m.hide(at, end)
	}
}

func harmlessValue(v string) bool {
	switch v {
	case "", "None", "null", "nil", "True", "False", "true", "false", "REDACTED", "[REDACTED]", "***", "******":
		return true
	}
	return false
}

// skip returns the offset, at or after from, of the first byte that is not one of the given bytes.
func skip(text string, from int, bytes string) int {
	for from < len(text) && strings.IndexByte(bytes, text[from]) >= 0 {
		from++
	}
	return from
}
