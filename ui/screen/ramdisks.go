package screen

import (
	"context"
	"time"

	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
)

// Ramdisks builds ramdisks and checks user data. It reads and writes local files, so call it in commands only.
type Ramdisks interface {
	// Defaults returns the initial values of a form, with Ironic's address if none is given.
	Defaults() (in prepare.Inputs, ironic string)
	// Build makes a configuration; [ignition.InputErrors] lists invalid inputs.
	Build(ctx context.Context, in prepare.Inputs) (prepare.Built, error)
	// Check reads and checks a file. An unchanged file is not read again.
	Check(ctx context.Context, path string, known prepare.FileStamp) (prepare.Checked, error)
	// Save writes JSON to a file; force replaces an existing file.
	Save(ctx context.Context, of prepare.ConfigSource, path string, force bool) (said string, err error)
	// Look returns the contents of an ISO.
	Look(ctx context.Context, iso string) (prepare.ImageLook, error)
	// Embed writes the configuration into an ISO; Wrap makes an initrd of it.
	Embed(ctx context.Context, of prepare.ConfigSource, order prepare.EmbedOrder) (said string, err error)
	Wrap(ctx context.Context, of prepare.ConfigSource, order prepare.WrapOrder) (said string, err error)
	// Addresses lists addresses of this machine that the BMCs of nodes could use, best first. The error names
	// unreachable BMCs; the addresses are valid nevertheless.
	Addresses(ctx context.Context, nodes []string) ([]serve.Candidate, error)
	// Serve starts a server. The context bounds the start only; the server ends with Stop or with the program.
	Serve(ctx context.Context, of prepare.ConfigSource, order prepare.ServeOrder) (Serving, error)
}

// Serving is a running server.
type Serving interface {
	// Targets are the served files with their URLs. The URLs are secrets: there is no authentication.
	Targets() []prepare.Target
	// Address is the listen address; Fingerprint is the certificate's fingerprint, or "".
	Address() string
	Fingerprint() string
	// Fetches lists the downloads so far; Failures the last refused and failed requests. Both return immediately.
	Fetches() []serve.Fetch
	Failures() []serve.Event
	// Ended reports whether the server has ended, and why.
	Ended() (ended bool, why error)
	// Stop ends the server and waits a few seconds for running downloads.
	Stop()
}

// Bench is the state of the Ignition screen. It lives as long as the console.
type Bench struct {
	// Values has the fields of the form by key; nil before the first visit.
	Values map[string]string
	// Asked has the last values of each dialog, by dialog name.
	Asked map[string]map[string]string
	// File is the checked file, or "".
	File string
	// Serving is the running server, or nil; Since is the time when it started.
	Serving Serving
	Since   time.Time
	// Capacity is the size of the embed area of ISO, the ISO that was inspected last.
	ISO      string
	Capacity int64
}

// Maker returns the session's Ramdisks, or else the one without an Ironic; may be nil.
func (e *Env) Maker() Ramdisks {
	if e.Session != nil && e.Session.Ramdisks != nil {
		return e.Session.Ramdisks
	}
	return e.Ramdisks
}
