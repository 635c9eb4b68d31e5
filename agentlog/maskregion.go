package agentlog

import "strings"

type regionKind int

const (
	regionNone   regionKind = iota
	regionKey               // a private key in PEM, until its END line
	regionString            // a quoted text
	regionTree              // nested braces and brackets, which may contain quoted texts
	regionDump              // a dump, until the next line with a logger's header
)

// These limits for a region are in lines. Without them, an unclosed quote would hide the rest of the log.
const (
	fewLines  = 60
	manyLines = 20000
)

// region is a secret that may span several lines. Its fields are stored together with the writer's other state.
type region struct {
	Kind  regionKind `json:"kind,omitempty"`
	Lines int        `json:"lines,omitempty"` // the maximum number of lines that the region may still span
	Quote string     `json:"quote,omitempty"` // the quote that ends the text, with the backslashes before it
	Depth int        `json:"depth,omitempty"` // the number of open braces and brackets
}

// end returns the length of the part of text that belongs to the region, and whether the region ends there.
func (r *region) end(text string) (to int, over bool) {
	switch r.Kind {
	case regionKey:
		i := strings.Index(text, "-----END")
		if i < 0 {
			return len(text), false
		}
		rest := text[i+len("-----END"):]
		if j := strings.Index(rest, "-----"); j >= 0 {
			return len(text) - len(rest) + j + len("-----"), true
		}
		return len(text), true
	case regionString:
		if i := closingQuote(text, r.Quote); i >= 0 {
			return i, true
		}
		return len(text), false
	case regionTree:
		return r.endOfTree(text)
	case regionDump:
		return len(text), false
	case regionNone:
	}
	return 0, true
}

// endOfTree finds the end of a regionTree by counting braces and brackets outside of quoted texts. A tree that is
// itself part of a quoted text contains escaped quotes. endOfTree recognizes these, too.
func (r *region) endOfTree(text string) (to int, over bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			switch {
			case r.Quote == "":
				r.Quote = quoteAt(text, i)
			case closingQuote(quoteAt(text, i), r.Quote) >= 0:
				r.Quote = ""
			}
		case '{', '[':
			if r.Quote == "" {
				r.Depth++
			}
		case '}', ']':
			if r.Quote == "" {
				if r.Depth--; r.Depth <= 0 {
					return i + 1, true
				}
			}
		}
	}
	return len(text), false
}

// continuesIn reports whether the region continues in body, which follows a logger's header. Only the region of a key
// does, because a logger that prefixes every line also prefixes the lines of a key.
func (r *region) continuesIn(body string) bool {
	if r.Kind != regionKey {
		return false
	}
	body = strings.TrimSpace(body)
	return strings.Contains(body, "-----END") || strings.Contains(body, "Proc-Type:") ||
		strings.Contains(body, "DEK-Info:") || body == "" || (len(body) >= 16 || strings.HasSuffix(body, "=")) && !strings.ContainsFunc(body, notBase64)
}

func notBase64(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '+', r == '/', r == '=', r == '-', r == '_':
		return false
	}
	return true
}

func quoteAt(text string, i int) string { return text[i-backslashes(text, i) : i+1] }

func backslashes(text string, i int) int {
	n := 0
	for n < i && text[i-1-n] == '\\' {
		n++
	}
	return n
}

// closingQuote returns the offset after the text's closing quote, or -1 if there is none. A closing quote is preceded
// by as many backslashes as the opening quote, or by fewer if it also ends the enclosing text.
func closingQuote(text, quote string) int {
	mark := quote[len(quote)-1]
	for i := 0; i < len(text); i++ {
		if text[i] == mark && backslashes(text, i) <= len(quote)-1 {
			return i + 1
		}
	}
	return -1
}
