// Package docs tests the documentation: its links, its pictures and the length of its lines, and the commands of the
// how-to guides against the embedded lab.
package docs
