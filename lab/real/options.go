package real

import (
	"context"
	"net"
	"net/http"
)

// Auth is how a server asks its callers who they are.
type Auth interface {
	// Configure prepares a server that has not started yet, and answers its settings.
	Configure(ctx context.Context, server *Server) (map[string]map[string]string, error)
	// Sign adds the administrator's credentials to a call.
	Sign(request *http.Request) error
}

// Options say what server to start.
type Options struct {
	// Release is the release to run; the zero value is Newest.
	Release Release
	// Auth is the authentication; none if nil.
	Auth Auth
	// TLS serves the API with a certificate of a certificate authority made
	// for this server.
	TLS bool
	// TLSAddresses are further addresses that the certificate is good for, beside 127.0.0.1.
	TLSAddresses []net.IP
	// Host is the address of the API; 127.0.0.1 if empty.
	Host string
	// Port is the port of the API; 0 takes a free one.
	Port int
	// AsShipped leaves the interfaces and options to the release's own defaults, as far as
	// it starts with them; the paths, addresses and pauses stay those of the harness.
	AsShipped bool
	// Settings override the configuration: section → key → value.
	Settings map[string]map[string]string
	// Programs is a folder whose programs its conductor takes before the system's.
	Programs string
	// Dir is the folder for everything the server writes. A server goes on with
	// what an earlier one of the same release left there. If empty, a new folder
	// of the system's for temporary files is made.
	Dir string
	// Progress is told, in words for people, how the Python environment is
	// made; nobody is if nil.
	Progress func(text string)
}
