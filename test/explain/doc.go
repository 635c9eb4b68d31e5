// Package explain measures how many messages of Ironic and its agent are explained. It lists them from the installed
// sources of both releases with Python's ast, fills in values, wraps them like a conductor, and passes them to
// [explain.Explain].
package explain
