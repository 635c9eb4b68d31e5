// Package python formats and evaluates values like Python, because Ironic and its agent quote values in their
// messages.
package python
