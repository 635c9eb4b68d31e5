// Package cloudinit checks user data for cloud-init before a machine boots with it. It checks the format, following
// cloud-init 22.4 (cloudinit/handlers/__init__.py), and the types of cloud-config keys.
package cloudinit

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Problem describes something that is wrong with user data.
type Problem struct {
	// Error reports whether cloud-init cannot read the user data because of the problem. Otherwise, the user data may
	// not have the intended effect.
	Error bool
	// Line and Column are the position of the problem, counted from 1, or 0 if it has no specific position.
	Line, Column int
	Text         string
}

// String returns the text of the problem, after its position if it has one.
func (p Problem) String() string {
	switch {
	case p.Line > 0 && p.Column > 0:
		return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Text)
	case p.Line > 0:
		return fmt.Sprintf("%d: %s", p.Line, p.Text)
	}
	return p.Text
}

const (
	// maxUnpacked is the maximum size of uncompressed data, in bytes.
	maxUnpacked = 16 << 20
	// maxDepth is the maximum nesting depth of MIME parts and gzip.
	maxDepth = 4
)

// Check returns the problems in user data. Its time and memory are proportional to the size of the data.
func Check(data []byte) []Problem { return check(data, 0) }

func check(data []byte, depth int) []Problem {
	if depth > maxDepth {
		return fails("packed more than %d times", maxDepth)
	}
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return checkGzip(data, depth)
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return fails("the text starts with a byte order mark: cloud-init does not recognize the first line")
	}
	if !utf8.Valid(data) {
		return fails("the text is not valid UTF-8")
	}
	text := bytes.TrimLeft(data, " \t\r\n")
	line, _, _ := strings.Cut(string(text), "\n")
	lower := strings.ToLower(strings.TrimRight(line, " \t\r"))
	switch {
	case len(text) == 0:
		return fails("the user data is empty")
	case strings.HasPrefix(lower, "#cloud-config-archive"):
		return checkArchive(data, depth)
	case strings.HasPrefix(lower, "#cloud-config"):
		return checkCloudConfig(data)
	case strings.HasPrefix(lower, "#!"):
		return checkScript(line)
	case strings.HasPrefix(lower, "#include"), strings.HasPrefix(lower, "#cloud-boothook"), strings.HasPrefix(lower, "#part-handler"):
		return nil
	case strings.HasPrefix(lower, "## template: jinja"):
		return nil // the machine renders the template
	case strings.HasPrefix(lower, "content-type:"), strings.HasPrefix(lower, "mime-version:"):
		return checkMIME(text, depth)
	}
	return fails("cloud-init ignores user data that starts with %q: the first line must be, for example, #cloud-config or #!/bin/sh", short(line))
}

func fails(format string, args ...any) []Problem {
	return []Problem{{Error: true, Text: fmt.Sprintf(format, args...)}}
}

func short(line string) string {
	const most = 40
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}

func checkGzip(data []byte, depth int) []Problem {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fails("gzip: %v", err)
	}
	content, err := io.ReadAll(io.LimitReader(z, maxUnpacked+1))
	switch {
	case err != nil:
		return fails("gzip: %v", err)
	case len(content) > maxUnpacked:
		return fails("uncompressed, it is larger than %d MiB", maxUnpacked>>20)
	}
	return check(content, depth+1)
}

// checkScript checks the first line of a script. It must contain the absolute path of the interpreter, because the
// kernel does not search PATH.
func checkScript(line string) []Problem {
	interpreter := strings.TrimLeft(line[2:], " \t")
	name, _, _ := strings.Cut(strings.TrimRight(interpreter, "\r"), " ")
	switch {
	case strings.HasSuffix(line, "\r"):
		return fails("lines end with CR LF: interpreter %q does not exist", name+"\\r")
	case !strings.HasPrefix(name, "/"):
		return fails("interpreter %q is not an absolute path", name)
	}
	return nil
}
