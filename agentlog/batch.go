package agentlog

import (
	"context"
	"time"

	"ironworks/models"
)

// State is how a source does.
type State string

// The states of a source.
const (
	StateWaiting    State = "waiting"    // there is nothing to connect to yet: Why says what is waited for
	StateConnecting State = "connecting" // it is being tried, or tried again
	StateFollowing  State = "following"
	StateFailed     State = "failed" // waiting will hardly help: it is tried again quietly, once a minute at most
	StateEnded      State = "ended"  // there is no more of it
)

// Status is the news of one source of one node.
type Status struct {
	Node   models.NodeRef
	Source models.LogSource
	State  State
	// Address is whom it talks to, as it is shown; empty where there is none.
	Address string
	// Why is why it does not work, or what is waited for, and WayOut what can be done
	// about it. Both are safe to show.
	Why, WayOut string
	// Skew is how far the machine's clock is ahead of Ironic's; SkewKnown says that it
	// could be told.
	Skew      time.Duration
	SkewKnown bool
}

// Batch is what came since the last one: lines in the order of their source, and news.
// The lines of one entry of a journal are in one batch.
type Batch struct {
	Lines  []models.LogLine
	Status []Status
	// Dropped are lines that came faster than they were taken, and are not in Lines.
	Dropped int
}

// Follower follows one node's log until ctx ends; then it closes the channel, as the only
// one that does. It gathers what comes for a tenth of a second, so that a flood is few
// batches. A reader that is slow holds up a source that can wait, and loses lines of one
// that cannot.
//
// More are sources beside those that are followed anyway, for one that is followed only
// where somebody asks for it: the serial console. What cannot be used is left out.
type Follower interface {
	Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan Batch
}
