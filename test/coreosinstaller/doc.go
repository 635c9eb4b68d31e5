// Package coreosinstaller provides the real coreos-installer, and small images with everything that coreos-installer
// reads in a live image. Tests use them to check what the console wrote.
package coreosinstaller
