package contract

import (
	"net/http"
	"sync"
	"testing"
)

// Kind distinguishes the Ironics that can be subjects.
type Kind int

// The kinds of subjects. Newest and Embedded must give the response that a step wants; Old may have a different one,
// in the step's old field.
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
	// MaxMinor is the minor number of the newest API version, such as 115 for 1.115.
	MaxMinor int
	// Client sends the requests.
	Client *http.Client
	// SetState sets a node's provision state and target state; "" means no target. It starts no operation.
	SetState func(tb testing.TB, uuid, provisionState, targetState string)
	// Reserve locks a node for the conductor with the given host name; if host is empty, it unlocks the node.
	Reserve func(tb testing.TB, uuid, host string)

	// writing keeps requests from running at the same time as SetState and Reserve, because both write to the same
	// database file.
	writing sync.RWMutex
}

// has reports whether the subject supports API version 1.minor.
func (s *Subject) has(minor int) bool { return minor <= s.MaxMinor }
