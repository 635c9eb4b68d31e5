package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/agent"
	"ironworks/agent/linux"
)

// Options configures [Run]. The program fills it from its command line and its environment.
type Options struct {
	// ConfigFiles and ConfigFolders replace the default configuration files if at least one is given.
	ConfigFiles, ConfigFolders []string
	// Root is the path of the host's root directory. It is "/" unless the agent runs in a container.
	Root string
	// Lock is the path of the file that the agent locks so that no other agent runs on the host. The default is
	// /run/ironworks-agent.lock below Root.
	Lock string
	// Getenv returns the value of an environment variable, like os.Getenv.
	Getenv func(string) string
	// Log receives the agent's log.
	Log io.Writer
}

// Run runs the agent until ctx is canceled or until Ironic ends the agent by finalizing a rescue. In both cases, it
// returns nil.
func Run(ctx context.Context, options Options) error {
	host := linux.Local(options.Root)
	log := &logWriter{to: options.Log}
	host.Warn = func(format string, args ...any) { log.line("WARNING", format, args...) }
	settings, err := read(host, options)
	if err != nil {
		return err
	}
	log.debug = settings.Debug
	if options.Lock == "" {
		options.Lock = filepath.Join(host.Root, lockFile)
	}
	release, err := lock(options.Lock)
	if err != nil {
		return err
	}
	defer release()
	listen := net.JoinHostPort(settings.ListenHost, strconv.Itoa(settings.ListenPort))
	if err := portFree(ctx, listen); err != nil {
		return err
	}
	if !pause(ctx, settings.StartDelay) {
		return nil
	}
	configured, err := configure(host, settings, options, log)
	if err != nil {
		return err
	}
	configured.Listen = listen
	return agent.Run(ctx, configured)
}

// read reads the settings from the configuration files and from the kernel's command line.
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

// configure converts the settings and options of the daemon to the options of package agent.
func configure(host linux.Host, s Settings, options Options, log *logWriter) (agent.Options, error) {
	params, err := host.Parameters()
	if err != nil {
		return agent.Options{}, err
	}
	client, err := client(s)
	if err != nil {
		return agent.Options{}, err
	}
	_, failure := os.Stat(linux.RescuedMarker)
	return agent.Options{
		IronicURL: s.APIURL, GlobalRequestID: s.GlobalRequestID, Client: client, Token: s.Token,
		Hardware: &ramdisk{
			Machine: linux.New(host, linux.Options{Parameters: params, CollectLLDP: s.CollectLLDP, LLDPTimeout: s.LLDPTimeout, VLANs: s.VLANs}),
			wait:    addressWait(s),
			lldp:    s.CollectLLDP || slices.Contains(s.Collectors, "lldp"), vlans: s.VLANs != "",
		},
		Journal:   log.entry,
		Advertise: func(ctx context.Context) (string, int, error) { return advertise(ctx, s) },
		PlainHTTP: !s.AutoTLS, MinTLS: s.MinTLS, MatchIronic: true,
		NoInspection: len(s.Collectors) == 0, InspectionURL: s.InspectionURL, Collectors: s.Collectors,
		Rescued: failure == nil, DiskTries: s.DiskTries, DiskWait: s.DiskWait, LookupTimeout: s.LookupTimeout, Images: s.Images,
		CoreOSRoot: options.Root, CopyNetwork: strings.EqualFold(options.Getenv("IPA_COREOS_COPY_NETWORK"), "true"),
		InstallKargs: strings.Fields(options.Getenv("IPA_COREOS_IP_OPTIONS")), DefaultHostname: options.Getenv("IPA_DEFAULT_HOSTNAME"),
	}, nil
}

// addressWait returns how long, and for which interfaces, the agent waits for addresses before it collects the
// inventory. Without an inspection, the result is the zero value, which means that the agent does not wait.
func addressWait(s Settings) linux.AddressWait {
	if len(s.Collectors) == 0 {
		return linux.AddressWait{}
	}
	return linux.AddressWait{Timeout: s.DHCPWait, All: s.DHCPAll}
}

// ramdisk provides the hardware of the host to the agent. It prepares the disks and the network before it returns the
// first inventory.
type ramdisk struct {
	*linux.Machine
	wait  linux.AddressWait
	lldp  bool
	vlans bool
}

var _ agent.Listener = (*ramdisk)(nil)

// EarlyInventory returns the inventory without LLDP data, together with a function that waits for this data and adds
// it. If VLANs are configured, Ironic may be reachable only through a VLAN. EarlyInventory then waits for the LLDP
// data itself and returns the complete inventory.
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

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
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

// line writes a message about the host in the format of the agent's log.
func (w *logWriter) line(level, format string, args ...any) {
	at := time.Now().UTC().Format("2006-01-02 15:04:05.000")
	_, _ = fmt.Fprintf(w.to, "%s 1 %s ironic_python_agent.hardware [-] %s\n", at, level, fmt.Sprintf(format, args...))
}

// ExitCode returns the exit code of the program for err. Code 2 means that starting the program again would not help.
func ExitCode(err error) int {
	const failed, final = 1, 2
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrRunning):
		return final
	}
	return failed
}
