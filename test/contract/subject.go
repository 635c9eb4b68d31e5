package contract

import (
	"net/http"
	"sync"
	"testing"
)

// Kind is which Ironic a subject is.
type Kind int

// The kinds. What is written as an expectation is that of Newest; Embedded is
// meant to be equal to it.
const (
	Newest Kind = iota
	Old
	Embedded
)

// Subject is an Ironic that the behaviours run against. They call it by HTTP
// only; what no client can do is done by its functions.
type Subject struct {
	// Name is that of the subtest: newest, old, embedded.
	Name string
	Kind Kind
	// URL is the base address, without /v1.
	URL string
	// MaxMinor is the newest API version: 115 for 1.115.
	MaxMinor int
	// Client calls it.
	Client *http.Client
	// SetState puts a node into a provision state, with a target or, if that is
	// empty, without one. Nothing is started by that.
	SetState func(tb testing.TB, uuid, provisionState, targetState string)
	// Reserve locks a node in the name of a conductor; an empty host unlocks it.
	Reserve func(tb testing.TB, uuid, host string)

	// writing keeps SetState and Reserve apart from the calls: they write to
	// the same file as the calls do.
	writing sync.RWMutex
}

// has tells whether the subject knows an API version.
func (s *Subject) has(minor int) bool { return minor <= s.MaxMinor }
