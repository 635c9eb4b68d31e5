// Package coreosinstaller provides the real coreos-installer, and small images that contain everything that it reads
// in a live image. Tests use them to check what the console wrote.
package coreosinstaller
