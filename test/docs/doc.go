// Package docs tests the documentation: its links, pictures and lines, and the commands of the how-to guides against
// the embedded lab.
package docs
