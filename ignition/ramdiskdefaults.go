package ignition

// DefaultAgentImage is the image that the metal3 project publishes for CoreOS.
// It moves: a digest is better.
const DefaultAgentImage = "quay.io/metal3-io/ironic-agent:latest"

// DefaultCollectors are those that the agent itself uses when it is told to
// inspect. They are written into the configuration, so that inspection works
// whatever the image says: without collectors and callback the agent inspects
// nothing.
func DefaultCollectors() []string { return []string{"default", "logs"} }

// IronicEndpoint is what a context of the console tells of its Ironic.
type IronicEndpoint struct {
	// URL is that of the API.
	URL string
	// CA is the certificates, in PEM, that verify it, or empty for the
	// system's.
	CA string
	// Insecure is an Ironic whose certificate is not verified.
	Insecure bool
}

// NewRamdisk gives a ramdisk that works for an Ironic, with the default for
// everything else. What is missing is the SSH keys.
func NewRamdisk(ironic IronicEndpoint) Ramdisk {
	r := Ramdisk{IronicURLs: []string{ironic.URL}, CA: ironic.CA}
	if ironic.Insecure {
		r.TLS = TLSInsecure
	}
	if u, problem := agentURL(ironic.URL, false); problem == nil && len(u) > 5 && u[:5] == "http:" {
		// A context may have certificates for other services.
		r.TLS, r.CA = TLSOff, ""
	}
	return r.WithDefaults()
}

// WithDefaults fills in what was left out and has a sensible value: the
// profile, the agent's image, how TLS is verified (as far as the URLs tell),
// and whether the network is taken over.
func (r Ramdisk) WithDefaults() Ramdisk {
	if r.Profile == "" {
		r.Profile = ProfileDefault
	}
	if r.Image == "" {
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
