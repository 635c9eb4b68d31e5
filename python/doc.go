// Package python formats and evaluates values the way Python does, because Ironic and its agent quote values in their
// messages.
package python
