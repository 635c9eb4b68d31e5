// Package coreosinstaller is what tests of live images stand on: small images
// with everything that coreos-installer looks at, and coreos-installer itself,
// which reads what the console wrote.
package coreosinstaller
