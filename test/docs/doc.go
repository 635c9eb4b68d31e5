// Package docs tests the documentation. It checks the links, the pictures and the line lengths, and runs the commands
// on the pages against the embedded lab.
package docs
