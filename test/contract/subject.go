package contract

import (
	"net/http"
	"sync"
	"testing"
)

// Kind is the kind of Ironic that a subject is.
type Kind int

// The kinds of subjects. Expectations are those of Newest unless they say otherwise; Embedded must be equal to it.
const (
	Newest Kind = iota
	Old
	Embedded
)

// Subject is an Ironic that the behaviors run against. The behaviors send requests over HTTP. The functions of a
// Subject do what no client can do.
type Subject struct {
	// Name is the name of the subtest: newest, old or embedded.
	Name string
	Kind Kind
	// URL is the base URL, without /v1.
	URL string
	// MaxMinor is the newest API version: 115 for 1.115.
	MaxMinor int
	// Client sends the requests.
	Client *http.Client
	// SetState sets a node's provision state and target state; "" is no target. It starts no operation.
	SetState func(tb testing.TB, uuid, provisionState, targetState string)
	// Reserve locks a node in the name of a conductor; an empty host unlocks it.
	Reserve func(tb testing.TB, uuid, host string)

	// writing makes SetState and Reserve wait for requests, and the reverse, because both write to the same database
	// file.
	writing sync.RWMutex
}

// has reports whether the subject supports an API version.
func (s *Subject) has(minor int) bool { return minor <= s.MaxMinor }
