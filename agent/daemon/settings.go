package daemon

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ironworks/agent"
)

// Settings holds the options of ironic_python_agent/config.py that this agent supports.
type Settings struct {
	APIURL          string
	GlobalRequestID string
	Token           string

	ListenHost    string
	ListenPort    int
	AdvertiseHost string
	AdvertisePort int
	// NetworkInterface is the interface whose address is advertised. If it is empty, the agent advertises the source
	// address of the route to Ironic.
	NetworkInterface string
	LookupAttempts   int // attempts to find the advertised address
	LookupSleep      time.Duration
	AutoTLS          bool
	MinTLS           uint16

	LookupTimeout time.Duration

	InspectionURL string
	Collectors    []string
	CollectLLDP   bool
	LLDPTimeout   time.Duration
	VLANs         string
	// DHCPWait is the maximum time that the inspection waits for addresses. With DHCPAll, the inspection waits for
	// the addresses of all interfaces with a carrier. Otherwise, it waits only for the address of the boot interface.
	DHCPWait time.Duration
	DHCPAll  bool

	StartDelay time.Duration
	DiskTries  int
	DiskWait   time.Duration

	Insecure          bool
	CAFile            string
	CertFile, KeyFile string // paths of the client certificate and its key
	RequestTimeout    time.Duration
	Debug             bool

	Images agent.ImageOptions
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
	return r.textOf(option, "ipa-"+strings.ReplaceAll(option, "_", "-"), byDefault)
}

func (r *reader) textOf(option, parameter, byDefault string) string {
	if v, known := r.files[option]; known {
		return v.text
	}
	if text, known := r.params[parameter]; known {
		return text
	}
	return byDefault
}

// addError records that the value of an option is invalid. The want argument describes valid values.
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

func (r *reader) number(option, text string, low, high int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		r.addError(option, text, fmt.Sprintf("a number from %d to %d", low, high))
	}
	return n
}

func (r *reader) port(option string, byDefault int) int {
	const highest = 65535
	return r.number(option, r.text(option, strconv.Itoa(byDefault)), 0, highest)
}

const manySeconds = 1 << 20

func (r *reader) seconds(option, parameter string, byDefault int) time.Duration {
	text := r.textOf(option, parameter, strconv.Itoa(byDefault))
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || s < 0 || s > manySeconds {
		r.addError(option, text, "a number of seconds")
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// defaultPort is the default TCP port of the agent's API.
const defaultPort = 9999

// ReadSettings reads the settings from the configuration files and from params, which holds the kernel's command
// line. As in the real agent, the files take precedence. The error lists all invalid options.
func ReadSettings(files []string, params map[string]string) (Settings, error) {
	r := &reader{files: map[string]value{}, params: params}
	for _, name := range files {
		if err := readINI(name, r.files); err != nil {
			return Settings{}, err
		}
	}
	s := Settings{
		APIURL: r.text("api_url", ""), GlobalRequestID: r.text("global_request_id", ""), Token: r.text("agent_token", ""),
		ListenHost: r.text("listen_host", ""), ListenPort: r.port("listen_port", defaultPort),
		AdvertiseHost: r.text("advertise_host", ""), AdvertisePort: r.port("advertise_port", defaultPort),
		NetworkInterface: r.text("network_interface", ""),
		LookupAttempts:   r.number("ip_lookup_attempts", r.text("ip_lookup_attempts", "6"), 1, manySeconds),
		LookupSleep:      r.seconds("ip_lookup_sleep", "ipa-ip-lookup-timeout", 10),
		AutoTLS:          r.flag("enable_auto_tls", true),
		LookupTimeout:    r.seconds("lookup_timeout", "ipa-lookup-timeout", 600),
		InspectionURL:    r.text("inspection_callback_url", ""),
		CollectLLDP:      r.flag("collect_lldp", false), LLDPTimeout: r.seconds("lldp_timeout", "ipa-lldp-timeout", 30),
		VLANs:    r.text("enable_vlan_interfaces", ""),
		DHCPWait: r.seconds("inspection_dhcp_wait_timeout", "ipa-inspection-dhcp-wait-timeout", 60),
		DHCPAll:  r.flag("inspection_dhcp_all_interfaces", false), StartDelay: r.seconds("hardware_initialization_delay", "ipa-hardware-initialization-delay", 0),
		DiskTries: r.number("disk_wait_attempts", r.text("disk_wait_attempts", "10"), 0, manySeconds),
		DiskWait:  r.seconds("disk_wait_delay", "ipa-disk-wait-delay", 3),
		Insecure:  r.flag("insecure", false), CAFile: r.text("cafile", ""), CertFile: r.text("certfile", ""), KeyFile: r.text("keyfile", ""),
		RequestTimeout: r.seconds("http_request_timeout", "ipa-http-request-timeout", 30),
		Debug:          r.flag("debug", false), MinTLS: r.minTLS(), Images: r.images(),
	}
	s.Collectors = r.collectors(s.InspectionURL)
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
	const option = "image_download_connection_"
	return agent.ImageOptions{
		Tries:       1 + r.number(option+"retries", r.text(option+"retries", "9"), 0, manySeconds),
		Pause:       max(1, r.seconds(option+"retry_interval", "ipa-image-download-connection-retry-interval", 10)),
		Silence:     max(1, r.seconds(option+"timeout", "ipa-image-download-connection-timeout", 60)),
		MaxDuration: r.seconds("image_download_max_duration", "ipa-image-download-max-duration", 0),

		BasicAuth: r.files["image_server_auth_strategy"].text == "http_basic",
		User:      r.files["image_server_user"].text, Password: r.files["image_server_password"].text,
		MD5: r.flag("md5_enabled", false), Uninspected: r.flag("disable_deep_image_inspection", false),
		Formats: split(r.files["permitted_image_formats"].text),
	}
}

// split splits a comma-separated list and drops empty elements.
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
	if s.APIURL == "" {
		r.errs = append(r.errs, errors.New("no address of Ironic: set api_url in a configuration file, or ipa-api-url on the kernel's command line"))
	}
	for _, url := range []struct{ option, text string }{{"api_url", s.APIURL}, {"inspection_callback_url", s.InspectionURL}} {
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
