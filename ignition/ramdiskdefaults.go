package ignition

// DefaultAgentImage is the image that the Metal3 project publishes for CoreOS. The tag moves,
// so a digest is better.
const DefaultAgentImage = "quay.io/metal3-io/ironic-agent:latest"

// DefaultCollectors returns the agent's own default collectors. The configuration sets them
// explicitly, because without collectors and callback the agent skips inspection.
func DefaultCollectors() []string { return []string{"default", "logs"} }

// IronicEndpoint describes the Ironic of a context.
type IronicEndpoint struct {
	// URL is the URL of the Ironic API.
	URL string
	// CA has the certificates, in PEM, that verify the API, or is "" for the system's.
	CA string
	// Insecure means that the API's certificate is not verified.
	Insecure bool
}

// NewRamdisk returns a Ramdisk for an Ironic with all defaults. The caller adds SSH keys.
func NewRamdisk(ironic IronicEndpoint) Ramdisk {
	r := Ramdisk{IronicURLs: []string{ironic.URL}, CA: ironic.CA}
	if ironic.Insecure {
		r.TLS = TLSInsecure
	}
	if u, problem := agentURL(ironic.URL, false); problem == nil && len(u) > 5 && u[:5] == "http:" {
		// The context may have certificates for other services.
		r.TLS, r.CA = TLSOff, ""
	}
	return r.WithDefaults()
}

// WithDefaults sets the defaults of empty fields: the profile, the agent's image, the TLS mode
// as far as the URLs determine it, and whether the network configuration is copied.
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
