// Package coreosinstaller provides small images with everything that coreos-installer reads in a live image, and
// coreos-installer itself, to check what the console wrote.
package coreosinstaller
