package real

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// StartLimit is how long a service may take to answer; two cores need 4 s.
const StartLimit = 60 * time.Second

// VersionHeader carries the API version, in requests and in answers.
const VersionHeader = "X-OpenStack-Ironic-API-Version"

// Server is a running Ironic: API and conductor.
type Server struct {
	// URL is the base address, without /v1.
	URL string
	// CACert is the path of the certificate authority with TLS, else empty.
	CACert string
	// Dir holds everything the server writes.
	Dir string
	// Release is what runs.
	Release Release

	auth    Auth // nil: none
	host    string
	port    int
	reserve *Reservation // nil if the caller chose the port
	venv    string
	process *Process
	files   *fileServer
	client  *http.Client
}

// Start starts a server and waits until it answers. The context bounds the
// start only. The caller stops the server and removes its Dir. The error is
// [ErrPortTaken] if another program listens at the address that was asked for.
func Start(ctx context.Context, options Options) (*Server, error) {
	s, err := startOnce(ctx, options)
	if err == nil || options.Port != 0 || !errors.Is(err, ErrPortTaken) {
		return s, err
	}
	// Another process was quicker at taking the port.
	return startOnce(ctx, options)
}

func startOnce(ctx context.Context, options Options) (_ *Server, err error) {
	s, err := newServer(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("setting up Ironic: %w", err)
	}
	defer func() {
		// A folder without a server is of use only for its log, which is in
		// the error.
		if err != nil {
			s.Stop()
			if options.Dir == "" {
				_ = os.RemoveAll(s.Dir)
			}
		}
	}()
	if err := s.configure(ctx, options); err != nil {
		return nil, fmt.Errorf("setting up Ironic: %w", err)
	}
	if err := s.launch(ctx); err != nil {
		return nil, fmt.Errorf("starting Ironic %s: %w", s.Release.version, err)
	}
	return s, nil
}

// At is a server that somebody else runs, without authentication: it is only
// called.
func At(url string, release Release) *Server {
	return &Server{URL: url, Release: release, client: &http.Client{Timeout: time.Minute}}
}

// newServer makes the folder and chooses the address.
func newServer(ctx context.Context, options Options) (*Server, error) {
	if options.Release == (Release{}) {
		options.Release = Newest
	}
	if options.Host == "" {
		options.Host = loopback
	}
	env, err := Environment(ctx, options.Release.name, options.Progress)
	if err != nil {
		return nil, err
	}
	port, reserved := options.Port, (*Reservation)(nil)
	if port == 0 {
		if reserved, err = Reserve(ctx); err != nil {
			return nil, err
		}
		port = reserved.Port
	}
	dir, err := folder(options)
	if err != nil {
		if reserved != nil {
			reserved.Release()
		}
		return nil, err
	}
	s := &Server{
		URL: "http://" + net.JoinHostPort(reachable(options.Host), strconv.Itoa(port)), Dir: dir, Release: options.Release,
		auth: options.Auth, host: options.Host, port: port, reserve: reserved, venv: env, client: &http.Client{Timeout: time.Minute},
	}
	s.process = &Process{
		Argv: []string{filepath.Join(env, "bin", "python"), s.script(), "--config-file", s.configPath()},
		Env:  withPrograms(ServiceEnv(dir), options.Programs, s.programs()), Dir: dir, Log: s.Log(),
	}
	return s, nil
}

// configure writes everything the service reads and makes its database.
func (s *Server) configure(ctx context.Context, options Options) error {
	for _, name := range []string{"http", "tmp", "lock", "deploylogs", "tftp", "images", "master", "tmaster"} {
		if err := os.MkdirAll(filepath.Join(s.Dir, name), 0o700); err != nil {
			return err
		}
	}
	var err error
	if s.files, err = newFileServer(ctx, s.HTTPRoot()); err != nil {
		return err
	}
	extra := Settings{}
	if options.TLS {
		if err := s.useTLS(extra, options.TLSAddresses); err != nil {
			return err
		}
	}
	if s.auth != nil {
		own, err := s.auth.Configure(ctx, s)
		if err != nil {
			return err
		}
		extra.merge(own)
	}
	if options.AsShipped {
		if err := s.writeIPMITool(); err != nil {
			return err
		}
	}
	all := ironicSettings(s, options.AsShipped)
	all.merge(extra)
	all.merge(options.Settings)
	if err := all.Write(s.configPath()); err != nil {
		return err
	}
	if err := writeScript(s.Dir, serveIronic); err != nil {
		return err
	}
	return s.makeDatabase(ctx)
}

// writeIPMITool writes the one program that the shipped interfaces want to find before
// they start. Its nodes cannot be reached with it.
func (s *Server) writeIPMITool() error {
	if err := os.MkdirAll(s.programs(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.programs(), "ipmitool"), []byte("#!/bin/sh\nexit 0\n"), 0o700) //nolint:gosec // it is run
}

// programs is the folder of programs that the service finds first.
func (s *Server) programs() string { return filepath.Join(s.Dir, "bin") }

// useTLS makes certificates and a client that trusts only them.
func (s *Server) useTLS(extra Settings, addresses []net.IP) error {
	paths, err := MakeCertificates(s.Dir, addresses...)
	if err != nil {
		return err
	}
	ca, err := os.ReadFile(paths.CA)
	if err != nil {
		return fmt.Errorf("reading the certificate authority: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	s.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	s.URL = strings.Replace(s.URL, "http:", "https:", 1)
	s.CACert = paths.CA
	extra.merge(Settings{
		"api": {"enable_ssl_api": "true"},
		"ssl": {"cert_file": paths.Cert, "key_file": paths.Key},
	})
	return nil
}

// launch starts the process and waits until the API answers.
func (s *Server) launch(ctx context.Context) error {
	if err := awaitPort(ctx, s.host, s.port); err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	return s.process.Await(ctx, StartLimit, s.answers)
}

// answers reports whether the API is up: it may well ask for a login.
func (s *Server) answers(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/v1", nil)
	if err != nil {
		return false
	}
	response, err := s.client.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusUnauthorized ||
		response.StatusCode < http.StatusInternalServerError && response.Header.Get(VersionHeader) != ""
}

// script is the program that runs Ironic.
func (s *Server) script() string { return filepath.Join(s.Dir, serveIronic) }

func (s *Server) configPath() string { return filepath.Join(s.Dir, "ironic.conf") }

// Log is the path of the output of the service.
func (s *Server) Log() string { return filepath.Join(s.Dir, "ironic.log") }

// HTTPRoot is the folder that the conductor publishes images in. This package
// serves it at the configured http_url.
func (s *Server) HTTPRoot() string { return filepath.Join(s.Dir, "http") }

// HTTPURL is where HTTPRoot is served.
func (s *Server) HTTPURL() string { return s.files.url }

// PID is the process id while the server runs, else 0. It leads a process
// group: the newest release works in a child process.
func (s *Server) PID() int {
	pid, _, _ := s.process.Running()
	return pid
}

// Ended is closed when the process that now runs has ended, however it did.
func (s *Server) Ended() <-chan struct{} {
	_, done, _ := s.process.Running()
	return done
}

// Stop ends the server the orderly way; its folder stays. A stopped server
// can be restarted.
func (s *Server) Stop() {
	s.process.Stop()
	s.close()
}

// Kill ends the server without any notice, as a crash would.
func (s *Server) Kill() { s.process.kill() }

// Pause freezes the server: connections are accepted and nothing is answered.
func (s *Server) Pause() error { return s.process.signal(syscall.SIGSTOP) }

// Resume continues a paused server.
func (s *Server) Resume() error { return s.process.signal(syscall.SIGCONT) }

// Restart stops the server if it runs, and starts it again on the same port
// with the same state.
func (s *Server) Restart(ctx context.Context) error {
	s.process.Stop()
	if s.reserve != nil {
		if err := s.reserve.hold(ctx); err != nil {
			return fmt.Errorf("restarting Ironic: %w", err)
		}
	}
	if err := s.files.open(ctx); err != nil {
		return fmt.Errorf("restarting Ironic: %w", err)
	}
	if err := s.launch(ctx); err != nil {
		return fmt.Errorf("restarting Ironic: %w", err)
	}
	return nil
}

// close ends what runs in this process.
func (s *Server) close() {
	s.client.CloseIdleConnections()
	if s.files != nil {
		s.files.close()
	}
	if s.reserve != nil {
		s.reserve.Release()
	}
}
