package agent

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// stopTime is the maximum time for which the service waits for active calls when it ends.
const stopTime = 2 * time.Second

// serve answers calls from the conductor until ctx is canceled or the end of the service is requested.
func (a *agent) serve(ctx context.Context) error {
	listener, err := a.listen(ctx)
	if err != nil {
		return err
	}
	// Canceling this context ends the running commands when the service ends.
	working, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{
		Handler:           a.handler(working),
		ReadHeaderTimeout: time.Minute,
		// Do not log aborted TLS handshakes.
		ErrorLog: stdlog.New(io.Discard, "", 0),
	}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(listener) })
	running.Go(func() { a.beats.run(working) })

	why := endByContext
	select {
	case <-ctx.Done():
	case why = <-a.endRequest:
	}
	if why == endByRescue || why == endByLockdown {
		a.log.app.debug("Stopping the API service.")
		last, cancel := context.WithTimeout(ctx, stopTime)
		_ = server.Shutdown(last)
		cancel()
	}
	stop()
	_ = server.Close()
	a.gate.Close()
	a.runningCommands.Wait()
	running.Wait()
	return a.afterwards(ctx, why)
}

func (a *agent) afterwards(ctx context.Context, why endReason) error {
	switch why {
	case endByDeath:
		return ErrDied
	case endByLockdown:
		a.log.agent.info("Locking down system after the API stopped")
		if err := a.hardware.NetworkDown(ctx); err != nil {
			a.log.agent.warning("Could not bring down interfaces: %v", err)
		}
		a.log.agent.info("System locked down, looping forever to avoid a service restart")
		<-ctx.Done()
	case endByRescue:
		a.log.app.info("Stopped API service")
	case endByContext:
	}
	return nil
}

// listen opens the port of the service. It sets the URL of the service and the certificate that heartbeats send.
func (a *agent) listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", a.options.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	host, port, err := a.advertised(ctx, listener)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	scheme := "http"
	switch {
	case a.options.PlainHTTP:
		a.log.agent.debug("Automated TLS is disabled")
	case a.ironic.apiVersion(ctx) < withCA:
		a.log.agent.warning("Ironic does not support automated TLS")
	default:
		a.log.agent.info("Generating TLS parameters automatically for IP %s", host)
		certificate, text, err := newCertificate(host, a.inventory.Hostname, a.now())
		if err != nil {
			return nil, errors.Join(err, listener.Close())
		}
		a.log.tls.info("Generated TLS certificate for IP address %s valid from %s to %s", host,
			a.now().Add(-certificateAge).UTC().Format(time.RFC3339), a.now().Add(certificateLife).UTC().Format(time.RFC3339))
		a.beats.ca, scheme = text, "https"
		listener = tls.NewListener(listener, &tls.Config{
			Certificates: []tls.Certificate{certificate},
			MinVersion:   a.options.MinTLS,
		})
	}
	a.beats.callback = scheme + "://" + net.JoinHostPort(host, port)
	a.log.app.info("Started API service on port %s", port)
	return listener, nil
}

func (a *agent) advertised(ctx context.Context, listener net.Listener) (host, port string, err error) {
	host, port, err = net.SplitHostPort(listener.Addr().String())
	if err != nil || a.options.Advertise == nil {
		return host, port, err
	}
	host, number, err := a.options.Advertise(ctx)
	if err != nil {
		return "", "", fmt.Errorf("looking for an address of the agent: %w", err)
	}
	if number != 0 {
		port = strconv.Itoa(number)
	}
	return host, port, nil
}

// CallGate tracks the calls that are being answered, because closing an [http.Server] does not wait for them.
type CallGate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// Guard wraps next so that the gate tracks its calls. After Close, the returned handler aborts every call.
func (d *CallGate) Guard(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		if d.closed {
			d.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
		d.inside.Add(1)
		d.mu.Unlock()
		defer d.inside.Done()
		next(w, r)
	}
}

// Close makes the gate abort new calls, and waits until all active calls have ended.
func (d *CallGate) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.inside.Wait()
}

const (
	certificateAge  = time.Hour // time before now at which the certificate becomes valid
	certificateLife = 30 * 24 * time.Hour
)

// newCertificate creates the certificate of the service, which heartbeats also send to Ironic. The certificate is
// valid for host, which must be the IP address at which conductors reach the service.
func newCertificate(host, name string, now time.Time) (tls.Certificate, string, error) {
	ip := net.ParseIP(host)
	if ip == nil {
		return tls.Certificate{}, "", fmt.Errorf("making a certificate: %q is no IP address", host)
	}
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("making a key: %w", err)
	}
	template := &x509.Certificate{
		Subject:            pkix.Name{CommonName: name},
		NotBefore:          now.Add(-certificateAge),
		NotAfter:           now.Add(certificateLife),
		IPAddresses:        []net.IP{ip},
		SignatureAlgorithm: x509.ECDSAWithSHA512,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("making a certificate: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(text), nil
}
