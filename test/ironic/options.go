package ironic

// Auth is how a server asks its callers who they are.
type Auth int

// The ways a server can be set up.
const (
	NoAuth Auth = iota
	HTTPBasic
	KeystoneAuth
)

// Options say what server to start.
type Options struct {
	// Release is the release to run; the zero value is Newest.
	Release Release
	// Auth is the authentication; KeystoneAuth needs Keystone.
	Auth     Auth
	Keystone *Keystone
	// TLS serves the API with a certificate of a certificate authority made
	// for this server.
	TLS bool
	// Port is the port of the API; 0 takes a free one.
	Port int
	// Settings override the configuration: section → key → value.
	Settings map[string]map[string]string
}
