package daemon

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"ironworks/agent/linux"
)

// client returns the HTTP client for Ironic and for images. Its timeouts do not limit a download as a whole.
func client(s Settings) (*http.Client, error) {
	config := &tls.Config{MinVersion: s.Agent.MinTLS, InsecureSkipVerify: s.Insecure} //nolint:gosec // the operator's choice
	if s.CAFile != "" && !s.Insecure {
		text, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, fmt.Errorf("reading the CA: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("reading the CA: %s has no certificate in PEM format", s.CAFile)
		}
	}
	if s.CertFile != "" {
		certificate, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("reading the client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	dialer := net.Dialer{Timeout: s.RequestTimeout}
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSClientConfig:       config,
		TLSHandshakeTimeout:   s.RequestTimeout,
		ResponseHeaderTimeout: s.RequestTimeout,
		IdleConnTimeout:       time.Minute,
		ForceAttemptHTTP2:     true,
	}}, nil
}

var errNoAddress = errors.New("no address of this host leads to Ironic")

// advertise returns the address at which Ironic can reach the agent. It tries up to LookupAttempts times to find it.
func advertise(ctx context.Context, s Settings) (host string, port int, err error) {
	if s.AdvertiseHost != "" {
		return s.AdvertiseHost, s.AdvertisePort, nil
	}
	for try := 1; ; try++ {
		if host = source(ctx, s); host != "" {
			return host, s.AdvertisePort, nil
		}
		if try >= s.LookupAttempts {
			return "", 0, fmt.Errorf("%w (%s): check routes and DNS", errNoAddress, s.Agent.IronicURL)
		}
		select {
		case <-ctx.Done():
			return "", 0, ctx.Err()
		case <-time.After(s.LookupSleep):
		}
	}
}

// source returns the IPv4 address of the configured network interface or, without one, of the route to Ironic.
func source(ctx context.Context, s Settings) string {
	if s.NetworkInterface != "" {
		for _, text := range (linux.Kernel{}).Addresses(s.NetworkInterface) {
			if address, err := netip.ParseAddr(text); err == nil && address.Is4() {
				return text
			}
		}
		return ""
	}
	for text := range strings.SplitSeq(s.Agent.IronicURL, ",") {
		if address := sourceFor(ctx, strings.TrimSpace(text)); address != "" {
			return address
		}
	}
	return ""
}

// sourceFor returns the source address that the kernel would use to reach the host in a URL, or "" if there is none.
// It connects a UDP socket, which sends nothing. It ignores link-local addresses, because Ironic cannot use them.
func sourceFor(ctx context.Context, text string) string {
	address, err := url.Parse(text)
	if err != nil {
		return ""
	}
	port := cmp.Or(address.Port(), address.Scheme) // the dialer looks up the port of http or https
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "udp", net.JoinHostPort(address.Hostname(), port))
	if err != nil {
		return ""
	}
	defer func() { _ = connection.Close() }()
	local, err := netip.ParseAddrPort(connection.LocalAddr().String())
	if err != nil || local.Addr().IsLinkLocalUnicast() {
		return ""
	}
	return local.Addr().Unmap().String()
}
