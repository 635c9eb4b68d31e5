// Package e2e drives the built program, as a user would, against real Ironics of both releases, a real Keystone and
// the embedded Ironic. It holds tests only.
package e2e
