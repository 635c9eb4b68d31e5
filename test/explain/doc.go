// Package explain measures how many messages of Ironic and its agent are explained. It extracts the messages from the
// installed sources of both releases with Python's ast module, replaces the names in them with values, wraps them as
// a conductor does, and passes them to [explain.Explain].
package explain
