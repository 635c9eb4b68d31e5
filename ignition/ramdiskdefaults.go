package ignition

// DefaultAgentImage is the agent image that the Metal3 project publishes for CoreOS. Its tag can move to another
// image, so a reference with a digest is safer.
const DefaultAgentImage = "quay.io/metal3-io/ironic-agent:latest"

// DefaultCollectors returns the same collectors that the agent uses by default. The configuration lists them
// explicitly, because the agent skips inspection if neither collectors nor a callback are configured.
func DefaultCollectors() []string { return []string{"default", "logs"} }

// IronicEndpoint describes the Ironic of a context.
type IronicEndpoint struct {
	// URL is the URL of the Ironic API.
	URL string
	// CA holds the certificates, in PEM format, with which the API is verified. If it is empty, the system's
	// certificates are used.
	CA string
	// Insecure means that the API's certificate is not verified.
	Insecure bool
}

// NewRamdisk returns a Ramdisk with all defaults for the given Ironic. The caller should add SSH keys.
func NewRamdisk(ironic IronicEndpoint) Ramdisk {
	r := Ramdisk{IronicURLs: []string{ironic.URL}, CA: ironic.CA}
	if ironic.Insecure {
		r.TLS = TLSInsecure
	}
	if u, problem := agentURL(ironic.URL, false); problem == nil && len(u) > 5 && u[:5] == "http:" {
		// The context may contain certificates that are meant for other services.
		r.TLS, r.CA = TLSOff, ""
	}
	return r.WithDefaults()
}

// WithDefaults returns a copy of r in which empty fields are set to their defaults. This concerns the profile, the
// agent's image, the TLS mode if it can be derived from the URLs, and CopyNetwork.
func (r Ramdisk) WithDefaults() Ramdisk {
	if r.Profile == "" {
		r.Profile = ProfileDefault
	}
	if r.Image == "" && !r.builtin() {
		r.Image = DefaultAgentImage
	}
	if r.TLS == "" && len(r.IronicURLs) > 0 {
		if _, mode := r.agentURLs(&inputs{}); mode != "" {
			r.TLS = mode
		}
	}
	if r.CopyNetwork == "" {
		r.CopyNetwork = CopyNetworkAuto
	}
	return r
}
