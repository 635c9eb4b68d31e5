package daemon

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"ironworks/agent"
	"ironworks/agent/linux"
)

// Settings holds the options of ironic_python_agent/config.py that this agent supports.
type Settings struct {
	// Agent, Linux and Wait are the options that other packages implement.
	Agent agent.Options
	Linux linux.Options
	Wait  linux.AddressWait

	AdvertiseHost string
	AdvertisePort int
	// NetworkInterface is the interface whose address is advertised. The default is the interface of the route to Ironic.
	NetworkInterface string
	LookupAttempts   int // attempts to find the advertised address
	LookupSleep      time.Duration

	StartDelay        time.Duration
	Insecure          bool
	CAFile            string
	CertFile, KeyFile string // paths of the client certificate and its key
	RequestTimeout    time.Duration
	Debug             bool
}

// reader looks up options, first in the configuration files and then on the kernel's command line.
type reader struct {
	files  map[string]value
	params map[string]string
	errs   []error
}

// text returns the value of the option, or byDefault if it is not set. On the kernel's command line, the name of the
// option begins with "ipa-" and contains dashes instead of underscores.
func (r *reader) text(option, byDefault string) string {
	if v, known := r.files[option]; known {
		return v.text
	}
	parameter := "ipa-" + strings.ReplaceAll(option, "_", "-")
	if option == "ip_lookup_sleep" {
		parameter = "ipa-ip-lookup-timeout"
	}
	if text, known := r.params[parameter]; known {
		return text
	}
	return byDefault
}

func (r *reader) addError(option, text, want string) {
	place := "on the kernel's command line"
	if v, known := r.files[option]; known {
		place = "in " + v.place
	}
	r.errs = append(r.errs, fmt.Errorf("option %s is %q %s: want %s", option, text, place, want))
}

func (r *reader) flag(option string, byDefault bool) bool {
	text := r.text(option, strconv.FormatBool(byDefault))
	switch strings.ToLower(text) {
	case "true", "1", "on", "yes", "t", "y":
		return true
	case "false", "0", "off", "no", "f", "n":
		return false
	}
	r.addError(option, text, "true or false")
	return byDefault
}

func (r *reader) number(option string, byDefault, low, high int) int {
	text := r.text(option, strconv.Itoa(byDefault))
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		r.addError(option, text, fmt.Sprintf("a number from %d to %d", low, high))
	}
	return n
}

// highest is the maximum of numbers other than ports.
const highest = 1 << 20

func (r *reader) seconds(option string, byDefault int) time.Duration {
	text := r.text(option, strconv.Itoa(byDefault))
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || s < 0 || s > highest {
		r.addError(option, text, "a number of seconds")
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

const (
	defaultPort = 9999 // the default TCP port of the agent's API
	highestPort = 65535
)

// ReadSettings reads the settings from the configuration files and from params, which holds the kernel's command
// line. As in the real agent, the files take precedence. The error lists all invalid options.
func ReadSettings(files []string, params map[string]string) (Settings, error) {
	r := &reader{files: map[string]value{}, params: params}
	for _, name := range files {
		if err := readINI(name, r.files); err != nil {
			return Settings{}, err
		}
	}
	s := Settings{Linux: linux.Options{Parameters: params}}
	a := &s.Agent
	a.IronicURL, a.GlobalRequestID, a.Token = r.text("api_url", ""), r.text("global_request_id", ""), r.text("agent_token", "")
	a.Listen = net.JoinHostPort(r.text("listen_host", ""), strconv.Itoa(r.number("listen_port", defaultPort, 0, highestPort)))
	s.AdvertiseHost, s.AdvertisePort = r.text("advertise_host", ""), r.number("advertise_port", defaultPort, 0, highestPort)
	s.NetworkInterface = r.text("network_interface", "")
	s.LookupAttempts, s.LookupSleep = r.number("ip_lookup_attempts", 6, 1, highest), r.seconds("ip_lookup_sleep", 10)
	a.PlainHTTP, a.LookupTimeout = !r.flag("enable_auto_tls", true), r.seconds("lookup_timeout", 600)
	a.InspectionURL = r.text("inspection_callback_url", "")
	s.Linux.CollectLLDP, s.Linux.LLDPTimeout = r.flag("collect_lldp", false), r.seconds("lldp_timeout", 30)
	s.Linux.VLANs = r.text("enable_vlan_interfaces", "")
	s.Wait.Timeout, s.Wait.All = r.seconds("inspection_dhcp_wait_timeout", 60), r.flag("inspection_dhcp_all_interfaces", false)
	s.StartDelay = r.seconds("hardware_initialization_delay", 0)
	a.DiskTries, a.DiskWait = r.number("disk_wait_attempts", 10, 0, highest), r.seconds("disk_wait_delay", 3)
	s.Insecure, s.CAFile = r.flag("insecure", false), r.text("cafile", "")
	s.CertFile, s.KeyFile = r.text("certfile", ""), r.text("keyfile", "")
	s.RequestTimeout, s.Debug = r.seconds("http_request_timeout", 30), r.flag("debug", false)
	a.MinTLS, a.Images = r.minTLS(), r.images()
	a.Collectors = r.collectors(a.InspectionURL)
	if a.NoInspection = len(a.Collectors) == 0; a.NoInspection {
		s.Wait = linux.AddressWait{} // only an inspection needs the addresses
	}
	r.check(s)
	return s, errors.Join(r.errs...)
}

func (r *reader) minTLS() uint16 {
	switch text := r.text("tls_min_version", "1.2"); text {
	case "1.2":
		return tls.VersionTLS12
	case "1.3":
		return tls.VersionTLS13
	default:
		r.addError("tls_min_version", text, "1.2 or 1.3")
		return 0
	}
}

// images reads the image options. The options below the blank line can be set only in configuration files, except for
// the two flags, which can also be set on the kernel's command line.
func (r *reader) images() agent.ImageOptions {
	return agent.ImageOptions{
		Tries:       1 + r.number("image_download_connection_retries", 9, 0, highest),
		Pause:       max(1, r.seconds("image_download_connection_retry_interval", 10)),
		Silence:     max(1, r.seconds("image_download_connection_timeout", 60)),
		MaxDuration: r.seconds("image_download_max_duration", 0),

		BasicAuth: r.files["image_server_auth_strategy"].text == "http_basic",
		User:      r.files["image_server_user"].text, Password: r.files["image_server_password"].text,
		MD5: r.flag("md5_enabled", false), Uninspected: r.flag("disable_deep_image_inspection", false),
		Formats: split(r.files["permitted_image_formats"].text),
	}
}

func split(text string) []string {
	var elements []string
	for element := range strings.SplitSeq(text, ",") {
		if element = strings.TrimSpace(element); element != "" {
			elements = append(elements, element)
		}
	}
	return elements
}

// collectors returns the names of the inspection collectors. An empty result disables the inspection. If an
// inspection URL is set, the default collectors are used unless others are configured.
func (r *reader) collectors(inspectionURL string) []string {
	text := r.text("inspection_collectors", "")
	if text == "" && inspectionURL != "" {
		text = "default,logs"
	}
	return split(text)
}

// check rejects options that this agent does not support, instead of ignoring them silently.
func (r *reader) check(s Settings) {
	if s.Agent.IronicURL == "" {
		r.errs = append(r.errs, errors.New("no address of Ironic: set api_url in a configuration file, or ipa-api-url on the kernel's command line"))
	}
	for _, url := range []struct{ option, text string }{{"api_url", s.Agent.IronicURL}, {"inspection_callback_url", s.Agent.InspectionURL}} {
		for one := range strings.SplitSeq(url.text, ",") {
			if one = strings.TrimSpace(one); one != "" && !strings.HasPrefix(one, "http://") && !strings.HasPrefix(one, "https://") {
				r.addError(url.option, one, "a URL with http:// or https:// (mDNS is not supported)")
			}
		}
	}
	for _, option := range []string{"listen_tls", "standalone"} {
		if r.flag(option, false) {
			r.addError(option, "true", "false, as this agent does not support it")
		}
	}
	if (s.CertFile == "") != (s.KeyFile == "") {
		r.errs = append(r.errs, errors.New("certfile and keyfile belong together: set both or neither"))
	}
}
