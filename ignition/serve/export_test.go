package serve

import "net"

// ListenOn does the same as [Listen], but for an existing listener, which may be in memory.
func ListenOn(listener net.Listener, options Options) (*Server, error) {
	return newServer(listener, options.withDefaults())
}
