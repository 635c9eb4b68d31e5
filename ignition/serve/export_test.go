package serve

import "net"

// ListenOn is [Listen] with a listener that is there already, which may be one in memory.
func ListenOn(listener net.Listener, options Options) (*Server, error) {
	return newServer(listener, options.withDefaults())
}
