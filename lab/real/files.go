package real

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// fileServer serves a folder on a loopback port. It can be closed and opened
// again on the same port.
type fileServer struct {
	url  string
	root string
	port int

	mu     sync.Mutex
	server *http.Server
	done   chan struct{}
}

func newFileServer(ctx context.Context, root string) (*fileServer, error) {
	reserved, err := reserve(ctx)
	if err != nil {
		return nil, err
	}
	// From here on the port itself is in use.
	defer reserved.release()
	f := &fileServer{root: root, port: reserved.port, url: "http://" + net.JoinHostPort(loopback, strconv.Itoa(reserved.port))}
	return f, f.open(ctx)
}

// open begins to serve; it does nothing if that is the case already.
func (f *fileServer) open(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server != nil {
		return nil
	}
	l, err := listen(ctx, f.port)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(f.root)), ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	f.server, f.done = server, done
	return nil
}

func (f *fileServer) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server == nil {
		return
	}
	_ = f.server.Close()
	<-f.done
	f.server = nil
}
