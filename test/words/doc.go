// Package words tests the texts of the program and of its documentation against the mechanical rules of the writing
// style: no phrase that the glossary replaces, errors without a full stop.
package words
