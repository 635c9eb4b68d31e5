package models

import (
	"encoding/json"
	"strings"
	"time"
)

// ReachStage is how far a request came.
type ReachStage string

// The stages, each the one that the request did not get past.
const (
	ReachName     ReachStage = "name"     // the host's name
	ReachConnect  ReachStage = "connect"  // the connection
	ReachTLS      ReachStage = "tls"      // the handshake
	ReachHTTP     ReachStage = "http"     // the answer
	ReachAnswered ReachStage = "answered" // it got one
)

// Reach is what one request to a server showed of the way there. It holds no secrets.
type Reach struct {
	// URL is what was asked for, masked; Host its host with the port.
	URL, Host string
	// Proxy is the proxy of the environment that the request went through, masked; empty
	// for none. Addresses and Remote are then the proxy's.
	Proxy string
	// Addresses are what the name resolved to; none where it is an address itself.
	Addresses []string
	// Remote is the address that took the connection.
	Remote string
	// Certificate is the server's; nil without TLS, and where the handshake failed.
	Certificate *Certificate

	Stage ReachStage
	// Fault is why it went no further; nil for an answer.
	Fault *Fault

	Status int
	// Type, Server and Location are headers of the answer, the last without secrets.
	Type, Server, Location string
	// Date is the server's clock, zero where it did not say; Sent and Got are ours before
	// and after.
	Date, Sent, Got time.Time
	// Body is what the answer begins with; Cut says that there is more.
	Body []byte
	Cut  bool
}

// Certificate is a server's.
type Certificate struct {
	Subject, Issuer     string
	NotBefore, NotAfter time.Time
	// Root is who vouches for it here; empty where nobody verified it.
	Root string
	// Protocol is the version of TLS; Fingerprint the certificate's SHA-256.
	Protocol, Fingerprint string
}

// HTML says that the answer is a page for people.
func (r *Reach) HTML() bool {
	return strings.HasPrefix(strings.TrimSpace(string(r.Body)), "<") || strings.HasPrefix(strings.ToLower(r.Type), "text/html")
}

// VersionDocument reads what Ironic says of itself at its root: the oldest and the newest
// version of its API. Anything else is none.
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
