package screen

import (
	"context"
	"time"

	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/ignition/userdata"
	"ironworks/provision"
)

// Ramdisks makes what machines boot, and checks what they are installed with. It reads
// and writes the files of this machine, so that screens call it in commands only.
type Ramdisks interface {
	// Defaults are what a form begins with, and Ironic's address where none is given.
	Defaults() (in prepare.Inputs, ironic string)
	// Build makes a configuration; [ignition.InputErrors] has what is wrong with inputs.
	Build(ctx context.Context, in prepare.Inputs) (prepare.Built, error)
	// Check reads a file and checks it. One that is still as known says is not read again.
	Check(ctx context.Context, path string, known FileStamp) (Checked, error)
	// Save writes the JSON to a file; one that is there is replaced by force only.
	Save(ctx context.Context, of RamdiskSource, path string, force bool) (said string, err error)
	// Look says what is in an ISO.
	Look(ctx context.Context, iso string) (ImageLook, error)
	// Embed puts the configuration into an ISO, and Wrap makes an initrd of it.
	Embed(ctx context.Context, of RamdiskSource, order EmbedOrder) (said string, err error)
	Wrap(ctx context.Context, of RamdiskSource, order WrapOrder) (said string, err error)
	// Addresses are those of this machine that the BMCs of nodes could use, the best
	// first. The error says to whom there is no way; the addresses are good all the same.
	Addresses(ctx context.Context, nodes []string) ([]serve.Candidate, error)
	// Serve begins to serve. The context bounds the beginning; serving ends with Stop or
	// with the program.
	Serve(ctx context.Context, of RamdiskSource, order ServeOrder) (Serving, error)
}

// RamdiskSource is the configuration that something is done with: that of a file, or
// made of inputs.
type RamdiskSource struct {
	File   string
	Inputs prepare.Inputs
}

// FileStamp tells whether a file has changed.
type FileStamp struct {
	Modified time.Time
	Size     int64
}

// Checked is a file with what is known of it. Same says that nothing has changed, and
// that the rest is empty.
type Checked struct {
	Same   bool
	Stamp  FileStamp
	Report userdata.Report
	// Source is the text that the problems' lines count in.
	Source []byte
}

// ImageLook is what is in an ISO. Sizes are in bytes.
type ImageLook struct {
	Volume string
	// Capacity is that of the area for a configuration, Used what is taken of it.
	Capacity, Used int64
	// Embedded says that there is a configuration, Holds what it is.
	Embedded bool
	Holds    string
	// Others are the names of what else is in the area, such as network keyfiles.
	Others []string
	// Kargs are the kernel arguments; empty where the ISO has no area for them.
	Kargs string
}

// EmbedOrder says into what to embed.
type EmbedOrder struct {
	ISO string
	// Output is a new file; empty changes the ISO in place.
	Output string
	// Kargs are added.
	Kargs []string
	// Force replaces a configuration that is there.
	Force bool
}

// WrapOrder says what initrd to make: of the configuration alone, or Initramfs with it
// behind.
type WrapOrder struct {
	Output, Initramfs string
	Force             bool
}

// ServeOrder says what is served, to whom, and where.
type ServeOrder struct {
	// ISO is served, or with PXE the kernel, initramfs and root file system in it; without
	// one they are files.
	ISO                    string
	PXE                    bool
	Kernel, Initrd, Rootfs string
	// AsIs serves the ISO with what is in it.
	AsIs bool
	// Nodes are names or uuids; PerNode gives each a configuration with its hostname.
	Nodes   []string
	PerNode bool
	// Listen is HOST:PORT, Advertise the name or address that others come by; empty is
	// the one listened on.
	Listen, Advertise string
	TLS               bool
	Kargs             []string
	// WithDefaults keeps the kernel parameters that Ironic is configured with.
	WithDefaults bool
}

// Serving is a server that runs.
type Serving interface {
	// Targets are what is served, with its addresses. They are secrets: nobody logs in.
	Targets() []ServedTarget
	// Where is the address that it listens on; Fingerprint that of its certificate, or "".
	Where() string
	Fingerprint() string
	// Fetches is who fetched how much so far, Troubles the last of what was refused and
	// what failed. Both answer at once.
	Fetches() []serve.Fetch
	Troubles() []serve.Event
	// Ended says that it serves no more, and why.
	Ended() (ended bool, why error)
	// Stop ends it, and waits for what is under way for a few seconds.
	Stop()
}

// ServedTarget is what one node boots, or all of them where UUID is empty.
type ServedTarget struct {
	Label, UUID string
	Ramdisk     provision.Ramdisk
}

// Bench is what of the Ignition screen lives as long as the console: it is found as it
// was left, whatever was visited meanwhile.
type Bench struct {
	// Values are what the form's fields hold, by their keys; nil before the first time.
	Values map[string]string
	// Asked are the values of the dialogs, by the dialogs' names.
	Asked map[string]map[string]string
	// File is the file that is checked, or "".
	File string
	// Serving is what is being served, or nil; Since is when it began.
	Serving Serving
	Since   time.Time
	// Capacity is that of the area of the ISO that was looked at last, which is ISO.
	ISO      string
	Capacity int64
}

// Maker gives the session's Ramdisks, or else the one that knows no Ironic; nil where
// there is none.
func (e *Env) Maker() Ramdisks {
	if e.Session != nil && e.Session.Ramdisks != nil {
		return e.Session.Ramdisks
	}
	return e.Ramdisks
}
