// Package accept implements the accept loop shared by the lab's TCP services: serial lines, consoles and SSH.
package accept

import (
	"context"
	"net"
	"sync"
)

// Serve calls serve for each connection of the listener, each call in its own goroutine. It closes the listener and
// its connections when ctx is done, and returns after all calls have returned.
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
