// Package words checks the texts of the program and its documentation against the mechanical rules of the writing
// style: texts contain no phrase that the glossary replaces, and errors end without a full stop.
package words
