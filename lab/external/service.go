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

	gate agent.CallGate

	mu             sync.Mutex
	installsToFail int
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
		options: o, hardware: o.Hardware, end: die, installsToFail: o.Faults.InstallFailures,
		url: "http://" + listener.Addr().String() + "/" + secret + "/",
	}
	routes := http.NewServeMux()
	for pattern, handle := range s.handlers() {
		routes.HandleFunc(pattern, s.guarded(handle))
	}
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

// guarded wraps a handler so that calls are rejected after the service has been closed. If the handler returns an
// error, the error is sent as the response.
func (s *service) guarded(handle handler) http.HandlerFunc {
	return s.gate.Guard(func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			writeError(w, err)
		}
	})
}

type handler func(w http.ResponseWriter, r *http.Request) error

func (s *service) handlers() map[string]handler {
	h := s.hardware
	return map[string]handler{
		"GET /inventory":     query(h.Inventory),
		"GET /block-devices": s.blockDevices,
		"POST /install":      s.install,
		"POST /boot-entry": command(func(ctx context.Context, call struct {
			Device string `json:"device"`
		},
		) error {
			return h.BootFrom(ctx, call.Device)
		}),
		"POST /run":         s.run,
		"GET /mount":        s.mount,
		"POST /unmount":     s.unmount,
		"POST /erase":       command(s.erase),
		"POST /write-image": s.writeImage,
		"POST /start-unit": command(func(ctx context.Context, call struct {
			Unit string `json:"unit"`
		},
		) error {
			return h.StartUnit(ctx, call.Unit)
		}),
		"GET /unit-state": s.unitState,
		"POST /rescue-password": command(func(ctx context.Context, call struct {
			Hash string `json:"hash"`
		},
		) error {
			return h.SetRescuePassword(ctx, call.Hash)
		}),
		"POST /network-down": withoutBody(h.NetworkDown),
		"POST /sync":         withoutBody(h.Sync),
		"POST /power-off":    withoutBody(h.PowerOff),
		"POST /reboot":       withoutBody(h.Reboot),
	}
}

// query returns a handler that responds with a value read from the hardware.
func query[T any](read func(context.Context) (T, error)) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		answer, err := read(r.Context())
		if err != nil {
			return err
		}
		return write(w, answer)
	}
}

// command returns a handler that calls do with the decoded body of the request.
func command[T any](do func(context.Context, T) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var call T
		if err := read(w, r, &call); err != nil {
			return err
		}
		if err := do(r.Context(), call); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// withoutBody returns a handler that calls do and ignores the body of the request.
func withoutBody(do func(context.Context) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := do(r.Context()); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// badRequest wraps the error of a malformed call. The status of the response is 400.
type badRequest struct{ error }

func read(w http.ResponseWriter, r *http.Request, into any) error {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestBody)).Decode(into); err != nil {
		return badRequest{fmt.Errorf("reading the call: %w", err)}
	}
	return nil
}

func write(w http.ResponseWriter, answer any) error {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
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
