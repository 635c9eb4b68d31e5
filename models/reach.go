package models

import (
	"encoding/json"
	"strings"
	"time"
)

// ReachStage is the stage that a request reached.
type ReachStage string

// The stages in which a request may fail.
const (
	ReachName     ReachStage = "name"     // resolving the host's name
	ReachConnect  ReachStage = "connect"  // connecting
	ReachTLS      ReachStage = "tls"      // the TLS handshake
	ReachHTTP     ReachStage = "http"     // reading the answer
	ReachAnswered ReachStage = "answered" // no failure: the server answered
)

// Reach is the result of one request to a server, stage by stage. It has no secrets.
type Reach struct {
	// URL is the requested URL, masked; Host is its host and port.
	URL, Host string
	// Proxy is the proxy that the environment names for the request, masked; empty for none. With a proxy, Addresses
	// and Remote are those of the proxy.
	Proxy string
	// Addresses are the addresses that the name resolved to. They are empty if the name is an address.
	Addresses []string
	// Remote is the address that the request connected to.
	Remote string
	// Certificate is the server's certificate; nil without TLS, or if the handshake failed.
	Certificate *Certificate

	Stage ReachStage
	// Fault is the error of the request; nil if the server answered.
	Fault *Fault

	Status int
	// Type, Server and Location are headers of the answer. Location is masked.
	Type, Server, Location string
	// Date is the time on the server's clock, zero if the server did not send it. Sent and Got are times on this
	// machine's clock.
	Date, Sent, Got time.Time
	// Body is the start of the answer. Cut means that the answer is longer.
	Body []byte
	Cut  bool
}

// Certificate is a server's certificate.
type Certificate struct {
	Subject, Issuer     string
	NotBefore, NotAfter time.Time
	// Root is the trusted CA; empty if not verified.
	Root string
	// Protocol is the TLS version; Fingerprint the certificate's SHA-256.
	Protocol, Fingerprint string
}

// HTML reports whether the answer is an HTML page.
func (r *Reach) HTML() bool {
	return strings.HasPrefix(strings.TrimSpace(string(r.Body)), "<") || strings.HasPrefix(strings.ToLower(r.Type), "text/html")
}

// VersionDocument parses Ironic's root document: the oldest and newest API version.
func (r *Reach) VersionDocument() (low, high APIVersion, is bool) {
	var document struct {
		Default struct {
			ID  string `json:"id"`
			Min string `json:"min_version"`
			Max string `json:"version"`
		} `json:"default_version"`
	}
	if r.Cut || json.Unmarshal(r.Body, &document) != nil || document.Default.ID != "v1" {
		return low, high, false
	}
	low, errLow := ParseAPIVersion(document.Default.Min)
	high, errHigh := ParseAPIVersion(document.Default.Max)
	return low, high, errLow == nil && errHigh == nil
}
