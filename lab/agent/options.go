package agent

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Options say what the agent works with.
type Options struct {
	// IronicURL is the API, as in http://192.0.2.1:6385. Required.
	IronicURL string
	// Client calls it, and fetches images. Required; it should have a timeout
	// for the answer to begin.
	Client *http.Client
	// Hardware is the machine. Required.
	Hardware Hardware
	// Journal takes every line of the journal. It must not call the agent.
	Journal func(Entry)

	// Listen is the address of the agent's service, where the conductor finds it;
	// the default is 127.0.0.1:0.
	Listen string
	// PlainHTTP leaves out TLS.
	PlainHTTP bool
	// Token is one that came with the boot medium. Empty: lookup gives it.
	Token string
	// NoInspection leaves out the callback of inspection.
	NoInspection bool
	// Version is what the agent says it is; the default is 13.0.0.
	Version string
	// OpenCommandList lists commands without a token, as agents of the time of
	// Ironic 21.4 do: its conductor sends none with that call.
	OpenCommandList bool

	// Speed divides every pause; 1 is the real agent.
	Speed float64
	// LookupTimeout is after how long the agent gives up; the default is 300 s.
	LookupTimeout time.Duration

	Faults Faults
}

// Faults are what goes wrong on purpose.
type Faults struct {
	// DieInStep is the name of a step in the middle of which the agent is gone,
	// DieAfter how long it has been at it. Run then returns ErrDied.
	DieInStep string
	DieAfter  time.Duration
	// InstallFailures is how many runs of coreos-installer fail, and
	// InstallMessage the last line that they print. A step tries three times.
	InstallFailures int
	InstallMessage  string
	// FailStep is the name of a step that fails, with this message.
	FailStep    string
	FailMessage string
	// FailDisk is the disk that makes FailStep fail: the step succeeds where the
	// node's properties.skip_block_devices names it. Empty: it fails always.
	FailDisk string
	// NoRoute keeps every call to Ironic from getting there.
	NoRoute bool
	// ClockSkew is by how much the clock of the machine is ahead.
	ClockSkew time.Duration
	// StepDelay is how much longer each step takes.
	StepDelay time.Duration
	// Unabortable leaves out that steps may be aborted, as other hardware managers
	// than the agent's own do.
	Unabortable bool
	// NoInventory makes the collection of the inventory for inspection fail.
	NoInventory bool
}

// How a run can end before its context does.
var (
	// ErrDied is an agent that died because it was to.
	ErrDied = errors.New("the agent died")
	// errNotFound is an agent that Ironic did not know in time.
	errNotFound = errors.New("the node was not found")
)

const (
	defaultVersion       = "13.0.0"
	defaultListen        = "127.0.0.1:0"
	defaultLookupTimeout = 300 * time.Second
	defaultDieAfter      = 2 * time.Second
)

// complete fills in what was left out.
func (o *Options) complete() error {
	switch {
	case o.IronicURL == "":
		return errors.New("no URL of Ironic")
	case o.Client == nil:
		return errors.New("no HTTP client")
	case o.Hardware == nil:
		return errors.New("no hardware")
	case o.Speed < 0:
		return fmt.Errorf("speed %g is negative", o.Speed)
	}
	o.IronicURL = strings.TrimRight(o.IronicURL, "/")
	if o.Journal == nil {
		o.Journal = func(Entry) {}
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	setDefaultOf(&o.Version, defaultVersion)
	setDefaultOf(&o.Listen, defaultListen)
	setDefaultOf(&o.LookupTimeout, defaultLookupTimeout)
	setDefaultOf(&o.Faults.DieAfter, defaultDieAfter)
	if o.Faults.NoRoute {
		o.Client = &http.Client{Transport: noRoute{}}
	}
	return nil
}

func setDefaultOf[T comparable](value *T, byDefault T) {
	var zero T
	if *value == zero {
		*value = byDefault
	}
}

// noRoute is the network of a machine that cannot reach Ironic.
type noRoute struct{}

var errNoRoute = errors.New("[Errno 113] No route to host")

func (noRoute) RoundTrip(*http.Request) (*http.Response, error) { return nil, errNoRoute }
