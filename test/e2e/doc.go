// Package e2e drives the built program, as a user would, against real Ironics of both
// releases and a real Keystone. It holds tests only.
package e2e
