// Package real starts a real OpenStack Ironic from its Python packages, for the lab and for tests.
//
// The services come from the packages pinned in pins/ and run as ordinary processes on loopback ports, with SQLite
// and without hardware or a message bus. A server starts in a few seconds.
//
// venv.py creates the virtual environments on first use, in the project's cache folder; that takes about a minute and
// needs python3 and pip's package index. There are two releases: [Newest], and [Old], which many sites still run and
// which needs Python 3.11 or earlier. [Environment] also creates the environments of the releases'
// ironic-python-agent.
//
// A server's folder ([Server.Dir]) contains ironic.conf, ironic.log, the database, and http/, which this package
// serves because the conductor publishes boot images there.
package real

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// StartLimit is the maximum time that a service may take to start. It usually takes 4 s on two cores.
const StartLimit = 3 * time.Minute

// VersionHeader is the header that contains the API version, in requests and in responses.
const VersionHeader = "X-OpenStack-Ironic-API-Version"

// Server is a running Ironic, which consists of an API and a conductor.
type Server struct {
	// URL is the base address, without /v1.
	URL string
	// CACert is the path of the certificate authority's certificate if the server uses TLS; otherwise it is empty.
	CACert string
	// Dir is the folder for everything that the server writes.
	Dir string
	// Release is the running release.
	Release Release

	auth    Auth // nil means no authentication
	host    string
	port    int
	reserve *Reservation // nil if the caller chose the port
	venv    string
	process *Process
	files   *fileServer
	client  *http.Client
}

// Start starts a server and waits until it answers. The context applies only to the start. The caller has to stop the
// server and to remove its Dir. The error is [ErrPortTaken] if another program listens at the requested address.
func Start(ctx context.Context, options Options) (*Server, error) {
	s, err := startOnce(ctx, options)
	if err == nil || options.Port != 0 || !errors.Is(err, ErrPortTaken) {
		return s, err
	}
	// Another process has taken the port in the meantime, so try again with another port.
	return startOnce(ctx, options)
}

func startOnce(ctx context.Context, options Options) (_ *Server, err error) {
	s, err := newServer(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("setting up Ironic: %w", err)
	}
	defer func() {
		// If the start failed, only the log in the folder is useful, and the error contains its end.
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

// At returns a server that was started elsewhere and needs no authentication. Its process is not controlled, so only
// its API can be used.
func At(url string, release Release) *Server {
	return &Server{URL: url, Release: release, client: &http.Client{Timeout: time.Minute}}
}

// newServer creates the folder and chooses the address.
func newServer(ctx context.Context, options Options) (*Server, error) {
	options.Release, options.Host = cmp.Or(options.Release, Newest), cmp.Or(options.Host, loopback)
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

// configure writes the service's files and creates its database.
func (s *Server) configure(ctx context.Context, options Options) error {
	// Create http/redfish in advance. Ironic creates it for its first image, which fails with EEXIST if Ironic
	// publishes two images at once (ironic/common/image_publisher.py).
	for _, name := range []string{"http/redfish", "tmp", "lock", "deploylogs", "tftp", "images", "master_images", "tftp_master_images"} {
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

// writeIPMITool writes a dummy ipmitool, the only program that the shipped interfaces require when Ironic starts.
func (s *Server) writeIPMITool() error {
	if err := os.MkdirAll(s.programs(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.programs(), "ipmitool"), []byte("#!/bin/sh\nexit 0\n"), 0o700) //nolint:gosec // it is executed
}

// programs returns the folder in which the service searches for programs first.
func (s *Server) programs() string { return filepath.Join(s.Dir, "bin") }

// useTLS creates certificates for the server, and makes the client trust only their authority.
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

// answers reports whether the API is up, even if it requires authentication.
func (s *Server) answers(ctx context.Context) bool {
	return Answers(ctx, s.client, s.URL+"/v1", func(response *http.Response) bool {
		return response.StatusCode == http.StatusUnauthorized ||
			response.StatusCode < http.StatusInternalServerError && response.Header.Get(VersionHeader) != ""
	})
}

// script returns the path of the script that runs Ironic.
func (s *Server) script() string { return filepath.Join(s.Dir, serveIronic) }

func (s *Server) configPath() string { return filepath.Join(s.Dir, "ironic.conf") }

// Log returns the path of the service's log file.
func (s *Server) Log() string { return filepath.Join(s.Dir, "ironic.log") }

// HTTPRoot returns the folder in which the conductor publishes images. This package serves it at http_url.
func (s *Server) HTTPRoot() string { return filepath.Join(s.Dir, "http") }

// PID returns the process ID while the server runs, and 0 otherwise. The process leads a process group, because the
// newest release works in a child process.
func (s *Server) PID() int {
	pid, _, _ := s.process.Running()
	return pid
}

// Ended returns a channel that is closed when the current process has ended.
func (s *Server) Ended() <-chan struct{} {
	_, done, _ := s.process.Running()
	return done
}

// Stop stops the server, but keeps its folder. A stopped server can be restarted.
func (s *Server) Stop() {
	s.process.Stop()
	s.close()
}

// Kill kills the server, as if it had crashed.
func (s *Server) Kill() { s.process.Kill() }

// Pause freezes the server: connections are accepted, but not answered.
func (s *Server) Pause() error { return s.process.signal(syscall.SIGSTOP) }

// Resume lets a paused server continue.
func (s *Server) Resume() error { return s.process.signal(syscall.SIGCONT) }

// Restart stops the server if it runs, and starts it again on the same port with the same state.
func (s *Server) Restart(ctx context.Context) error {
	s.process.Stop()
	var err error
	if s.reserve != nil {
		err = s.reserve.reserve(ctx)
	}
	if err == nil {
		err = s.files.open(ctx)
	}
	if err == nil {
		err = s.launch(ctx)
	}
	if err != nil {
		return fmt.Errorf("restarting Ironic: %w", err)
	}
	return nil
}

// close ends the parts of the server that run in this process, such as the file server.
func (s *Server) close() {
	s.client.CloseIdleConnections()
	if s.files != nil {
		s.files.close()
	}
	if s.reserve != nil {
		s.reserve.Release()
	}
}

// Auth is a way to authenticate to a server.
type Auth interface {
	// Configure prepares a server that has not started yet, and returns its settings.
	Configure(ctx context.Context, server *Server) (map[string]map[string]string, error)
	// Sign adds the administrator's credentials to a call.
	Sign(request *http.Request) error
}

// Options holds the settings of a server.
type Options struct {
	// Release is the release to run; the zero value is Newest.
	Release Release
	// Auth is the authentication that the server requires; nil means none.
	Auth Auth
	// TLS serves the API over TLS, with a certificate from a new certificate authority.
	TLS bool
	// TLSAddresses contains the addresses for which the certificate is valid in addition to 127.0.0.1.
	TLSAddresses []net.IP
	// Host is the address of the API; empty means 127.0.0.1.
	Host string
	// Port is the port of the API; 0 selects a free one.
	Port int
	// AsShipped uses the release's own defaults for interfaces and options, except those with which Ironic cannot
	// start. Paths, addresses and pauses still come from the harness.
	AsShipped bool
	// Settings overrides the configuration. It maps sections to keys and values.
	Settings map[string]map[string]string
	// Programs is a folder in which the conductor searches for programs before it searches the system's folders.
	Programs string
	// Dir is the folder for everything that the server writes. If it has the data of an earlier server of the same
	// release, the new server continues with that. If Dir is empty, a temporary folder is created.
	Dir string
	// Progress receives messages for the user while the Python environment is created. It may be nil.
	Progress func(text string)
}

// Do calls the API as the administrator, with the newest API version of the release. path starts with /v1. The body
// is sent as JSON unless it is nil.
func (s *Server) Do(ctx context.Context, method, path string, body any) (status int, response []byte, err error) {
	return s.DoVersion(ctx, "1."+strconv.Itoa(s.Release.maxMinor), method, path, body)
}

// DoVersion is like Do, but with another API version. If version is empty, it sends no version header.
func (s *Server) DoVersion(ctx context.Context, version, method, path string, body any) (status int, response []byte, err error) {
	var content []byte
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			return 0, nil, fmt.Errorf("encoding the body of %s %s: %w", method, path, err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, fmt.Errorf("preparing %s %s: %w", method, path, err)
	}
	if version != "" {
		request.Header.Set(VersionHeader, version)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.auth != nil {
		if err := s.auth.Sign(request); err != nil {
			return 0, nil, fmt.Errorf("authenticating %s %s: %w", method, path, err)
		}
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("calling Ironic: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	response, err = io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, fmt.Errorf("reading the answer of %s %s: %w", method, path, err)
	}
	return answer.StatusCode, response, nil
}

// Client returns an HTTP client that trusts the server's certificate and sends no credentials.
func (s *Server) Client() *http.Client { return s.client }
