// Package explain measures how many of the messages that Ironic and its agent can write
// are explained: it lists them from the installed sources of both releases, with Python's
// ast, fills in values, wraps them as a conductor does, and gives them to [explain.Explain].
package explain
