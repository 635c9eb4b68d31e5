// Package accept is the accept loop of the lab's TCP services: serial lines, consoles and SSH.
package accept

import (
	"context"
	"net"
	"sync"
)

// Serve hands every connection of the listener to serve, in a goroutine of its own, and closes
// listener and connections when ctx ends. It returns when the listener is closed and all calls of
// serve have returned.
func Serve(ctx context.Context, listener net.Listener, serve func(context.Context, net.Conn)) {
	var serving sync.WaitGroup
	defer serving.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		serving.Go(func() {
			defer func() { _ = conn.Close() }()
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			defer stop()
			serve(ctx, conn)
		})
	}
}
