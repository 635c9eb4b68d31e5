package models

import (
	"encoding/json"
	"strings"
	"time"
)

// ReachStage is a stage of a request to a server.
type ReachStage string

// The stages in which a request can fail, in order. The last stage means that the request did not fail.
const (
	ReachName     ReachStage = "name"     // resolving the host's name
	ReachConnect  ReachStage = "connect"  // connecting
	ReachTLS      ReachStage = "tls"      // the TLS handshake
	ReachHTTP     ReachStage = "http"     // reading the response
	ReachAnswered ReachStage = "answered" // no failure: the server responded
)

// Reach describes how far one request to a server got, stage by stage. It contains no secrets.
type Reach struct {
	// URL is the requested URL, with secrets masked. Host is its host and port.
	URL, Host string
	// Proxy is the proxy that the environment selects for the request, with secrets masked. It is empty if there is
	// none. With a proxy, Addresses and Remote describe the proxy, not the server.
	Proxy string
	// Addresses lists the addresses to which the name resolved. It is empty if the URL contains an address instead of
	// a name.
	Addresses []string
	// Remote is the address to which the connection was made.
	Remote string
	// Certificate is the server's certificate. It is nil without TLS, or if the handshake failed.
	Certificate *Certificate

	Stage ReachStage
	// Fault is the error with which the request failed. It is nil if the server responded.
	Fault *Fault

	Status int
	// Type, Server and Location are headers of the response. Secrets in Location are masked.
	Type, Server, Location string
	// Date is the time on the server's clock, or zero if the server did not send it. Sent and Got are the times of
	// the request and of the response on this machine's clock.
	Date, Sent, Got time.Time
	// Body is the start of the response body. Cut means that the response body is longer.
	Body []byte
	Cut  bool
}

// Certificate describes a server's certificate and the TLS connection that used it.
type Certificate struct {
	Subject, Issuer     string
	NotBefore, NotAfter time.Time
	// Root is the trusted CA. It is empty if the certificate was not verified.
	Root string
	// Protocol is the TLS version. Fingerprint is the SHA-256 fingerprint of the certificate.
	Protocol, Fingerprint string
}

// HTML reports whether the response looks like an HTML page.
func (r *Reach) HTML() bool {
	return strings.HasPrefix(strings.TrimSpace(string(r.Body)), "<") || strings.HasPrefix(strings.ToLower(r.Type), "text/html")
}

// VersionDocument parses the response as Ironic's root document, and returns the oldest and the newest supported API
// version. It returns false if the response is not such a document.
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
