package real

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// fileServer serves a folder on a loopback port. It can be closed and reopened on the same port.
type fileServer struct {
	url  string
	root string

	mu sync.Mutex
	// reserved keeps other processes of the harness from choosing the server's port. It listens on a different port,
	// so that the server itself can listen on its port.
	reserved *Reservation
	server   *http.Server
	serving  sync.WaitGroup
}

func newFileServer(ctx context.Context, root string) (*fileServer, error) {
	reserved, err := Reserve(ctx)
	if err != nil {
		return nil, err
	}
	f := &fileServer{root: root, reserved: reserved, url: "http://" + net.JoinHostPort(loopback, strconv.Itoa(reserved.Port))}
	if err := f.open(ctx); err != nil {
		reserved.Release()
		return nil, err
	}
	return f, nil
}

// open starts the server, unless it is already running.
func (f *fileServer) open(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server != nil {
		return nil
	}
	// Other processes must not choose the port between a stop and a start.
	if err := f.reserved.reserve(ctx); err != nil {
		return err
	}
	l, err := ListenWhenFree(ctx, loopback, f.reserved.Port)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(f.root)), ReadHeaderTimeout: time.Minute}
	f.serving.Go(func() { _ = server.Serve(l) })
	f.server = server
	return nil
}

func (f *fileServer) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server == nil {
		return
	}
	_ = f.server.Close()
	f.serving.Wait()
	f.server = nil
	f.reserved.Release()
}
