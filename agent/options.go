package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Options configure the agent.
type Options struct {
	// IronicURL is the API, such as http://192.0.2.1:6385. Required. If it has several URLs, separated by commas, the
	// agent uses the first that answers.
	IronicURL string
	// GlobalRequestID is the request in Ironic that booted the machine, sent along with requests.
	GlobalRequestID string
	// Client sends the requests and fetches images. Required; it should have a timeout for
	// response headers.
	Client *http.Client
	// Hardware is the machine. Required.
	Hardware Hardware
	// Journal receives every line of the journal. It must not call the agent.
	Journal func(Entry)

	// Listen is the address of the agent's service; the default is 127.0.0.1:0.
	Listen string
	// Advertise returns the address under which conductors reach the service; port 0 stands for the service's port. By
	// default it is the address that the service listens on.
	Advertise func(context.Context) (host string, port int, err error)
	// PlainHTTP disables TLS.
	PlainHTTP bool
	// MinTLS is the oldest accepted version of TLS; the default is 1.2.
	MinTLS uint16
	// Token is the agent token of the boot medium. If empty, the lookup returns a token.
	Token string
	// NoInspection skips inspection.
	NoInspection bool
	// InspectionURL receives the inventory. By default it is derived from IronicURL.
	InspectionURL string
	// Collectors are the names of the inspection collectors; the default is default and logs.
	Collectors []string
	// Rescued stops the agent after the lookup: the machine is in rescue.
	Rescued bool
	// DiskTries is the number of times, DiskWait apart, that the agent looks for a disk to install to before it serves;
	// the default is once.
	DiskTries int
	DiskWait  time.Duration
	// CoreOSRoot is where the host's root is mounted in the agent's root, "/" if they are the same.
	// The default is /mnt/coreos.
	CoreOSRoot string
	// CopyNetwork and InstallKargs apply to every installation of CoreOS, besides what a deployment
	// requests: they are the environment IPA_COREOS_COPY_NETWORK and IPA_COREOS_IP_OPTIONS of
	// ironic-agent-image.
	CopyNetwork  bool
	InstallKargs []string
	// DefaultHostname is the name of an installed system whose ramdisk has none: IPA_DEFAULT_HOSTNAME.
	DefaultHostname string
	// Simulated also offers the steps of simulatedOnly: on a simulated machine, this agent replaces
	// ironic-python-agent.
	Simulated bool
	// Fast is for a machine that boots faster than the conductor reaches its wait state, which takes a busy conductor
	// 20 s after power on. If Ironic answered 404 to the inventory, the agent sends it again after the lookup. The time
	// while the node is locked is not part of LookupTimeout. The real agent does neither, so the node would stay in
	// inspect wait.
	Fast bool
	// Version is the reported version; the default is 13.0.0.
	Version string
	// MatchIronic sets Version and OpenCommandList as in the agent of Ironic's release, once Ironic's API has answered.
	MatchIronic bool
	// OpenCommandList lists commands without a token, like agents at the time of Ironic 21.4,
	// whose conductor sends none with that call.
	OpenCommandList bool

	// Speed divides every pause; 1 is the real agent's speed.
	Speed float64
	// LookupTimeout is the time after which the lookup is given up; the default is 300 s.
	LookupTimeout time.Duration

	Images ImageOptions

	Faults Faults
}

// ImageOptions are the options of ironic_python_agent/config.py for images. The zero values are the defaults there.
type ImageOptions struct {
	// Tries is the maximum number of tries: the first one plus image_download_connection_retries. Pause is the time
	// between two tries.
	Tries int
	Pause time.Duration
	// Silence is image_download_connection_timeout: how long a server may send nothing.
	Silence time.Duration
	// MaxDuration limits a download with its retries; 0 is no limit.
	MaxDuration time.Duration
	// BasicAuth makes the agent send User and Password to the servers of images, unless the image_info has credentials.
	BasicAuth      bool
	User, Password string
	// MD5 allows MD5 checksums. Uninspected omits the inspection of images. Formats are the permitted formats of
	// images. Ironic's answer to the lookup overrides all three.
	MD5, Uninspected bool
	Formats          []string
}

// complete sets the defaults of the image options.
func (o *ImageOptions) complete() {
	const tries, pause, silence = 10, 10 * time.Second, time.Minute
	setDefaultOf(&o.Tries, tries)
	setDefaultOf(&o.Pause, pause)
	setDefaultOf(&o.Silence, silence)
}

// Faults are failures that a simulated machine makes the agent have.
type Faults struct {
	// DieInStep is the name of a step during which the agent dies, DieAfter how long into it. Run
	// then returns ErrDied.
	DieInStep string
	DieAfter  time.Duration
	// InstallFailures is the number of runs of coreos-installer that fail, and InstallMessage their last line. A step
	// tries three times.
	InstallFailures int
	InstallMessage  string
	// FailStep is the name of a step that fails, with this message.
	FailStep    string
	FailMessage string
	// FailDisk is the disk that makes FailStep fail: the step succeeds if the node's properties.skip_block_devices
	// names the disk. If FailDisk is empty, the step always fails.
	FailDisk string
	// NoRoute makes Ironic unreachable.
	NoRoute bool
	// ClockSkew is how far the machine's clock is ahead.
	ClockSkew time.Duration
	// StepDelay is added to the duration of each step.
	StepDelay time.Duration
	// Unabortable omits abortable from steps, as hardware managers other than the agent's do.
	Unabortable bool
	// NoInventory makes the collection of the inventory for inspection fail.
	NoInventory bool
}

// Errors with which Run ends before its context.
var (
	// ErrDied is the simulated death of an agent.
	ErrDied = errors.New("the agent died")
	// errNotFound reports that Ironic did not know the node in time.
	errNotFound = errors.New("the node was not found")
)

const (
	defaultVersion       = "13.0.0"
	defaultListen        = "127.0.0.1:0"
	defaultLookupTimeout = 300 * time.Second
	defaultDieAfter      = 2 * time.Second
)

// complete sets the defaults.
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
	if o.Journal == nil {
		o.Journal = func(Entry) {}
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if len(o.Collectors) == 0 {
		o.Collectors = []string{"default", "logs"}
	}
	setDefaultOf(&o.MinTLS, tls.VersionTLS12)
	setDefaultOf(&o.DiskTries, 1)
	setDefaultOf(&o.CoreOSRoot, coreosRoot)
	setDefaultOf(&o.Version, defaultVersion)
	setDefaultOf(&o.Listen, defaultListen)
	setDefaultOf(&o.LookupTimeout, defaultLookupTimeout)
	setDefaultOf(&o.Faults.DieAfter, defaultDieAfter)
	o.Images.complete()
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

// oldAgentVersion is the agent of Ironic 21.4.
const oldAgentVersion = "9.4.2"

// generation distinguishes old and new agents. 13.0.0 and 9.4.2 were compared; versions in between count
// as new.
type generation int

const (
	currentAgent generation = iota
	legacyAgent
)

// firstCurrentMajor is the first major version of the agent that counts as new.
const firstCurrentMajor = 10

// generation returns the age of the configured version.
func (o Options) generation() generation {
	major, _, _ := strings.Cut(o.Version, ".")
	if n, err := strconv.Atoi(major); err == nil && n < firstCurrentMajor {
		return legacyAgent
	}
	return currentAgent
}

// managerVersion returns the version of the generic hardware manager: 1.2 introduced service steps.
func (a generation) managerVersion() string {
	if a == legacyAgent {
		return "1.1"
	}
	return "1.2"
}
