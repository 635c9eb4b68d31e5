package models

import (
	"fmt"
	"strings"
	"unicode"
)

// DefaultKernelParameters stands for Ironic's configured parameters in kernel_append_params.
const DefaultKernelParameters = "%default%"

// KernelParametersError says why Ironic refuses a kernel command line.
type KernelParametersError struct {
	// Line is the trimmed command line, Column the position of the error, from 1.
	Line   string
	Column int
	// Why is the reason, in one clause.
	Why string
}

func (e *KernelParametersError) Error() string {
	return fmt.Sprintf("kernel parameters, column %d: %s", e.Column, e.Why)
}

// ConfiguredKernelParameters is Ironic's default for [DefaultKernelParameters] ([pxe] and
// [redfish]kernel_append_params).
const ConfiguredKernelParameters = "nofb vga=normal"

// CheckKernelAppendParams checks a node's kernel_append_params, with configured in place of
// [DefaultKernelParameters].
func CheckKernelAppendParams(value, configured string) error {
	return CheckKernelParameters(strings.ReplaceAll(value, DefaultKernelParameters, configured))
}

// CheckKernelParameters checks a command line by the grammar of Ironic 37 and later
// (ironic/common/kernel_parameters.py, for CVE-2026-46447): words separated by spaces, each KEY, KEY=VALUE or
// KEY="VALUE WITH SPACES", then optionally -- and arguments for init. The error is a [KernelParametersError].
// Older Ironics, and those with [conductor]disable_kernel_parameter_parsing, accept everything.
func CheckKernelParameters(line string) error {
	// Python also trims four ASCII separators.
	line = strings.TrimFunc(line, func(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f })
	c := &commandLine{line: line}
	why := c.parameters()
	if why == "" || c.forInit() {
		return nil
	}
	return &KernelParametersError{Line: line, Column: len([]rune(line[:c.at])) + 1, Why: why}
}

// commandLine is the parser's state.
type commandLine struct {
	line string
	at   int
	// dashes is the position of the last -- that is a word between others.
	dashes int
}

// parameters parses the command line to its end, or returns the error.
func (c *commandLine) parameters() string {
	for first := true; c.at < len(c.line); {
		spaces := c.skip(func(b byte) bool { return b == ' ' })
		// A parameter may follow a quoted one without a space only at the start.
		if spaces == "" && c.at > 0 && (!first || c.line[c.at-1] != '"') {
			return c.unexpected("a space")
		}
		first = first && spaces == ""
		start := c.at
		if why := c.parameter(); why != "" {
			return why
		}
		if spaces != "" && c.line[start:c.at] == "--" && strings.HasPrefix(c.line[c.at:], " ") {
			c.dashes = c.at
		}
	}
	return ""
}

func (c *commandLine) parameter() string {
	if c.skip(isKeyByte) == "" {
		return c.unexpected("a key of letters, digits, _, - and .")
	}
	if !c.next('=') {
		return ""
	}
	if !c.next('"') {
		if c.skip(isValueByte) == "" {
			return c.unexpected("a value")
		}
		return ""
	}
	if c.skip(func(b byte) bool { return b == ' ' || isValueByte(b) }) == "" {
		return c.unexpected("a value")
	}
	if !c.next('"') {
		return c.unexpected("a closing quote")
	}
	return ""
}

// forInit reports whether everything after -- may be arguments for init, which may have no quotes.
func (c *commandLine) forInit() bool {
	if c.dashes == 0 {
		return false
	}
	rest := c.line[c.dashes:]
	for at := range len(rest) {
		if rest[at] != ' ' && !isValueByte(rest[at]) {
			return false
		}
	}
	return true
}

func (c *commandLine) skip(may func(byte) bool) string {
	start := c.at
	for c.at < len(c.line) && may(c.line[c.at]) {
		c.at++
	}
	return c.line[start:c.at]
}

func (c *commandLine) next(b byte) bool {
	if c.at < len(c.line) && c.line[c.at] == b {
		c.at++
		return true
	}
	return false
}

// unexpected describes an unexpected character.
func (c *commandLine) unexpected(wanted string) string {
	if c.at == len(c.line) {
		return wanted + " is missing at the end"
	}
	for _, char := range c.line[c.at:] {
		return fmt.Sprintf("%q where %s should be", char, wanted)
	}
	return ""
}

func isKeyByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.'
}

// isValueByte: printable ASCII except space and quote.
func isValueByte(b byte) bool { return b > ' ' && b < 0x7f && b != '"' }
