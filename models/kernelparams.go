package models

import (
	"fmt"
	"strings"
	"unicode"
)

// DefaultKernelParameters is a placeholder in kernel_append_params. Ironic replaces it with the parameters from its
// configuration (get_kernel_append_params in ironic/drivers/utils.py).
const DefaultKernelParameters = "%default%"

// KernelParametersError explains why Ironic rejects a kernel command line.
type KernelParametersError struct {
	// Line is the trimmed command line. Column is the position of the error, in characters from 1.
	Line   string
	Column int
	// Why is the reason, formulated as a clause.
	Why string
}

func (e *KernelParametersError) Error() string {
	return fmt.Sprintf("kernel parameters, column %d: %s", e.Column, e.Why)
}

// CheckKernelAppendParams checks a node's kernel_append_params. In place of [DefaultKernelParameters], it uses the
// default value of kernel_append_params in the [pxe] and [redfish] sections of Ironic's configuration.
func CheckKernelAppendParams(value string) error {
	return CheckKernelParameters(strings.ReplaceAll(value, DefaultKernelParameters, "nofb vga=normal"))
}

// CheckKernelParameters checks a kernel command line with the grammar of Ironic 37 and later
// (ironic/common/kernel_parameters.py, for CVE-2026-46447). A command line consists of words of the form KEY,
// KEY=VALUE or KEY="VALUE WITH SPACES", separated by spaces. It may end with -- and arguments for init. The error is
// a *[KernelParametersError]. Older versions of Ironic accept any command line, as do newer ones if
// [conductor]disable_kernel_parameter_parsing is set.
func CheckKernelParameters(line string) error {
	// Python also trims four ASCII separator characters.
	line = strings.TrimFunc(line, func(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f })
	c := &commandLine{line: line}
	why := c.parameters()
	if why == "" || c.forInit() {
		return nil
	}
	return &KernelParametersError{Line: line, Column: len([]rune(line[:c.at])) + 1, Why: why}
}

type commandLine struct {
	line string
	at   int
	// dashes is the position after the last -- that is surrounded by spaces, or 0 if there is none.
	dashes int
}

// parameters parses the whole command line. It returns a description of the first error, or "".
func (c *commandLine) parameters() string {
	for first := true; c.at < len(c.line); {
		spaces := c.skip(func(b byte) bool { return b == ' ' })
		// Only at the start of the line may a parameter follow a quoted one without a space.
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

// forInit reports whether the text after -- can be arguments for init, which must not contain quotes.
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

// unexpected returns a description of the error at the current position. wanted names the element that the grammar
// requires there.
func (c *commandLine) unexpected(wanted string) string {
	if c.at == len(c.line) {
		return wanted + " is missing at the end"
	}
	for _, char := range c.line[c.at:] {
		return fmt.Sprintf("found %q instead of %s", char, wanted)
	}
	return ""
}

func isKeyByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.'
}

// isValueByte reports whether b is printable ASCII, but not a space or a double quote.
func isValueByte(b byte) bool { return b > ' ' && b < 0x7f && b != '"' }
