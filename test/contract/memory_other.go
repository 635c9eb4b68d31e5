//go:build !linux

package contract

// memoryFolder is none: only Linux has one everywhere.
func memoryFolder() string { return "" }
