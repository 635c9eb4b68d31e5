// Package words checks the program's messages and its documentation against the mechanical rules of the writing
// style. They must not contain a phrase that the glossary replaces, and errors must end without a full stop.
package words
