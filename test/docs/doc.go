// Package docs tests the documentation. It checks the links, the pictures and the length of the lines, and runs the
// commands of the pages against the embedded lab.
package docs
