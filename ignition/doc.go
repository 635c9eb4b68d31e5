// Package ignition is what the console knows about Ignition, and about the
// CoreOS live images that carry it.
package ignition
