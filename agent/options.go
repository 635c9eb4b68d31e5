package agent

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Options configures the agent.
type Options struct {
	// IronicURL is the URL of Ironic's API, such as http://192.0.2.1:6385. It is required. It may consist of several
	// URLs, separated by commas. The agent then uses the first one that answers.
	IronicURL string
	// GlobalRequestID is the ID of the request to Ironic that caused the boot. The agent sends it with its requests.
	GlobalRequestID string
	// Client calls Ironic and downloads images. It is required, and should have a timeout for response headers.
	Client *http.Client
	// Hardware is the machine on which the agent runs. It is required.
	Hardware Hardware
	// Journal receives every entry of the journal. It must not call the agent.
	Journal func(Entry)

	// Listen is the address on which the service listens. The default is 127.0.0.1:0.
	Listen string
	// Advertise returns the address at which conductors can reach the service. Port 0 means the port on which the
	// service listens. If Advertise is nil, the agent uses the address on which the service listens.
	Advertise func(context.Context) (host string, port int, err error)
	// PlainHTTP disables TLS for the service.
	PlainHTTP bool
	// MinTLS is the minimum TLS version that the service accepts. The default is TLS 1.2.
	MinTLS uint16
	// Token is the agent token from the boot medium. If it is empty, the agent gets a token from the lookup.
	Token string
	// NoInspection makes the agent look up its node without inspecting the machine.
	NoInspection bool
	// InspectionURL is the URL to which the agent sends the inventory. The default is derived from IronicURL.
	InspectionURL string
	// Collectors lists the names of the inspection collectors. The default is "default" and "logs".
	Collectors []string
	// Rescued reports that the machine is in rescue. After the lookup, the agent neither serves nor sends heartbeats.
	Rescued bool
	// DiskTries is the maximum number of attempts to find a root disk before the agent serves, and DiskWait is the
	// pause between them. By default, there is one attempt.
	DiskTries int
	DiskWait  time.Duration
	// CoreOSRoot is the path of the host's root for the agent: "/" outside of a container, /mnt/coreos by default.
	CoreOSRoot string
	// CopyNetwork and InstallKargs apply to every installation of CoreOS, in addition to what the deployment requests,
	// like IPA_COREOS_COPY_NETWORK and IPA_COREOS_IP_OPTIONS of ironic-agent-image.
	CopyNetwork  bool
	InstallKargs []string
	// DefaultHostname replaces a missing host name on installed systems, like the variable IPA_DEFAULT_HOSTNAME.
	DefaultHostname string
	// Simulated enables the steps in simulatedOnly, for simulated machines, where this agent replaces the real one.
	Simulated bool
	// Fast is meant for machines that can boot before the conductor has put the node in its wait state. A busy
	// conductor needs 20 s for this after it has powered on the machine. With Fast, the agent sends the inventory again
	// after the lookup if Ironic first answered with status 404, and LookupTimeout does not include the time for which
	// the node is locked. With the real agent, the node would remain in inspect wait.
	Fast bool
	// Version is the agent version that is reported to Ironic, and whose behavior applies. The default is 13.0.0.
	Version string
	// MatchIronic makes the agent behave like the agent that belongs to Ironic's release. As soon as the agent knows
	// the release, it sets Version to the version of that agent.
	MatchIronic bool

	// Speed divides the duration of every pause. The default is 1, which is the speed of the real agent.
	Speed float64
	// LookupTimeout is the maximum time that the agent spends on looking up the node. The default is 300 s.
	LookupTimeout time.Duration

	Images ImageOptions

	Faults Faults
}

// ImageOptions holds image options of the real agent's config.py. A zero value selects the default there.
type ImageOptions struct {
	// Tries is the maximum number of attempts, image_download_connection_retries plus one. Pause is between two.
	Tries int
	Pause time.Duration
	// Silence is the maximum time without data from a server (image_download_connection_timeout).
	Silence time.Duration
	// MaxDuration limits the total duration of a download, including retries. If it is 0, there is no limit.
	MaxDuration time.Duration
	// BasicAuth makes the agent log in to image servers, unless the image_info contains credentials.
	BasicAuth      bool
	User, Password string
	// MD5 allows MD5 checksums. Uninspected disables the inspection of images. Formats lists the permitted image
	// formats. Ironic's response to the lookup can override all three.
	MD5, Uninspected bool
	Formats          []string
}

// Faults describes failures that a simulated machine causes in the agent.
type Faults struct {
	// DieInStep is the step in which the agent dies, and DieAfter the time from its start. Run then returns ErrDied.
	DieInStep string
	DieAfter  time.Duration
	// InstallFailures is the number of runs of coreos-installer that fail, and InstallMessage is the last line that
	// these runs print. One step runs the installer up to three times.
	InstallFailures int
	InstallMessage  string
	// FailStep is the name of a step that fails, and FailMessage is the error message.
	FailStep    string
	FailMessage string
	// FailDisk restricts the failure of FailStep to one disk. The step succeeds if the node's
	// properties.skip_block_devices names this disk. If FailDisk is empty, the step always fails.
	FailDisk string
	// NoRoute makes Ironic unreachable.
	NoRoute bool
	// ClockSkew is the amount by which the machine's clock is ahead of the real time.
	ClockSkew time.Duration
	// StepDelay is added to the duration of each step.
	StepDelay time.Duration
	// Unabortable omits the abortable property from all steps, which third-party hardware managers may lack, too.
	Unabortable bool
	// NoInventory makes the inspection fail to collect the inventory.
	NoInventory bool
}

// The following errors are reasons for which Run returns before its context is canceled.
var (
	// ErrDied is returned when the agent dies because of [Faults].
	ErrDied = errors.New("the agent died")
	// errNotFound is returned if Ironic does not know the node before the lookup times out.
	errNotFound = errors.New("the node was not found")
)

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
	if len(o.Collectors) == 0 {
		o.Collectors = []string{"default", "logs"}
	}
	o.Speed = cmp.Or(o.Speed, 1)
	o.MinTLS = cmp.Or(o.MinTLS, tls.VersionTLS12)
	o.DiskTries = cmp.Or(o.DiskTries, 1)
	o.CoreOSRoot = cmp.Or(o.CoreOSRoot, "/mnt/coreos")
	o.Version = cmp.Or(o.Version, "13.0.0")
	o.Listen = cmp.Or(o.Listen, "127.0.0.1:0")
	o.LookupTimeout = cmp.Or(o.LookupTimeout, 300*time.Second)
	o.Faults.DieAfter = cmp.Or(o.Faults.DieAfter, 2*time.Second)
	o.Images.Tries = cmp.Or(o.Images.Tries, 10)
	o.Images.Pause = cmp.Or(o.Images.Pause, 10*time.Second)
	o.Images.Silence = cmp.Or(o.Images.Silence, time.Minute)
	if o.Faults.NoRoute {
		o.Client = &http.Client{Transport: noRoute{}}
	}
	return nil
}

type noRoute struct{}

var errNoRoute = errors.New("[Errno 113] No route to host")

func (noRoute) RoundTrip(*http.Request) (*http.Response, error) { return nil, errNoRoute }

// oldAgentVersion is the version of the agent that belongs to Ironic 21.4.
const oldAgentVersion = "9.4.2"

// generation distinguishes old and new real agents. This agent was compared with 9.4.2, which is old, and 13.0.0.
type generation int

const (
	currentAgent generation = iota
	legacyAgent
)

// generation returns the generation to which the configured version belongs. Major version 10 is the first new one.
func (o Options) generation() generation {
	major, _, _ := strings.Cut(o.Version, ".")
	if n, err := strconv.Atoi(major); err == nil && n < 10 {
		return legacyAgent
	}
	return currentAgent
}
