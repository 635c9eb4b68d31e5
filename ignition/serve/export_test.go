package serve

import "net"

// ListenOn is like [Listen] for an existing listener, which may be in memory.
func ListenOn(listener net.Listener, options Options) (*Server, error) {
	return newServer(listener, options.withDefaults())
}
