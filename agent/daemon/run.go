// Package daemon runs the agent on the host that it was started on: it reads the kernel's command line and
// ironic-python-agent's configuration files, allows one agent per host, and connects [agent] with [agent/linux].
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"ironworks/agent"
	"ironworks/agent/linux"
)

// Options configures [Run]. The program fills it from its command line and its environment.
type Options struct {
	// ConfigFiles and ConfigFolders replace the default configuration files if at least one is given.
	ConfigFiles, ConfigFolders []string
	// Root is the path of the host's root directory. It is "/" unless the agent runs in a container.
	Root string
	// Lock is the path of the file that keeps other agents from running on the host. The default is
	// /run/ironworks-agent.lock below Root.
	Lock string
	// Getenv returns the value of an environment variable, like os.Getenv.
	Getenv func(string) string
	// Log receives the agent's log.
	Log io.Writer
}

// Run runs the agent, and returns nil when ctx is canceled or when Ironic ends the agent by finalizing a rescue.
func Run(ctx context.Context, options Options) error {
	host := linux.Local(options.Root)
	log := &logWriter{to: options.Log}
	host.Warn = func(format string, args ...any) { log.line("WARNING", format, args...) }
	settings, err := read(host, options)
	if err != nil {
		return err
	}
	log.debug = settings.Debug
	release, err := lock(cmp.Or(options.Lock, filepath.Join(host.Root, lockFile)))
	if err != nil {
		return err
	}
	defer release()
	if err := portFree(ctx, settings.Agent.Listen); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(settings.StartDelay):
	}
	configured, err := configure(host, settings, options, log)
	if err != nil {
		return err
	}
	return agent.Run(ctx, configured)
}

func read(host linux.Host, options Options) (Settings, error) {
	params, err := host.Parameters()
	if err != nil {
		return Settings{}, err
	}
	files, err := configFiles(options.ConfigFiles, options.ConfigFolders)
	if err != nil {
		return Settings{}, err
	}
	settings, err := ReadSettings(files, params)
	if err != nil {
		return Settings{}, fmt.Errorf("the configuration is invalid: %w", err)
	}
	return settings, nil
}

// configure adds what the configuration files cannot contain to the options of package agent.
func configure(host linux.Host, s Settings, options Options, log *logWriter) (agent.Options, error) {
	client, err := client(s)
	if err != nil {
		return agent.Options{}, err
	}
	_, failure := os.Stat(linux.RescuedMarker)
	a := s.Agent
	a.Client, a.Journal, a.MatchIronic, a.Rescued = client, log.entry, true, failure == nil
	a.Hardware = &ramdisk{
		Machine: linux.New(host, s.Linux), wait: s.Wait,
		lldp: s.Linux.CollectLLDP || slices.Contains(a.Collectors, "lldp"), vlans: s.Linux.VLANs != "",
	}
	a.Advertise = func(ctx context.Context) (string, int, error) { return advertise(ctx, s) }
	a.CoreOSRoot, a.CopyNetwork = options.Root, strings.EqualFold(options.Getenv("IPA_COREOS_COPY_NETWORK"), "true")
	a.InstallKargs, a.DefaultHostname = strings.Fields(options.Getenv("IPA_COREOS_IP_OPTIONS")), options.Getenv("IPA_DEFAULT_HOSTNAME")
	return a, nil
}

// ramdisk provides the host's hardware to the agent. It prepares disks and network before the first inventory.
type ramdisk struct {
	*linux.Machine
	wait  linux.AddressWait
	lldp  bool
	vlans bool
}

var _ agent.Listener = (*ramdisk)(nil)

// EarlyInventory returns the inventory without LLDP data, and a function that waits for this data and adds it. If VLANs
// are configured, Ironic may be reachable only through one, so EarlyInventory itself waits for the data.
func (r *ramdisk) EarlyInventory(ctx context.Context) (agent.Inventory, func(context.Context, *agent.Inventory) error, error) {
	if r.lldp {
		r.ListenForLLDP(ctx)
	}
	r.Prepare(ctx)
	r.AwaitAddresses(ctx, r.wait)
	if !r.lldp || r.vlans {
		inventory, err := r.Inventory(ctx)
		return inventory, nil, err
	}
	inventory, err := r.InventoryWithoutLLDP(ctx)
	return inventory, r.AddLLDP, err
}

// secrets is a pattern that matches a token in a log line, either in a URL or in Ironic's response to a lookup.
var secrets = regexp.MustCompile(`(agent_token=|'agent_token': ')[^&'\s]+`)

// logWriter writes the log in the format of the real agent, but hides tokens.
type logWriter struct {
	to    io.Writer
	debug bool
}

// entry writes an entry of the agent's journal. It drops debug messages unless they are enabled. It also drops the
// simulated entries of systemd, because a real host's systemd writes its own log.
func (w *logWriter) entry(e agent.Entry) {
	if e.Unit != agent.Unit || !w.debug && strings.Contains(e.Text, " DEBUG ") {
		return
	}
	_, _ = fmt.Fprintln(w.to, secrets.ReplaceAllString(e.Text, "${1}***"))
}

func (w *logWriter) line(level, format string, args ...any) {
	at := time.Now().UTC().Format("2006-01-02 15:04:05.000")
	_, _ = fmt.Fprintf(w.to, "%s 1 %s ironic_python_agent.hardware [-] %s\n", at, level, fmt.Sprintf(format, args...))
}

// ExitCode returns the exit code of the program for err. Code 2 means that starting the program again would not help.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrRunning):
		return 2
	}
	return 1
}

// lockFile is the file that an agent locks while it runs, so that no second agent starts on the same host.
const lockFile = "/run/ironworks-agent.lock"

// ErrRunning means that another agent already runs on the host. Two agents would erase and install the same disks.
var ErrRunning = errors.New("another agent is running on this host")

// lock locks the given file and returns a function that unlocks it, or returns [ErrRunning] if it is locked already.
func lock(file string) (release func(), err error) {
	held := flock.New(file)
	got, err := held.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("locking %s: %w", file, err)
	case !got:
		return nil, fmt.Errorf("%w: it holds %s", ErrRunning, file)
	}
	return func() { _ = held.Unlock() }, nil
}

// portFree returns an error if the address is in use, for example by the container of ironic-python-agent.
func portFree(ctx context.Context, address string) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w: %s is in use", ErrRunning, address)
	case err != nil:
		return fmt.Errorf("listening: %w", err)
	}
	return listener.Close()
}
