package screen

import (
	"context"
	"time"

	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
)

// Ramdisks builds ramdisks and checks user data. Its methods do I/O, so only commands may call them.
type Ramdisks interface {
	// IronicURL returns the address of Ironic that is used if the form contains none, or "" if it is not known.
	IronicURL() string
	// Build builds a configuration. If inputs are invalid, [ignition.InputErrors] lists them.
	Build(ctx context.Context, in prepare.Inputs) (prepare.Built, error)
	// Check reads a file and checks it. The argument known is the file's stamp from an earlier call; if the file has
	// not changed since then, it is not read again.
	Check(ctx context.Context, path string, known prepare.FileStamp) (prepare.Checked, error)
	// Save writes the configuration as JSON to the file at path. If force is true, it replaces an existing file.
	Save(ctx context.Context, of prepare.ConfigSource, path string, force bool) (said string, err error)
	// Look returns a summary of the contents of an ISO.
	Look(ctx context.Context, iso string) (prepare.ImageLook, error)
	// Embed writes the configuration into an ISO. Wrap makes an initrd that contains the configuration.
	Embed(ctx context.Context, of prepare.ConfigSource, order prepare.EmbedOrder) (said string, err error)
	Wrap(ctx context.Context, of prepare.ConfigSource, order prepare.WrapOrder) (said string, err error)
	// Addresses returns the addresses of this machine that the BMCs of the given nodes could use, best first. The
	// error names unreachable BMCs; the addresses are valid even if the error is not nil.
	Addresses(ctx context.Context, nodes []string) ([]serve.Candidate, error)
	// Serve starts a server. ctx bounds only the start. The server runs until Stop is called or the program ends.
	Serve(ctx context.Context, of prepare.ConfigSource, order prepare.ServeOrder) (Serving, error)
}

// Serving is a running server.
type Serving interface {
	// Targets returns the served files with their URLs, which are secret: there is no authentication.
	Targets() []prepare.Target
	// Address returns the address of the server. Fingerprint returns that of its certificate, or "".
	Address() string
	Fingerprint() string
	// Fetches returns the downloads so far; Failures returns the last refused and failed requests. Neither blocks.
	Fetches() []serve.Fetch
	Failures() []serve.Event
	// Ended reports whether the server has ended. why is the error that ended it, or nil if there was none.
	Ended() (ended bool, why error)
	// Stop stops the server. It waits a few seconds for running downloads to finish.
	Stop()
}

// Bench is the state of the Ignition screen. It is kept until the console ends.
type Bench struct {
	// Values holds the values of the form by field key; it is nil before the first visit.
	Values map[string]string
	// Asked holds the values last entered in each dialog, by dialog name and field key.
	Asked map[string]map[string]string
	// File is the path of the file that is checked, or "".
	File string
	// Serving is the running server, or nil; Since is the time when it started.
	Serving Serving
	Since   time.Time
	// ISO is the path of the ISO that was inspected last, and Capacity is the size of its embed area in bytes.
	ISO      string
	Capacity int64
}

// Maker returns the session's Ramdisks or those that work without an Ironic. It may return nil.
func (e *Env) Maker() Ramdisks {
	if e.Session != nil && e.Session.Ramdisks != nil {
		return e.Session.Ramdisks
	}
	return e.Ramdisks
}
