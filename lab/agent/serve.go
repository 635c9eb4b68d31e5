package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"time"
)

// stopTime is how long a call that is being answered may take when the
// service ends.
const stopTime = 2 * time.Second

// serve answers the conductor until the machine or the service ends.
func (a *agent) serve(ctx context.Context) error {
	listener, err := a.listen(ctx)
	if err != nil {
		return err
	}
	// Whatever ends the service ends the commands, too.
	working, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{
		Handler:           a.handler(working),
		ReadHeaderTimeout: time.Minute,
		// A conductor that hangs up during a handshake is no news.
		ErrorLog: stdlog.New(io.Discard, "", 0),
	}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(listener) })
	running.Go(func() { a.beats.run(working) })

	why, ended := byDeath, false
	select {
	case <-ctx.Done():
	case why = <-a.ending:
		ended = true
	}
	if ended && why != byDeath {
		a.log.app.debug("Stopping the API service.")
		last, cancel := context.WithTimeout(ctx, stopTime)
		_ = server.Shutdown(last)
		cancel()
	}
	stop()
	_ = server.Close()
	a.doors.Close()
	a.work.Wait()
	running.Wait()
	if !ended {
		return nil
	}
	return a.afterwards(ctx, why)
}

// afterwards is what is left of the agent once its service has ended.
func (a *agent) afterwards(ctx context.Context, why ending) error {
	switch why {
	case byDeath:
		return ErrDied
	case byLockdown:
		a.log.agent.info("Locking down system after the API stopped")
		if err := a.hardware.NetworkDown(ctx); err != nil {
			a.log.agent.warning("Could not bring down interfaces: %v", err)
		}
		a.log.agent.info("System locked down, looping forever to avoid a service restart")
		<-ctx.Done()
	case byRescue:
		a.log.app.info("Stopped API service")
	}
	return nil
}

// listen opens the service and tells the heartbeats where it is.
func (a *agent) listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", a.options.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	host, port, err := net.SplitHostPort(listener.Addr().String())
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
			MinVersion:   tls.VersionTLS12,
		})
	}
	a.beats.callback = scheme + "://" + net.JoinHostPort(host, port)
	a.log.app.info("Started API service on port %s", port)
	return listener, nil
}
