//go:build !linux

package contract

// memoryFolder returns "", because only Linux always has a folder in memory.
func memoryFolder() string { return "" }
