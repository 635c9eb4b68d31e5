package external

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"ironworks/agent"
)

// largestBody is the maximum size, in bytes, of a call's body. It does not apply to images.
const largestBody = 64 << 20

// service is the HTTP service through which the program accesses the hardware of its machine.
type service struct {
	options  Options
	hardware agent.Hardware
	url      string
	server   *http.Server
	serving  sync.WaitGroup
	end      func() // ends the program

	gate     agent.CallGate // rejects calls after the service has been closed
	installs atomic.Int64   // number of installations so far
}

// startService starts the service, which runs until close is called. Its calls are canceled when ctx is done.
func startService(ctx context.Context, o Options, die func()) (*service, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving the hardware: %w", err)
	}
	secret := rand.Text()
	s := &service{
		options: o, hardware: o.Hardware, end: die,
		url: "http://" + listener.Addr().String() + "/" + secret + "/",
	}
	routes := http.NewServeMux()
	for pattern, handle := range s.handlers() {
		routes.HandleFunc(pattern, s.gate.Guard(answer(handle)))
	}
	routes.HandleFunc("POST /install", s.gate.Guard(s.install))
	s.server = &http.Server{
		Handler:           http.StripPrefix("/"+secret, routes),
		ReadHeaderTimeout: time.Minute,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          stdlog.New(io.Discard, "", 0), // do not log the errors that a killed program causes
	}
	s.serving.Go(func() { _ = s.server.Serve(listener) })
	return s, nil
}

// close closes the service and waits for active calls. The caller must cancel the context of the calls first.
func (s *service) close() {
	_ = s.server.Close()
	s.gate.Close()
	s.serving.Wait()
}

// answer returns an HTTP handler that sends the answer of a handler, or its error.
func answer(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch answer, err := handle(r); {
		case err != nil:
			writeError(w, err)
		case answer == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(answer)
		}
	}
}

// badRequest wraps the error of a malformed call. The status of the response is 400.
type badRequest struct{ error }

func read(r *http.Request) (c body, err error) {
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, largestBody)).Decode(&c); err != nil {
		return c, badRequest{fmt.Errorf("reading the call: %w", err)}
	}
	return c, nil
}

// writeError sends err as the response, with the corresponding status and kind.
func writeError(w http.ResponseWriter, err error) {
	status, kind := http.StatusInternalServerError, "failed"
	var bad badRequest
	switch {
	case errors.As(err, &bad):
		status, kind = http.StatusBadRequest, "bad-request"
	case errors.Is(err, agent.ErrNoEFIPartition):
		status, kind = http.StatusConflict, "no-efi-partition"
	case errors.Is(err, agent.ErrNoPartitions):
		status, kind = http.StatusConflict, "no-partitions"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error(), "kind": kind})
}
